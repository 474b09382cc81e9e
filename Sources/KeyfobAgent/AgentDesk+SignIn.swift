public import Keyfob
internal import KeyfobModel
internal import Synchronization

extension AgentDesk {
    /// Takes a person through a sign-in that a program wants; it may then have the tokens of who signed in, for that client, until
    /// the agent ends, where nobody has decided otherwise.
    ///
    /// - Parameters:
    ///   - isForOnce: Whether it may have them only for what it has asked by now.
    ///   - show: Shows the person where to go.
    /// - Throws: `notPermitted` where it may never have tokens of the account that it names, and as `Keyring.finish`.
    public func signIn(
        _ request: SignInRequest, in groups: [AccessGroup]? = nil, for caller: AgentCaller,
        by signIns: any AgentSignIns, isForOnce: Bool = false, show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> SignInReport {
        var request = request
        // A browser's session is not to sign somebody in of whom nobody has said anything.
        if request.prompt == nil { request.prompt = .selectAccount }
        var asked = TokenRequest(clientID: request.clientID, scopes: request.scopes)
        asked.account = request.account?.description
        var draft = AuditDraft(.signIn, caller, asked)
        do throws(KeyringError) {
            let keyring = try vault.keyring()
            (draft.keyring, draft.account) = (keyring, request.account)
            let era = era
            let denials = try keyring.programs.permissions(in: groups).filter {
                $0.program == caller.program && !$0.isAllowed && $0.scopes.isEmpty && $0.clientID == nil
            }
            let target = try keyring.groups.forNewItems(groups)
            guard
                !denials.contains(where: {
                    $0.group == target && ($0.account == nil || $0.account == request.account)
                })
            else {
                draft.permission = .never
                throw KeyringError(
                    .notPermitted, "\(caller.program) may not have tokens of group '\(target)'",
                    advice: .forgetProgram(caller.program.description))
            }
            let report = try await signIns.signIn(request, in: groups, keyring, show: show)
            // The tokens are stored; who has locked the vault meanwhile lets nobody have them.
            _ = try openKeyring(since: era)
            let candidate = try keyring.accounts.named(report.account.id.description, in: [report.group])
            if !isForOnce { session.withLock { $0.allow(caller, candidate, report.scopes, report.clientID) } }
            (draft.account, draft.group) = (report.account.id, report.group)
            draft.permission = isForOnce ? .once : .session
            draft.answer = "done"
            try write(draft)
            return report
        } catch {
            throw told(error, &draft)
        }
    }
}
