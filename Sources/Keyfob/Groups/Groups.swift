internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// Access groups, and what in them was decided by others.
    public struct Groups: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring {
    /// A group as people see it.
    public struct GroupSummary: Hashable, Sendable {
        /// Its name.
        public let name: AccessGroup
        /// How many accounts are in it.
        public let accounts: Int
        /// How many tokens are in it.
        public let credentials: Int
        /// How often its key has been replaced, from 1.
        public let epoch: Int
        /// How many slots open it alone.
        public let grants: Int
    }
}

extension Keyring.Groups {
    /// The groups within reach, in the order in which they were made.
    ///
    /// - Throws: `damaged` when a manifest does not open.
    public func list() throws(KeyringError) -> [Keyring.GroupSummary] {
        try withState { state in
            let slots = state.vault.slotSummaries
            let groups = state.vault.groups
            return try database.withSnapshot {
                try groups.map { group in
                    try search.checkState(&state, group)
                    let counts = try database.counts(in: group.keys)
                    return Keyring.GroupSummary(
                        name: group.name, accounts: counts[.account] ?? 0,
                        credentials: [.accessToken, .refreshToken, .idToken].reduce(0) { $0 + (counts[$1] ?? 0) },
                        epoch: Int(group.keys.epoch), grants: slots.count { $0.group == group.name })
                }
            }
        }
    }

    /// Makes a group with a key of its own.
    ///
    /// A new name has no slash or backslash, is neither `.` nor `..`, does not start with a dash, and holds single spaces alone.
    ///
    /// - Throws: `usage` for another name, `alreadyExists` also for a name that differs from a group's in case alone,
    ///   `needsVaultKey`, and what writing can throw.
    public func create(_ name: AccessGroup) throws(KeyringError) {
        let entry = keyring.entry("group create")
        try changeVault { state in
            try name.requireNew(among: state.vault.groups.map(\.name))
            try database.createGroup(name, &state.vault, noting: entry, milliseconds: clock.milliseconds())
        }
    }

    /// Gives a group another name, on the other machines of a sync too.
    ///
    /// - Throws: `noSuchGroup`, `usage` and `alreadyExists` as ``create(_:)``, `needsVaultKey`, `rolledBack` where the sync cannot be
    ///   told, and what writing can throw.
    public func rename(_ name: AccessGroup, to new: AccessGroup) throws(KeyringError) {
        let others = try withState { state in state.vault.groups.map(\.name).filter { $0 != name } }
        try new.requireNew(among: others)
        try rename(name, to: new, as: keyring.entry("group rename"))
    }

    /// The same, noted as this run of a command.
    func rename(_ name: AccessGroup, to new: AccessGroup, as entry: JournalEntry) throws(KeyringError) {
        try keyring.sync.requireTelling()
        defer { try? keyring.sync.noteNames() }
        try changeVault { state in
            _ = try state.group(name)
            try database.renameGroup(
                name, to: new, &state.vault, noting: name == new ? nil : entry, milliseconds: clock.milliseconds())
        }
    }

    /// Removes a group with everything in it, on the other machines of a sync too.
    ///
    /// - Returns: How many records went.
    /// - Throws: `noSuchGroup`, `needsVaultKey`, `rolledBack` where the sync cannot be told, and what writing can throw.
    public func remove(_ name: AccessGroup) throws(KeyringError) -> Int {
        let removal = try keyring.sync.removalVersion(of: name)
        let (group, count) = try changeVault { state in
            let group = try state.group(name, suggestsNear: false).keys.group
            return (group, try database.removeGroup(name, &state.vault))
        }
        keyring.uses.forget(group)
        keyring.undo.note(.groupRemoved, name.name, as: "group remove")
        if let removal { try keyring.sync.note(removal: removal) }
        return count
    }

    /// Removes a group that a run of a command made, where nothing has come into it since and nobody else has got a key of it.
    ///
    /// - Parameter overrides: Whether it goes with what has come into it.
    /// - Returns: Whether it is gone.
    func remove(
        _ id: GroupID, madeBy entry: JournalEntry, overriding overrides: Bool
    ) throws(KeyringError) -> Bool {
        let name = try withState { state in state.vault.groups.first { $0.keys.group == id }?.name }
        guard let name else { return true }
        // Other machines have put into it what nobody sees here.
        guard !keyring.sync.shared().contains(id) else { return false }
        let removal = try keyring.sync.removalVersion(of: name)
        let isGone = try changeVault { state in
            try database.removeGroup(name, &state.vault) { reader, isShared in
                // Another may have the name by now.
                guard reader.keys.group == id else { return false }
                return try overrides || !isShared && reader.isUnused(since: entry, Self.decidesNothing)
            } != nil
        }
        if isGone, let removal { try keyring.sync.note(removal: removal) }
        return isGone
    }

    /// Gives a group a new key and seals every record of it again.
    ///
    /// A slot that was removed, or a key that was copied, opens nothing that is written from now on. A backup is made
    /// first, where the vault has a recovery key.
    ///
    /// - Parameters:
    ///   - backsUp: Whether a backup is made first. Where none can be made, nothing is changed.
    ///   - progress: Called with the number of records done and of all.
    /// - Returns: How many records were sealed again.
    /// - Throws: `damaged` when not every record opens (nothing is changed then), `noSuchGroup`,
    ///   `needsVaultKey`, and what writing can throw.
    public func rotate(
        _ name: AccessGroup, backsUp: Bool = true, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(KeyringError) -> Int {
        defer { keyring.uses.forgetOldKeys() }
        let count = try changeVault { state in
            try requireEmbedded(Keyring.noGroupKeys)
            _ = try state.group(name)
            if backsUp { try keyring.bundles.backUpBeforehand(&state, .beforeNewKey) }
            return try database.rotateGroup(name, &state.vault, progress: progress)
        }
        keyring.undo.note(.groupRotated, name.name, as: "group rotate", in: name)
        return count
    }
}

extension Keyring.Groups {
    /// The group where new items go: the first of those named, else `default` or the first there is.
    ///
    /// - Throws: `noSuchGroup`, `groupNotGranted`.
    package func forNewItems(_ names: [AccessGroup]? = nil) throws(KeyringError) -> AccessGroup {
        try withState { try $0.groupForNewItems(names).name }
    }
}
