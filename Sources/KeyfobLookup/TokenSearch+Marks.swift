package import KeyfobModel
internal import KeyfobFiles
internal import KeyfobRecords
package import KeyfobVault

extension TokenSearch {
    /// Raises the mark outside the vault; what cannot be noted is a warning, because the change is made.
    package func note(_ state: inout LookupState, _ sequences: [(group: GroupID?, sequence: UInt64)]) {
        state.marks.raise(sequences)
        do {
            try mark.raise(sequences)
        } catch {
            let warning =
                "the sequence of the vault could not be noted in \(mark.folder); a rollback would go unnoticed"
            if !state.warnings.contains(warning) { state.warnings.append(warning) }
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
                "group '\(group.name)' holds \(found.counted) records where \(found.expected) should be; run 'keyfob verify'"
            )
        }
        if found.sequence < seen {
            state.warn(
                "group '\(group.name)' has been taken back to an earlier state (\(found.sequence), seen \(seen)); "
                    + "if you restored it yourself, run 'keyfob doctor --accept-rollback'")
        } else if found.sequence > seen {
            note(&state, [(group.keys.group, found.sequence)])
        }
    }
}
