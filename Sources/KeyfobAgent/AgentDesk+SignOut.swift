public import Keyfob
internal import KeyfobModel

extension AgentDesk {
    /// Signs an account out of a client, for a program that may do so.
    ///
    /// The owner can undo it, as far as the provider has revoked nothing.
    ///
    /// - Parameter isShared: Whether the machine is several people's: then it is signed out of all other clients of the group too, where
    ///   the program may sign it out of any.
    /// - Throws: `notPermitted`, `noSuchAccount`, and as `Keyring.accounts.signOut`.
    public func signOut(
        _ account: AccountID, clientID: String, isShared: Bool = false, in groups: [AccessGroup]? = nil,
        for caller: AgentCaller
    ) async throws(KeyringError) -> SignOutReport {
        var asked = TokenRequest(clientID: clientID)
        asked.account = account.description
        return try await answering(AuditDraft(.signOut, caller, asked)) { (keyring, draft) throws(KeyringError) in
            let era = era
            draft.account = account
            let candidates = try keyring.accounts.list(in: groups).filter { $0.account.id == account }
            // The same words as of an account that is there.
            guard !candidates.isEmpty else { throw caller.program.notPermitted(.signOut) }
            let ofAll = try rights(of: caller).judge(.signOut, candidates, [], nil, keyring).allowed
            let candidate: Candidate
            if isShared, let first = ofAll.first {
                (candidate, draft.permission) = (first.candidate, first.word)
            } else {
                candidate = try await admit(caller, .signOut, candidates, [], clientID, keyring, &draft)
            }
            draft.group = candidate.group
            let isOfAll = isShared && ofAll.contains { $0.candidate.place == candidate.place }
            // Nobody stays signed in because a provider cannot be reached.
            let network = try? network()
            let opened = try openKeyring(since: era)
            let report = try await opened.accounts.signOut(
                account, clientID: isOfAll ? nil : clientID, reach: isOfAll ? .everywhere : .client,
                from: candidate.group, undo: .keep(opened.undo.command(UndoableCommand.ofProgram)), network: network)
            try write(&draft, "done")
            return report
        }
    }

    /// Whether any account would do for a request, whoever asks: nobody is told which.
    package func isAnybodyThere(_ request: TokenRequest) -> Bool {
        guard let keyring = try? vault.keyring(), let selection = try? keyring.accounts.select(request, in: nil) else {
            return true
        }
        switch selection.outcome {
        case .chosen, .ambiguous: return true
        default: return false
        }
    }
}
