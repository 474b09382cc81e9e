internal import KeyfobAge
internal import KeyfobAgeHybrid
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

// Of two slots that one key opens, the first alone counts, and nobody could tell which of them to remove.
extension Keyring.Slots {
    /// The slot that a key opens, of the whole vault or of one group, by the header as it is stored; nil where it opens none.
    ///
    /// A passphrase costs a derivation for each slot of a passphrase. What a kernel keyring or a Secret Service keeps names no
    /// slot.
    ///
    /// - Throws: `unavailable` where there is not enough memory.
    public func opened(by key: borrowing LockedKeyring.Key) throws(KeyringError) -> Keyring.Slot? {
        guard let offered = try Self.offered(key) else { return nil }
        let opened = try KeyringError.translating {
            let header = try VaultHeader(encoded: try database.storedHeader().bytes)
            return try inTurn { try header.anySlot(openedBy: offered) }
        }
        guard let opened else { return nil }
        return try list().first { $0.id == opened.id.short }
    }

    /// The key in the vault's terms; nil for one that names no slot.
    private static func offered(_ key: borrowing LockedKeyring.Key) throws(KeyringError) -> SlotKey? {
        switch key {
        case .passphrase(let text): return .passphrase(text.normalizedPassphrase())
        case .keyFile(let content): return .keyFile(content.withBytes { SecretBytes(copying: $0) })
        case .identity(let text): return .identities(try AgeIdentityFile.usable(in: text))
        case .session: return nil
        case .secretService: return nil
        }
    }

    /// Makes sure that what a new slot is for does not open the vault already.
    ///
    /// Each slot of the Secret Service has a key of its own: whether one of them opens the vault is asked of the service.
    ///
    /// - Throws: `alreadyExists`, and `unavailable` where a passphrase cannot be tried for want of memory.
    func requireNew(_ new: borrowing SlotToMake, in header: VaultHeader) throws {
        switch new.slot {
        case .passphrase(let passphrase):
            let key = SlotKey.passphrase(passphrase.text.withBytes { SecretBytes(copying: $0) })
            try Self.refuse("that passphrase", try inTurn { try header.slot(openedBy: key) })
        case .keyFile(let content):
            let key = SlotKey.keyFile(content.withBytes { SecretBytes(copying: $0) })
            try Self.refuse("that key file", try header.slot(openedBy: key))
        case .recipient(let recipient):
            try Self.refuse("the identity of that recipient", header.slots.first { $0.isFor(recipient.publicKey) })
        case .recoveryKey(let identity):
            let slot = header.slots.first { $0.isFor(identity.recipient.publicKey) }
            if let slot, !slot.isUnproven { try Self.refuse("that recovery key", slot) }
        case .secretService:
            guard let keeper = new.keeper, !header.secretServiceSlots.isEmpty else { return }
            let items = try LockedKeyring(at: location).secretServiceItems(keeper)
            // One beside which others lie is made anew, as the doctor says.
            let opening = items.first { $0.state == .opens && $0.items == 1 }
            try Self.refuse("the desktop's keyring", header.slots.first { $0.id.short == opening?.slot })
        }
    }

    /// The slot whose place a recovery key's takes: one that only its public key was known for.
    func unprovenSlot(for new: borrowing SlotToMake, in header: VaultHeader) -> SlotID? {
        switch new.slot {
        case .recoveryKey(let identity):
            header.slots.first { $0.isFor(identity.recipient.publicKey) && $0.isUnproven }?.id
        default: nil
        }
    }

    /// Makes sure that what a new slot of one group is for opens neither the vault nor a group already.
    ///
    /// - Throws: as ``requireNew(_:in:)``.
    func requireNewGrant(_ new: borrowing SlotToMake, of group: AccessGroup, in header: VaultHeader) throws {
        let slot: KeySlot?
        let what: String
        switch new.slot {
        case .passphrase(let passphrase):
            let key = SlotKey.passphrase(passphrase.text.withBytes { SecretBytes(copying: $0) })
            (slot, what) = (try inTurn { try header.anySlot(openedBy: key) }, "that passphrase")
        case .keyFile(let content):
            let key = SlotKey.keyFile(content.withBytes { SecretBytes(copying: $0) })
            (slot, what) = (try header.anySlot(openedBy: key), "that key file")
        case .recipient(let recipient):
            let all = header.slots + header.grantedSlots
            (slot, what) = (all.first { $0.isFor(recipient.publicKey) }, "the identity of that recipient")
        case .recoveryKey: return
        case .secretService: return
        }
        guard let slot else { return }
        throw KeyringError(
            .alreadyExists, "\(what) opens the vault or a group already, by slot \(slot.id.short)",
            advice: slot.kind == .keyFile ? .makeKeyFile(group) : .listSlots)
    }

    private static func refuse(_ what: String, _ slot: KeySlot?) throws(KeyringError) {
        guard let slot else { return }
        throw KeyringError(
            .alreadyExists, "\(what) opens the vault already, by slot \(slot.id.short); nothing was changed",
            advice: .listSlots)
    }
}

extension KeySlot {
    /// Whether it is for a recipient with this public key.
    fileprivate func isFor(_ wanted: [UInt8]) -> Bool {
        if case .recipient(let publicKey, _, _) = lock { publicKey == wanted } else { false }
    }

    /// Whether it is a recipient's that whoever made it need not have had the identity of.
    fileprivate var isUnproven: Bool {
        if case .recipient(_, _, nil) = lock { true } else { false }
    }
}
