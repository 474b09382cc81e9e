internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

// What was seen of a vault is kept outside it: its own files cannot tell that they are older than they were.

extension LockedKeyring {
    /// What was found at earlier unlocks and is not accepted; groups are called by the beginning of their ids.
    public var stateFindings: [StateFinding] {
        let marks = try? HighWaterMark(state: location.state, vault: header.vault).marks(now: clock.now)
        return StateFinding.inOrder((marks?.findings ?? []).compactMap { StateFinding($0, groups: [], isAll: true) })
    }
}

extension Keyring.Health {
    /// What does not follow from what was seen before: it stays until ``acceptRollback()``.
    ///
    /// Each is among the warnings once.
    ///
    /// - Throws: `busy`, `inputOutput`.
    public func stateFindings() throws(KeyringError) -> [StateFinding] {
        let ofSync = keyring.sync.stateFindings()
        return try withState { state in
            let version = try database.version()
            // One that does not open is damaged, which is another matter.
            for group in state.vault.groups { try? search.checkState(&state, group, at: version) }
            return state.findings + ofSync
        }
    }

    /// Goes on from the vault as it is, although a later state, or another one, was seen.
    ///
    /// With the key of one group, that group alone.
    ///
    /// - Returns: What is accepted.
    /// - Throws: `inputOutput`, `diskFull`.
    @discardableResult
    public func acceptRollback() throws(KeyringError) -> [StateFinding] {
        let ofSync = keyring.sync.stateFindings()
        let isVault = try stateFindings().contains { !$0.isSync }
        try keyring.sync.acceptState(isVault: isVault)
        let accepted = try withState { state in
            try? database.refresh(&state.vault)
            for group in state.vault.groups { try? search.checkState(&state, group) }
            let accepted = state.findings + ofSync
            // Of the header the owner decides.
            let header = state.vault.opensWholeVault ? try? state.vault.milestone() : nil
            let groups = state.vault.groups.compactMap { try? database.state(of: $0.keys).milestone }
            do {
                _ = try mark.accept(
                    [header].compactMap(\.self) + groups, isAll: state.vault.opensWholeVault, now: clock.now)
            } catch {
                throw KeyringError(
                    .inputOutput, "nothing could be noted in \(mark.folder); what is there is not accepted")
            }
            state.marks = try mark.marks(now: clock.now)
            state.warnings.removeAll { $0.code.isFinding }
            return accepted
        }
        if !accepted.isEmpty { keyring.undo.noteOutside(.stateAccepted, as: "doctor --accept-rollback") }
        return accepted
    }

    /// Whether a warning is to be told here: what stays until the owner accepts it, once in a login to each audience.
    ///
    /// Where there is no folder that ends with the login, it is told each time.
    package func isNews(_ warning: Warning, to audience: String) -> Bool {
        guard warning.code.isFinding, let runtime = location.runtime else { return true }
        let line = "\(audience) \(Hexadecimal.text(BLAKE2b.hash(Array(warning.message.utf8), count: 16)))"
        return (try? RuntimeFolder(path: runtime).takeNote(line, in: "\(keyring.vaultID).told")) ?? true
    }
}
