internal import Keyfob
internal import KeyfobModel

extension AgentDesk {
    /// A token for a program that wants a person to sign in.
    ///
    /// Where it names nobody, and somebody is signed in whose token would do, the person chooses first: an account, whose token the program gets
    /// where it may have it and with no further sign-in where none is needed, or another one, who signs in. Where nobody can be
    /// asked, somebody signs in if the program may have that done.
    ///
    /// - Throws: `cancelled` where the person chooses none, and as `signIn` and `token`.
    func interactiveToken(
        _ request: BrokerRequest, for caller: AgentCaller, by signIns: any AgentSignIns,
        show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> TokenBox {
        let choice = try await choice(request, caller)
        guard case .account(let chosen) = choice else {
            // In the window that offers another account it says what the program gets.
            let consent: ProgramAnswer.ForHowLong? = if case .another = choice { .session } else { nil }
            let era = era
            let (report, time) = try await signIn(
                request.signIn, in: nil, for: caller, by: signIns, after: consent, show: show)
            let acquisition = request.acquisition(after: report)
            guard let time, time == .once else { return try await token(acquisition, for: caller) }
            let candidate = try openKeyring(since: era).accounts.named(
                report.account.id.description, in: [report.group])
            return try await token(
                acquisition, of: Chosen(candidate: candidate, word: .once, era: era), caller)
        }
        var named = request
        named.account = chosen.candidate.account.id
        do throws(KeyringError) {
            return try await token(named.acquisition, of: chosen, caller)
        } catch {
            // What a refresh cannot give, a sign-in can.
            guard error.code == .signInNeeded || error.code == .scopesDeclined else { throw error }
        }
        // The person has chosen in a window that says what it wants; its token is given by the same word as before.
        let (report, _) = try await signIn(
            named.signIn, in: [chosen.candidate.group], for: caller, by: signIns, after: .once, show: show)
        return try await token(named.acquisition(after: report), of: chosen, caller)
    }

    /// What a person has chosen for a program.
    private enum Choice {
        case account(Chosen)
        /// Somebody else, who signs in.
        case another
        /// Nothing, since nobody could be asked, or there was nothing to choose from.
        case none
    }

    /// An account that a person has chosen for a program.
    private struct Chosen {
        let candidate: Candidate
        /// By which word the program may have its token.
        let word: AuditEntry.Permission
        /// When that was: a vault that is locked later is not opened for it.
        let era: Int
    }

    /// What the person chooses.
    private func choice(_ request: BrokerRequest, _ caller: AgentCaller) async throws(KeyringError) -> Choice {
        guard request.account == nil, request.username == nil else { return .none }
        let draft = AuditDraft(.signIn, caller, request.acquisition.request)
        return try await answering(draft) { (keyring, draft) throws(KeyringError) in
            let era = era
            // Nobody waits for a turn where there is nothing to ask.
            guard try !offered(request, caller, keyring).isEmpty else { return .none }
            let arrival = try await takeTurn(caller, .signIn, since: era)
            defer { turns.leave() }
            return try await askedForAccount(request, caller, arrival, since: era, &draft)
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
            let judged = rights.judge(.token, [candidate], asked.scopes, asked.clientID, by: permissions)
            return !judged.allowed.isEmpty || !judged.open.isEmpty
        }
        return offered.contains { [.signedIn, .tokensOnly].contains($0.state) } ? offered : []
    }

    private func askedForAccount(
        _ request: BrokerRequest, _ caller: AgentCaller, _ arrival: QuestionTurns.Arrival, since era: Int,
        _ draft: inout AuditDraft
    ) async throws(KeyringError) -> Choice {
        let asked = request.acquisition.request
        // Somebody may have decided while others were asked about.
        let accounts = try offered(request, caller, openKeyring(since: era))
        guard !accounts.isEmpty else { return .none }
        let question = ProgramQuestion(
            caller: caller, action: .signIn, accounts: accounts, scopes: asked.scopes, clientID: asked.clientID)
        let choice = await turns.answer(arrival) { [questions] in await questions.chooseAccount(question) }
        if Task.isCancelled { throw Self.endedMeanwhile }
        switch choice {
        case .another: return .another
        case .nobodyThere: return .none
        case .account(let candidate) where accounts.contains(candidate):
            return .account(try await permitted(candidate, question, since: era, &draft))
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
        let judged = try rights(of: caller).judge(.token, [candidate], question.scopes, question.clientID, keyring)
        if let allowed = judged.allowed.first { return Chosen(candidate: candidate, word: allowed.word, era: era) }
        guard !judged.open.isEmpty else {
            draft.permission = .never
            throw caller.program.denied(.token)
        }
        let permission = ProgramQuestion(
            caller: caller, accounts: [candidate], scopes: question.scopes, clientID: question.clientID)
        // The person is there, and has the whole time anew.
        let answer = await turns.answer(turns.arrive()) { [questions] in await questions.ask(permission) }
        if Task.isCancelled, answer != .never { throw Self.endedMeanwhile }
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
                .token, [chosen.candidate], acquisition.request.scopes, acquisition.request.clientID, keyring)
            guard !judged.allowed.isEmpty || chosen.word == .once && !judged.open.isEmpty else {
                draft.permission = judged.open.isEmpty ? .never : nil
                throw caller.program.notPermitted(.token)
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
