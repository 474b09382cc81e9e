internal import KeyfobFiles
public import KeyfobModel
public import KeyfobSodium
internal import KeyfobRecords
internal import KeyfobVault

/// A passphrase that has come into the place of another, or is the first.
public struct PassphraseChange: Hashable, Sendable {
    /// The slot of the new passphrase.
    public let slot: Keyring.Slot
    /// Whether the slot was made now; false where it had that passphrase already, and nothing was changed.
    public let isNew: Bool
    /// The slot that is gone; nil where there was none.
    public let replaced: Keyring.Slot?
    /// What opens the same now: the vault, or the group.
    public let left: [Keyring.Slot]
}

extension Keyring.Slots {
    /// The slots of passphrases: of the whole vault, or of one group alone.
    ///
    /// - Throws: `needsVaultKey`.
    public func passphrases(of group: AccessGroup? = nil) throws(KeyringError) -> [Keyring.Slot] {
        try withState { state in
            guard state.vault.opensWholeVault else { throw VaultError.needsVaultKey }
        }
        return try list().filter { $0.kind == "passphrase" && $0.group == group }
    }

    /// Puts a passphrase into the place of another: makes its slot, opens that, and exchanges the two in one change.
    ///
    /// Whoever stops it leaves the old one or the new one.
    ///
    /// - Parameters:
    ///   - old: The slot of the passphrase that goes, of the vault or of one group; nil to add the first one of the vault.
    ///   - memory: How much memory the derivation takes, in bytes, one of ``Keyring/NewSlot/memories``.
    /// - Throws: `usage` where the slot is no passphrase's, `alreadyExists` where the passphrase opens another slot already,
    ///   `noSuchSlot`, and as ``add(_:)`` and ``remove(_:secretService:)``.
    public func changePassphrase(
        of old: String?, to passphrase: borrowing SecretBytes, memory: UInt64 = Keyring.NewSlot.usualMemory
    ) throws(KeyringError) -> PassphraseChange {
        // Before a derivation, and before anything is said of slots.
        _ = try passphrases()
        let replaced: Keyring.Slot?
        if let old { replaced = try withID(old) } else { replaced = nil }
        if let replaced, replaced.kind != "passphrase" {
            throw KeyringError(
                .usage, "slot \(replaced.id) is no passphrase's, but a \(replaced.kind)'s", advice: .listSlots)
        }
        // The first slot that a key opens is the one that counts: of two with one passphrase nobody could tell which is left.
        if let slot = try slotOpened(by: passphrase) {
            guard let replaced, slot == replaced.id else {
                throw KeyringError(
                    .alreadyExists, "that passphrase opens slot \(slot) already; nothing was changed")
            }
            let left = try list().filter { $0.group == replaced.group }
            return PassphraseChange(slot: replaced, isNew: false, replaced: nil, left: left)
        }
        let id = try replace(replaced, with: passphrase, memory)
        keyring.undo.note(.passphraseChanged, id, as: "passwd", in: replaced?.group)
        let left = try list().filter { $0.group == replaced?.group }
        guard let slot = left.first(where: { $0.id == id }) else {
            throw KeyringError(.busy, "somebody else has removed the new slot \(id)", advice: .listSlots)
        }
        return PassphraseChange(slot: slot, isNew: true, replaced: replaced, left: left)
    }

    /// Makes a slot, opens it, and puts it into the place of another in one change of the header.
    private func replace(
        _ old: Keyring.Slot?, with passphrase: borrowing SecretBytes, _ memory: UInt64
    ) throws(KeyringError) -> String {
        let new = try Keyring.NewSlot.passphrase(passphrase.withBytes { SecretBytes(copying: $0) }, memory: memory)
            .forVault()
        let key = SlotKey.passphrase(passphrase.normalizedPassphrase())
        let now = clock.now
        return try changeVault { state in
            try requireEmbedded("the keyring of the desktop is what unlocks it")
            let gone = try old.map { old in try Self.slot(old.id, among: state.vault.slotSummaries).id }
            let vault = state.vault.header.vault
            // Before the transaction: derivations take long, and whoever writes would wait for them.
            guard let name = old?.group else {
                let sealed = try inTurn {
                    let sealed = try state.vault.sealedSlot(for: new.slot, now: now, inPlace: gone != nil)
                    try sealed.tryOpening(with: key, vault: vault)
                    return sealed
                }
                return try database.changeSlots(&state.vault) { vault in
                    guard let gone else { return try vault.addSlot(sealed).short }
                    try vault.replaceSlot(gone, with: sealed)
                    return sealed.id.short
                }
            }
            let group = try state.group(name).keys.group
            let sealed = try inTurn {
                let sealed = try state.vault.sealedGrant(of: group, to: new.slot, now: now, inPlace: gone != nil)
                try sealed.tryOpening(with: key, vault: vault)
                return sealed
            }
            return try database.changeSlots(&state.vault) { vault in
                try vault.grant(sealed, inPlaceOf: gone).short
            }
        }
    }

    /// The id of the first slot that a passphrase opens, of the vault or of one group, by the header as it is stored; nil where
    /// it opens none.
    ///
    /// - Parameter id: The slot that is tried, as ``Keyring/Slot/id`` has it; nil for all.
    /// - Throws: `unavailable` where there is not enough memory.
    public func slotOpened(
        by passphrase: borrowing SecretBytes, among id: String? = nil
    ) throws(KeyringError) -> String? {
        let key = SlotKey.passphrase(passphrase.normalizedPassphrase())
        return try KeyringError.translating {
            let header = try VaultHeader(encoded: try database.storedHeader().bytes)
            return try inTurn {
                try header.anySlot(openedBy: key) { id == nil || $0.id.short == id }?.id.short
            }
        }
    }
}
