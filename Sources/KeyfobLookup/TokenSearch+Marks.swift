package import KeyfobModel
internal import KeyfobFiles
internal import KeyfobRecords
package import KeyfobVault

extension TokenSearch {
    /// Raises the mark outside the vault, by which a vault that was taken back is noticed; what cannot be noted is a warning, because the change is made.
    package func note(_ state: inout LookupState, _ sequences: [(group: GroupID?, sequence: UInt64)]) {
        state.marks.raise(sequences)
        do {
            try mark.raise(sequences)
        } catch {
            state.warn(
                Warning(
                    .notNoted,
                    "the sequence of the vault could not be noted in \(mark.folder); a rollback would go unnoticed"))
        }
    }

    /// Compares a group with what was seen of it, and with its own count of records, where the storage tells them.
    package func checkState(_ state: inout LookupState, _ group: UnlockedVault.Group) throws {
        guard storage.place == .embedded else { return }
        // What another process has changed since the marks were read is newer than they are, never older.
        let seen = state.marks.sequence(of: group.keys.group)
        let found = try storage.state(of: group.keys)
        if found.counted != found.expected {
            state.warn(
                Warning(
                    .wrongCount,
                    "group '\(group.name)' holds \(found.counted) records where \(found.expected) should be",
                    advice: .verify))
        }
        if found.sequence < seen {
            state.warn(
                Warning(
                    .rolledBack,
                    "group '\(group.name)' has been taken back to an earlier state (\(found.sequence), seen \(seen))",
                    advice: .acceptRollback(first: false)))
        } else if found.sequence > seen {
            note(&state, [(group.keys.group, found.sequence)])
        }
    }
}
