public import Keyfob
internal import KeyfobModel

extension AgentDesk {
    /// Signs an account out of a client, for a program that may have its tokens.
    ///
    /// - Parameter isForAll: Whether to sign it out of all other clients of the group too.
    /// - Throws: `notPermitted`, `noSuchAccount`, and as `Keyring.accounts.signOut`.
    public func signOut(
        _ account: AccountID, clientID: String, isForAll: Bool = false, in groups: [AccessGroup]? = nil,
        for caller: AgentCaller
    ) async throws(KeyringError) -> SignOutReport {
        var asked = TokenRequest(clientID: clientID)
        asked.account = account.description
        var draft = AuditDraft(.signOut, caller, asked)
        do throws(KeyringError) {
            let keyring = try vault.keyring()
            (draft.keyring, draft.account) = (keyring, account)
            let rights = rights(of: caller)
            guard
                let candidate = try rights.accounts(of: keyring, in: groups).first(where: { $0.account.id == account }),
                try rights.mayUse(clientID, of: candidate, keyring)
            else { throw caller.program.notPermitted }
            draft.group = candidate.group
            // Nobody stays signed in because a provider cannot be reached.
            let network = try? network()
            let report = try await keyring.accounts.signOut(
                account, clientID: isForAll ? nil : clientID, reach: isForAll ? .everywhere : .client,
                from: candidate.group, network: network)
            draft.answer = "done"
            try write(draft)
            return report
        } catch {
            throw told(error, &draft)
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
