internal import KeyfobAge
internal import KeyfobAgeHybrid
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// Slots: the keys that open the vault or one of its groups.
    public struct Slots: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring {
    /// A way to unlock, as people see it.
    public struct Slot: Hashable, Sendable {
        /// The first eight hexadecimal digits of its id.
        public let id: String
        /// `passphrase`, `key-file`, `recipient` or `secret-service`.
        public let kind: String
        /// When it was made.
        public let created: Timestamp
        /// The one group it opens; nil when it opens the whole vault.
        public let group: AccessGroup?
        /// How much memory a derivation takes, in bytes; for passphrases.
        public let memory: UInt64?
        /// How many passes it makes; for passphrases.
        public let operations: UInt32?
        /// The recipient that it is for, `age1…` or `age1pq1…`.
        public let recipient: String?
        /// Whether it is a recovery key's, which is a recipient.
        public let isRecoveryKey: Bool

        init(_ slot: SlotSummary) {
            (id, kind, created, group) = (slot.id.short, slot.kind.name, slot.created, slot.group)
            (memory, operations) = (slot.cost?.memory, slot.cost?.operations)
            recipient = slot.recipient.flatMap { AgeRecipient(publicKey: $0)?.text }
            isRecoveryKey = slot.isRecoveryKey
        }
    }
}

extension Keyring.Slots {
    /// The slots of the whole vault, where its key is held, and of the groups within reach.
    public func list() throws(KeyringError) -> [Keyring.Slot] {
        try withState { state in
            state.vault.slotSummaries.map(Keyring.Slot.init)
        }
    }

    /// The slot whose id begins with `id`.
    ///
    /// - Throws: `noSuchSlot`, `ambiguous`, `needsVaultKey`.
    public func withID(_ id: String) throws(KeyringError) -> Keyring.Slot {
        try withState { state in
            guard state.vault.opensWholeVault else { throw VaultError.needsVaultKey }
            return Keyring.Slot(try Self.slot(id, among: state.vault.slotSummaries))
        }
    }

    /// Adds a slot for the whole vault.
    ///
    /// A recovery key takes the place of a slot that only its public key was known for.
    ///
    /// - Returns: The slot's id.
    /// - Throws: `needsVaultKey`, `alreadyExists` where a slot is there that does the same, `limitExceeded`, `configuration`, and what writing can throw; for the Secret Service
    ///   also `unavailable`, `locked` and `cancelled`.
    public func add(_ new: consuming Keyring.NewSlot) throws(KeyringError) -> String {
        let new = try new.forVault()
        let now = clock.now
        let id = try changeVault { state in
            if !new.isForRecipient { try requireEmbedded("the keyring of the desktop is what unlocks it") }
            // Before the transaction: a derivation, or a person, takes long, and whoever writes would wait for it.
            try requireNew(new, in: state.vault.header)
            let replaced = unprovenSlot(for: new, in: state.vault.header)
            let sealed = try inTurn { try state.vault.sealedSlot(for: new.slot, now: now, inPlace: replaced != nil) }
            return try new.keeping(as: sealed.id, of: state.vault.header.vault, folder: location.vault) {
                try database.changeSlots(&state.vault) { vault in
                    guard let replaced else { return try vault.addSlot(sealed).short }
                    try vault.replaceSlot(replaced, with: sealed)
                    return sealed.id.short
                }
            }
        }
        keyring.undo.note(.slotAdded, id, as: "slot add")
        return id
    }

    /// Makes a slot that opens one group alone.
    ///
    /// - Returns: The slot's id.
    /// - Throws: `noSuchGroup`, `needsVaultKey`, `alreadyExists`, `limitExceeded`, `usage` for the Secret Service, which opens whole
    ///   vaults only, and what writing can throw.
    public func grant(_ name: AccessGroup, to new: consuming Keyring.NewSlot) throws(KeyringError) -> String {
        let new = try new.forVault()
        guard new.keeper == nil else {
            throw KeyringError(
                .usage,
                "the Secret Service opens a whole vault, not one group: every program of the session can ask it",
                advice: .useKeyFile)
        }
        guard !new.isRecoveryKey else {
            throw KeyringError(.usage, "a recovery key opens a whole vault, not one group", advice: .useKeyFile)
        }
        let now = clock.now
        let id = try changeVault { state in
            try requireEmbedded(Keyring.noGroupKeys)
            let group = try state.group(name).keys.group
            try requireNewGrant(new, of: name, in: state.vault.header)
            let sealed = try inTurn { try state.vault.sealedGrant(of: group, to: new.slot, now: now) }
            return try database.changeSlots(&state.vault) { try $0.grant(sealed).short }
        }
        keyring.undo.note(.groupGranted, id, as: "group grant", in: name)
        return id
    }

    /// Runs `body`, which may derive a key: on one machine derivations wait for one another, because
    /// they take much memory.
    func inTurn<Result>(_ body: () throws -> Result) throws -> Result {
        let turn = try FileLock(database.directory.lock)
        let result = try body()
        _ = consume turn
        return result
    }

    /// Removes a slot.
    ///
    /// - Parameters:
    ///   - id: Its id, or the beginning of it.
    ///   - secretService: How to reach the Secret Service, for a slot whose key it keeps: the key goes too. Where it
    ///     cannot be removed there, that is a warning.
    ///   - group: The group whose slot alone is meant; nil for all slots.
    /// - Throws: `noSuchSlot`, `ambiguous`, `lastSlot`, `needsVaultKey`, and what writing can throw.
    public func remove(
        _ id: String, of group: AccessGroup? = nil, secretService: SecretServiceOptions? = nil
    ) throws(KeyringError) {
        let removed = try changeVault { state in
            let slot = try Self.slot(id, among: state.vault.slotSummaries, of: group)
            try database.changeSlots(&state.vault) { try $0.removeSlot(slot.id) }
            guard slot.kind == .secretService else { return slot.id.short }
            do throws(KeyringError) {
                let kept = KeptSlotKey(vault: state.vault.header.vault, slot: slot.id)
                guard let secretService else { throw KeyringError(.unavailable, "nobody said how to reach it") }
                try kept.remove(secretService)
            } catch {
                state.warn(
                    Warning(
                        .serviceItems,
                        "the slot is removed, but its item '\(KeptSlotKey.label(folder: location.vault))' is still in "
                            + "the desktop's keyring, where it opens nothing any more: \(error.message)"))
            }
            return slot.id.short
        }
        keyring.undo.note(.slotRemoved, removed, as: "slot remove")
    }

    /// Removes a slot of one group and gives the group a new key, so that a copy of the old one opens nothing
    /// that is written from now on: both, or neither.
    ///
    /// What was decided in the group by somebody with its key goes with it, in the same change: nothing says which of
    /// them wrote it.
    ///
    /// - Parameters:
    ///   - kept: What stays of that.
    ///   - backsUp: Whether a backup is made first. Where none can be made, nothing is changed.
    ///   - progress: Called with the number of records done and of all.
    /// - Throws: `noSuchSlot`, `ambiguous`, `noSuchGroup`, `damaged` when not every record opens, `usage` for a name of
    ///   `kept` that no such decision has, `needsVaultKey`, and what writing can throw.
    public func revoke(
        _ id: String, of name: AccessGroup, keeping kept: KeptDecisions = .none, backsUp: Bool = true,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(KeyringError) -> SlotRevocation {
        defer { keyring.uses.forgetOldKeys() }
        let revocation = try changeVault { state in
            try requireEmbedded(Keyring.noGroupKeys)
            _ = try state.group(name)
            let slot = try Self.slot(id, among: state.vault.slotSummaries, of: name)
            if backsUp { try keyring.bundles.backUpBeforehand(&state, .beforeNewKey) }
            let (decisions, count) = try database.revoke(
                slot.id, of: name, &state.vault, milliseconds: clock.milliseconds(), progress: progress
            ) { try $0.forgetForeignDecisions(in: name, keeping: kept) }
            return SlotRevocation(
                slot: slot.id.short, records: count, removed: decisions.removed, kept: decisions.kept)
        }
        keyring.undo.note(.groupRevoked, name.name, as: "group revoke", in: name)
        return revocation
    }

    /// The one slot whose id begins with what was typed.
    ///
    /// - Parameter group: The group that alone is meant; nil for all slots.
    static func slot(
        _ id: String, among slots: [SlotSummary], of group: AccessGroup? = nil
    ) throws(KeyringError) -> SlotSummary {
        let wanted = Identifier.folded(id)
        let slots = slots.filter { slot in group.map { $0 == slot.group } ?? true }
        let matching = slots.filter { !wanted.isEmpty && $0.id.description.hasPrefix(wanted) }
        guard let slot = matching.first else {
            let known = slots.map(\.id.short)
            // Slots are named to be removed, so none is told as near.
            let all = known.joined(separator: ", ")
            throw KeyringError(
                .noSuchSlot,
                group.map {
                    "group '\($0)' has \(known.isEmpty ? "no slot of its own" : "no slot '\(id)', but \(all)")"
                }
                    ?? "there is no slot '\(id)'; there is \(known.isEmpty ? "none" : all)",
                advice: .listSlots, candidates: known, names: [])
        }
        guard matching.count == 1 else {
            throw KeyringError(.ambiguous, "several slots begin with '\(id)'", candidates: matching.map(\.id.short))
        }
        return slot
    }
}
