internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

// What no record says is taken back by calls of the keyring, so only they can tell what that would do.

extension UndoItem {
    /// Says what taking an act back would do.
    ///
    /// - Parameters:
    ///   - entry: The run of a command that did it.
    ///   - group: The group in which it is noted.
    ///   - isSynced: Whether other machines may have the group.
    ///   - overrides: Whether what came later gives way.
    mutating func settle(
        _ act: JournalAct, of entry: JournalEntry, in group: UnlockedVault.Group, isSynced: Bool,
        _ state: inout LookupState, _ storage: any VaultStorage, overriding overrides: Bool
    ) throws {
        let all = state.vault.groups
        switch act {
        case .groupMade where isSynced: outcome = .inSync
        case .groupMade:
            let isShared = state.vault.slotSummaries.contains { $0.group == group.name }
            let isUnused =
                try !isShared
                && storage.read(group.keys) { try $0.isUnused(since: entry, Keyring.Groups.decidesNothing) }
            // What an undo takes away can come back as long as the group is there.
            let isEmptied =
                try !isUnused && !isShared
                && storage.read(group.keys) {
                    try $0.isUnused(since: entry, butForOwn: true, Keyring.Groups.decidesNothing)
                }
            outcome = isUnused || overrides ? .goes : isEmptied ? .staysEmpty : .changedSince
            isOverriding = !isUnused && overrides
        case .groupRenamed(let name):
            let isTaken = all.contains { $0.name.name == name && $0.keys.group != group.keys.group }
            outcome = group.name.name == name ? .isThere : isTaken ? .newerIsThere : .returns
        case .accountMoved(let id, let source):
            guard let from = all.first(where: { $0.keys.group == source }) else {
                outcome = .groupIsOutOfReach
                return
            }
            text = from.name.name
            let isThere = try storage.account(id, in: from.keys) != nil
            let isHere = try storage.account(id, in: group.keys) != nil
            outcome = isThere ? .isThere : isHere ? .returns : .accountIsGone
        case .tooMuch, .lasting: break
        }
    }
}
