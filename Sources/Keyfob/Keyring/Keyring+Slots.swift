internal import KeyfobStore
internal import KeyfobVault

extension Keyring {
    /// A way to unlock, as people see it.
    public struct Slot: Hashable, Sendable {
        /// The first eight hexadecimal digits of its id.
        public let id: String
        /// `passphrase`, `key-file` or `recipient`.
        public let kind: String
        /// When it was made.
        public let created: Timestamp
        /// The one group it opens; nil when it opens the whole vault.
        public let group: AccessGroup?
        /// How much memory a derivation takes, in bytes; for passphrases.
        public let memory: UInt64?
        /// How many passes it makes; for passphrases.
        public let operations: UInt32?
    }

    /// The slots of the whole vault, where its key is held, and of the groups within reach.
    public func slots() throws(KeyringError) -> [Slot] {
        try withState { state in
            state.vault.slotSummaries.map { slot in
                Slot(
                    id: slot.id.short, kind: slot.kind.name, created: slot.created, group: slot.group,
                    memory: slot.cost?.memory, operations: slot.cost?.operations)
            }
        }
    }

    /// Adds a slot for the whole vault.
    ///
    /// - Returns: The slot's id.
    /// - Throws: `needsVaultKey`, `limitExceeded`, `configuration`, and what writing can throw.
    public func addSlot(_ new: consuming NewSlot) throws(KeyringError) -> String {
        let slot = try new.forVault()
        let now = clock.now
        return try changeVault { state in
            // Before the transaction: a derivation takes long, and whoever writes would wait for it.
            let sealed = try inTurn { try state.vault.sealedSlot(for: slot, now: now) }
            return try database.changeSlots(&state.vault) { try $0.addSlot(sealed).short }
        }
    }

    /// Makes a slot that opens one group alone.
    ///
    /// - Returns: The slot's id.
    /// - Throws: `noSuchGroup`, `needsVaultKey`, `limitExceeded`, and what writing can throw.
    public func grantGroup(_ name: AccessGroup, to new: consuming NewSlot) throws(KeyringError) -> String {
        let slot = try new.forVault()
        let now = clock.now
        return try changeVault { state in
            let group = try state.group(name).keys.group
            let sealed = try inTurn { try state.vault.sealedGrant(of: group, to: slot, now: now) }
            return try database.changeSlots(&state.vault) { try $0.grant(sealed).short }
        }
    }

    /// Runs `body`, which may derive a key: on one machine derivations wait for one another, because
    /// they take much memory.
    private func inTurn<Result>(_ body: () throws -> Result) throws -> Result {
        let turn = try FileLock(database.directory.lock)
        let result = try body()
        _ = consume turn
        return result
    }

    /// Removes a slot.
    ///
    /// - Parameter id: Its id, or the beginning of it.
    /// - Throws: `noSuchSlot`, `ambiguous`, `lastSlot`, `needsVaultKey`, and what writing can throw.
    public func removeSlot(_ id: String) throws(KeyringError) {
        try changeVault { state in
            let wanted = Identifier.folded(id)
            let matching = state.vault.slotSummaries.filter { !wanted.isEmpty && $0.id.description.hasPrefix(wanted) }
            guard let slot = matching.first else {
                throw KeyringError(
                    .noSuchSlot, "there is no slot '\(id)'", hint: "'keyfob slot list' shows those there are")
            }
            guard matching.count == 1 else {
                throw KeyringError(.ambiguous, "several slots begin with '\(id)'", candidates: matching.map(\.id.short))
            }
            try database.changeSlots(&state.vault) { try $0.removeSlot(slot.id) }
        }
    }
}
