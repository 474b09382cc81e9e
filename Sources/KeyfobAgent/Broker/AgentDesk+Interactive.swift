internal import Keyfob
internal import KeyfobModel

extension AgentDesk {
    /// A token for a program that wants a person to sign in.
    ///
    /// Where it names nobody, and somebody is signed in whose token would do, the person chooses first: an account, whose token the program gets
    /// where it may have it and with no further sign-in where none is needed, or another one, who signs in. Where nobody can be
    /// asked, somebody signs in.
    ///
    /// - Throws: `cancelled` where the person chooses none, and as `signIn` and `token`.
    func interactiveToken(
        _ request: BrokerRequest, for caller: AgentCaller, by signIns: any AgentSignIns,
        show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> TokenBox {
        guard let chosen = try await chosenAccount(request, caller) else {
            let report = try await signIn(request.signIn, for: caller, by: signIns, show: show)
            return try await token(request.acquisition(after: report), for: caller)
        }
        var named = request
        named.account = chosen.candidate.account.id
        do throws(KeyringError) {
            return try await token(named.acquisition, of: chosen, caller)
        } catch {
            // What a refresh cannot give, a sign-in can.
            guard error.code == .signInNeeded || error.code == .scopesDeclined else { throw error }
        }
        let report = try await signIn(
            named.signIn, in: [chosen.candidate.group], for: caller, by: signIns, isForOnce: chosen.word == .once,
            show: show)
        return try await token(named.acquisition(after: report), of: chosen, caller)
    }

    /// An account that a person has chosen for a program.
    private struct Chosen {
        let candidate: Candidate
        /// By which word the program may have its token.
        let word: AuditEntry.Permission
        /// When that was: a vault that is locked later is not opened for it.
        let era: Int
    }

    /// The account that the person chooses; nil where somebody is to sign in.
    private func chosenAccount(
        _ request: BrokerRequest, _ caller: AgentCaller
    ) async throws(KeyringError) -> Chosen? {
        guard request.account == nil, request.username == nil else { return nil }
        var draft = AuditDraft(.signIn, caller, request.acquisition.request)
        do throws(KeyringError) {
            let (keyring, era) = (try vault.keyring(), era)
            draft.keyring = keyring
            // Nobody waits for a turn where there is nothing to ask.
            guard try !offered(request, caller, keyring).isEmpty else { return nil }
            await turns.take()
            do throws(KeyringError) {
                let chosen = try await askedForAccount(request, caller, since: era, &draft)
                await turns.leave()
                return chosen
            } catch {
                await turns.leave()
                throw error
            }
        } catch {
            throw told(error, &draft)
        }
    }

    /// The accounts that the person can choose, the likeliest first: those that the request could mean, without any of which
    /// somebody has said that the program may not have its tokens; none where nobody among them is signed in.
    private func offered(
        _ request: BrokerRequest, _ caller: AgentCaller, _ keyring: Keyring
    ) throws(KeyringError) -> [Candidate] {
        let asked = request.acquisition.request
        let meant = try keyring.accounts.select(asked, in: nil).choices.map(\.candidate)
            .filter { request.admits($0.account) }
        let permissions = try keyring.programs.permissions(in: Array(Set(meant.map(\.group))))
        let rights = rights(of: caller)
        let offered = meant.filter { candidate in
            let judged = rights.judge([candidate], asked.scopes, asked.clientID, by: permissions)
            return !judged.allowed.isEmpty || !judged.open.isEmpty
        }
        return offered.contains { [.signedIn, .tokensOnly].contains($0.state) } ? offered : []
    }

    private func askedForAccount(
        _ request: BrokerRequest, _ caller: AgentCaller, since era: Int, _ draft: inout AuditDraft
    ) async throws(KeyringError) -> Chosen? {
        if Task.isCancelled { throw KeyringError(.cancelled, "the program that asked has ended") }
        let asked = request.acquisition.request
        // Somebody may have decided while others were asked about.
        let accounts = try offered(request, caller, openKeyring(since: era))
        guard !accounts.isEmpty else { return nil }
        let question = ProgramQuestion(
            caller: caller, accounts: accounts, scopes: asked.scopes, clientID: asked.clientID)
        switch await questions.chooseAccount(question) {
        case .another, .nobodyThere: return nil
        case .account(let candidate) where accounts.contains(candidate):
            return try await permitted(candidate, question, since: era, &draft)
        case .account, .dismissed: throw Self.nobodyChosen(caller.program)
        }
    }

    /// The account that was chosen, once the program may have its token.
    private func permitted(
        _ candidate: Candidate, _ question: ProgramQuestion, since era: Int, _ draft: inout AuditDraft
    ) async throws(KeyringError) -> Chosen {
        let caller = question.caller
        (draft.account, draft.group) = (candidate.account.id, candidate.group)
        let keyring = try openKeyring(since: era)
        let judged = try rights(of: caller).judge([candidate], question.scopes, question.clientID, keyring)
        if let allowed = judged.allowed.first { return Chosen(candidate: candidate, word: allowed.word, era: era) }
        guard !judged.open.isEmpty else {
            draft.permission = .never
            throw caller.program.denied
        }
        let permission = ProgramQuestion(
            caller: caller, accounts: [candidate], scopes: question.scopes, clientID: question.clientID)
        let answer = await questions.ask(permission)
        // The person is at the desktop and wants a sign-in: who leaves there cancels it, and is asked again the next time.
        guard answer != .dismissed, answer != .nobodyThere else { throw Self.nobodyChosen(caller.program) }
        _ = try settle(answer, to: permission, judged.changed, since: era, &draft)
        return Chosen(candidate: candidate, word: draft.permission ?? .once, era: era)
    }

    /// The token of an account that was chosen, as long as the program may have it.
    private func token(
        _ acquisition: TokenAcquisition, of chosen: Chosen, _ caller: AgentCaller
    ) async throws(KeyringError) -> TokenBox {
        var draft = AuditDraft(.token, caller, acquisition.request)
        (draft.account, draft.group) = (chosen.candidate.account.id, chosen.candidate.group)
        do throws(KeyringError) {
            let keyring = try openKeyring(since: chosen.era)
            (draft.keyring, draft.permission) = (keyring, chosen.word)
            let judged = try rights(of: caller).judge(
                [chosen.candidate], acquisition.request.scopes, acquisition.request.clientID, keyring)
            guard !judged.allowed.isEmpty || chosen.word == .once && !judged.open.isEmpty else {
                draft.permission = judged.open.isEmpty ? .never : nil
                throw caller.program.notPermitted
            }
            return try await give(caller, acquisition, of: chosen.candidate, since: chosen.era, &draft)
        } catch {
            throw told(error, &draft)
        }
    }

    private static func nobodyChosen(_ program: Program) -> KeyringError {
        KeyringError(.cancelled, "no account was chosen for \(program)")
    }
}
