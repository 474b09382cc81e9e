internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

// What no record says is taken back by calls of the keyring, so only they can tell what that would do.

extension UndoItem {
    /// Says what taking an act back would do.
    ///
    /// - Parameters:
    ///   - group: The group in which it is noted.
    ///   - all: The groups within reach.
    ///   - overrides: Whether what came later gives way.
    mutating func settle(
        _ act: JournalAct, in group: UnlockedVault.Group, _ all: [UnlockedVault.Group], _ storage: any VaultStorage,
        overriding overrides: Bool
    ) throws {
        switch act {
        case .groupMade:
            let counts = try storage.counts(in: group.keys)
            let isBare = counts.allSatisfy { kind, count in
                count == 0 || [.journal, .tombstone, .setting].contains(kind)
            }
            let isEmpty =
                try isBare
                && storage.settings(prefixes: [""], in: group.keys).items
                    .allSatisfy { Keyring.Groups.decidesNothing($0.value.name) }
            outcome = isEmpty || overrides ? .goes : .changedSince
            isOverriding = !isEmpty && overrides
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
        case .tooMuch: break
        }
    }
}
