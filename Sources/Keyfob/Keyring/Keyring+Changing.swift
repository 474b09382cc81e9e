internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// Changes one group in one transaction, and notes how far it has come.
    func change<Result>(
        _ state: inout State, _ group: UnlockedVault.Group, _ body: (GroupWriter) throws -> Result
    ) throws -> Result {
        let (result, sequence) = try database.change(
            group.keys, sequence: state.vault.sequence, milliseconds: clock.milliseconds(), body)
        state.hits.removeAll()
        note(&state, [(group.keys.group, sequence)])
        return result
    }

    /// Raises the mark outside the vault; what cannot be noted is a warning, because the change is made.
    func note(_ state: inout State, _ sequences: [(group: GroupID?, sequence: UInt64)]) {
        state.marks.raise(sequences)
        do {
            try mark.raise(sequences)
        } catch {
            let warning =
                "the sequence of the vault could not be noted in \(location.state); a rollback would go unnoticed"
            if !state.warnings.contains(warning) { state.warnings.append(warning) }
        }
    }

    /// Compares a group with what was seen of it, and with its own count of records, where the storage tells them.
    func checkState(_ state: inout State, _ group: UnlockedVault.Group) throws {
        guard database.place == .embedded else { return }
        // What another process has changed since the marks were read is newer than they are, never older.
        let seen = state.marks.sequence(of: group.keys.group)
        let found = try database.state(of: group.keys)
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

extension Keyring.State {
    /// Adds a warning unless it stands there already.
    mutating func warn(_ text: String) {
        if !warnings.contains(text) { warnings.append(text) }
    }

    /// Adds a warning for each record that was passed over because it does not open.
    mutating func warn(ofDamage damaged: [String], in group: AccessGroup) {
        for damage in damaged {
            warn("\(damage) of group '\(group)' is damaged and was passed over; run 'keyfob doctor'")
        }
    }
}
