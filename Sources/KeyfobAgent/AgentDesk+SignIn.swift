public import Keyfob
internal import KeyfobModel
internal import Synchronization

extension AgentDesk {
    /// Takes a person through a sign-in that a program wants, where it may sign somebody in.
    ///
    /// Whether it may have tokens of who signed in is another matter, unless the person was asked about both.
    ///
    /// - Parameters:
    ///   - consent: For how long the person has let it have the tokens of who signs in, where they have said so in a window that
    ///     names it; nil where nobody has been asked.
    ///   - show: Shows the person where to go.
    /// - Throws: `notPermitted` where it may not, and as `Keyring.finish`.
    public func signIn(
        _ request: SignInRequest, in groups: [AccessGroup]? = nil, for caller: AgentCaller,
        by signIns: any AgentSignIns, consent: ProgramAnswer.ForHowLong? = nil,
        show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> SignInReport {
        try await signIn(request, in: groups, for: caller, by: signIns, after: consent, show: show).report
    }

    /// The same, with how long the person has let the program have the tokens; nil where nobody was asked about that.
    func signIn(
        _ request: SignInRequest, in groups: [AccessGroup]?, for caller: AgentCaller, by signIns: any AgentSignIns,
        after consent: ProgramAnswer.ForHowLong?, show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> (report: SignInReport, time: ProgramAnswer.ForHowLong?) {
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
            let target = try keyring.groups.forNewItems(groups)
            draft.group = target
            let time = try await admitSignIn(
                caller, of: request.account, in: target, request.scopes, request.clientID, consent, since: era, &draft)
            let report = try await signIns.signIn(request, in: groups, keyring, show: show)
            // The tokens are stored; who has locked the vault meanwhile lets nobody have them.
            let open = try openKeyring(since: era)
            (draft.account, draft.group) = (report.account.id, report.group)
            if let time {
                _ = try grant(
                    time, to: caller, .usual, report.account.id, in: report.group, report.scopes, report.clientID, open)
            }
            draft.answer = "done"
            try write(draft)
            return (report, time)
        } catch {
            throw told(error, &draft)
        }
    }
}
