internal import KeyfobFiles
internal import KeyfobLookup
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
        search.note(&state, sequences)
    }
}
