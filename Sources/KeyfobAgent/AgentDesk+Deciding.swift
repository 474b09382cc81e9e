public import Keyfob
internal import KeyfobModel
internal import Synchronization

extension AgentDesk {
    /// Whether a program may have a token of an account for these scopes, asking where nobody has decided.
    ///
    /// - Throws: `notPermitted`.
    public func admit(
        _ caller: AgentCaller, to candidates: [Candidate], scopes: ScopeSet, clientID: String?
    ) async throws(KeyringError) -> Candidate {
        try await answering(AuditDraft(.permission, caller)) { (keyring, draft) throws(KeyringError) in
            let chosen = try await admit(caller, .token, candidates, scopes, clientID, keyring, &draft)
            try write(&draft, "done")
            return chosen
        }
    }

    /// The account of a request, once the program may have its token, and the tenant where a binding names both.
    func admitted(
        _ acquisition: TokenAcquisition, _ keyring: Keyring, _ caller: AgentCaller, _ draft: inout AuditDraft
    ) async throws(KeyringError) -> (Candidate, tenant: String?) {
        let request = acquisition.request
        let selection = try keyring.accounts.selectByName(request, in: acquisition.groups)
        let candidates = selection.fitting
        guard !candidates.isEmpty else {
            if let named = try named(acquisition, keyring, caller, &draft) { return (named, nil) }
            throw try rights(of: caller).error(selection, for: request, keyring, in: acquisition.groups)
        }
        var fitting = candidates
        // Of one account in several groups that is taken in which the program may have it.
        let isChoice = acquisition.takesChosenAlone && Set(candidates.map(\.account.id)).count > 1
        if isChoice {
            let judged = try rights(of: caller).judge(.token, candidates, request.scopes, request.clientID, keyring)
            guard judged.allowed.isEmpty else {
                throw KeyringError(
                    .ambiguous, "the request fits several accounts", accounts: judged.allowed.map(\.candidate.account))
            }
        }
        if candidates.count == 1, !request.isNamed, !acquisition.takesChosenAlone {
            // Another one that it may use goes before one that it would have to ask for.
            let judged = try rights(of: caller).judge(
                .token, selection.wouldDo, request.scopes, request.clientID, keyring)
            if let only = judged.allowed.first, judged.allowed.count == 1 { fitting = [only.candidate] }
        }
        let chosen: Candidate
        do throws(KeyringError) {
            chosen = try await admit(
                caller, .token, fitting, request.scopes, request.clientID, keyring, isChoice: isChoice,
                mayAsk: acquisition.mayAskPerson, &draft)
            if isChoice {
                // A person has just chosen, whom nobody need ask again.
                keyring.accounts.remember(chosen.account.id, in: chosen.group, for: request, by: .person)
            }
        } catch {
            // Where it may use all accounts, it is told what the owner would be, whose words depend on those that do not fit.
            let all = selection.verdicts.map(\.candidate)
            guard error.code == .ambiguous,
                try rights(of: caller).judge(.token, all, request.scopes, request.clientID, keyring).allowed.count
                    == all.count,
                let same = keyring.accounts.error(of: selection, for: request, in: acquisition.groups)
            else { throw error }
            throw same
        }
        return (chosen, chosen == candidates.first && candidates.count == 1 ? selection.boundTenant : nil)
    }

    /// The account that a request names and that does not fit, where the program may have its tokens: what is missing, the
    /// keyring says in the words in which it says it to everybody.
    private func named(
        _ acquisition: TokenAcquisition, _ keyring: Keyring, _ caller: AgentCaller, _ draft: inout AuditDraft
    ) throws(KeyringError) -> Candidate? {
        let request = acquisition.request
        guard let name = request.account, request.context.url == nil,
            let candidate = try? keyring.accounts.named(name, in: acquisition.groups)
        else { return nil }
        let judged = try rights(of: caller).judge(.token, [candidate], request.scopes, request.clientID, keyring)
        guard let allowed = judged.allowed.first else { return nil }
        (draft.permission, draft.account, draft.group) = (allowed.word, candidate.account.id, candidate.group)
        return candidate
    }

    /// The account with which the program may do something; a person is asked where nobody has decided.
    ///
    /// - Parameters:
    ///   - isChoice: Whether the answer is about which of several accounts is meant, too.
    ///   - mayAsk: Whether a person may be asked.
    /// - Throws: `ambiguous`, `notPermitted`, `cancelled` where the program has ended meanwhile, `locked`.
    func admit(
        _ caller: AgentCaller, _ action: ProgramAction, _ candidates: [Candidate], _ scopes: ScopeSet,
        _ clientID: String?, _ keyring: Keyring, isChoice: Bool = false, mayAsk: Bool = true,
        _ draft: inout AuditDraft
    ) async throws(KeyringError) -> Candidate {
        let era = era
        var judged = try rights(of: caller).judge(action, candidates, scopes, clientID, keyring)
        if let decided = try decided(action, judged, caller, candidates, &draft) { return decided }
        guard mayAsk else { throw caller.program.notPermitted(action) }
        let arrival = try await takeTurn(caller, action, since: era)
        defer { turns.leave() }
        // Somebody may have decided while others were asked about.
        judged = try rights(of: caller).judge(action, candidates, scopes, clientID, openKeyring(since: era))
        if isChoice, !judged.allowed.isEmpty {
            // What a person has said meanwhile of one account was about another request.
            throw KeyringError(
                .ambiguous, "the request fits several accounts", accounts: judged.allowed.map(\.candidate.account))
        }
        if let decided = try decided(action, judged, caller, candidates, &draft) { return decided }
        let question = ProgramQuestion(
            caller: caller, action: action, accounts: judged.open, scopes: scopes, clientID: clientID)
        let answer = try await answer(to: question, arrival)
        guard let chosen = try settle(answer, to: question, judged.changed, since: era, &draft) else {
            throw caller.program.notPermitted(action)
        }
        return chosen
    }

    /// Waits until a person can be asked about a program.
    ///
    /// - Throws: `notPermitted` where nobody has answered in time, `cancelled` where the program has ended meanwhile, `locked`.
    func takeTurn(
        _ caller: AgentCaller, _ action: ProgramAction, since era: Int
    ) async throws(KeyringError) -> QuestionTurns.Arrival {
        let arrival = turns.arrive()
        guard await turns.take(arrival) else {
            if Task.isCancelled { throw Self.endedMeanwhile }
            _ = try openKeyring(since: era)
            throw caller.program.notPermitted(action)
        }
        return arrival
    }

    static let endedMeanwhile = KeyringError(.cancelled, "the program that asked has ended")

    /// Lets a program sign somebody in to a group, or asks a person where nobody has decided.
    ///
    /// - Parameters:
    ///   - account: Who is to sign in; nil for whoever does.
    ///   - consent: What the person has said already in a window that names the program and its wish.
    /// - Returns: For how long the person has let it have the tokens of who signs in; nil where nobody was asked about that.
    /// - Throws: As ``admit(_:_:_:_:_:_:_:)``.
    func admitSignIn(
        _ caller: AgentCaller, of account: AccountID?, in group: AccessGroup, _ scopes: ScopeSet, _ clientID: String?,
        _ consent: ProgramAnswer.ForHowLong?, since era: Int, _ draft: inout AuditDraft
    ) async throws(KeyringError) -> ProgramAnswer.ForHowLong? {
        func judge() throws(KeyringError) -> ProgramRights.Verdict {
            let permissions = try openKeyring(since: era).programs.permissions(in: [group])
            return rights(of: caller).verdict(on: .signIn, with: account, in: group, scopes, clientID, by: permissions)
        }
        func isDecided(_ verdict: ProgramRights.Verdict) throws(KeyringError) -> Bool {
            switch verdict {
            case .allowed(let word): draft.permission = word
            case .denied:
                draft.permission = .never
                throw caller.program.denied(.signIn)
            case .open:
                guard let consent else { return false }
                draft.permission = consent.permission
            }
            return true
        }
        if try isDecided(judge()) { return consent }
        let arrival = try await takeTurn(caller, .signIn, since: era)
        defer { turns.leave() }
        let verdict = try judge()
        if try isDecided(verdict) { return nil }
        let whose = try account.map { (id) throws(KeyringError) in
            try openKeyring(since: era).accounts.list(in: [group]).filter { $0.account.id == id }
        }
        let question = ProgramQuestion(
            caller: caller, action: .signIn, accounts: whose ?? [], group: group, account: account,
            scopes: scopes, clientID: clientID)
        var changed: ProgramPermission?
        if case .open(let permission) = verdict { changed = permission }
        _ = try settle(await answer(to: question, arrival), to: question, changed, since: era, &draft)
        return draft.permission.flatMap(ProgramAnswer.ForHowLong.init)
    }

    /// The account with which the program may do something; nil where that is still to be asked.
    ///
    /// - Throws: `ambiguous`, and `notPermitted` where it is forbidden.
    private func decided(
        _ action: ProgramAction, _ judged: ProgramRights.Judged, _ caller: AgentCaller, _ candidates: [Candidate],
        _ draft: inout AuditDraft
    ) throws(KeyringError) -> Candidate? {
        if let only = judged.allowed.first {
            guard judged.allowed.count == 1 else {
                throw KeyringError(
                    .ambiguous, "the request fits several accounts", accounts: judged.allowed.map(\.candidate.account))
            }
            draft.permission = only.word
            (draft.account, draft.group) = (only.candidate.account.id, only.candidate.group)
            return only.candidate
        }
        draft.group = candidates.first?.group
        guard let first = judged.open.first else {
            draft.permission = .never
            throw caller.program.denied(action)
        }
        if judged.open.count == 1 { draft.account = first.account.id }
        return nil
    }

    /// What a person answers, unless the program was sent away just now, or has gone.
    private func answer(
        to question: ProgramQuestion, _ arrival: QuestionTurns.Arrival
    ) async throws(KeyringError) -> ProgramAnswer {
        guard session.withLock({ $0.mayAsk(question.caller, now: clock.now) }) else {
            throw question.caller.program.notPermitted(question.action)
        }
        let answer = await turns.answer(arrival) { [questions] in await questions.ask(question) }
        // What a person says for good counts, also of whoever has gone; and nobody asks again at once by going.
        if Task.isCancelled, answer != .never {
            session.withLock { $0.isDismissed(question.caller, now: clock.now) }
            throw Self.endedMeanwhile
        }
        return answer
    }

    /// What follows from a person's answer: the account that it is about, which none is where anybody may sign in.
    ///
    /// - Throws: `notPermitted` where the program may not, `locked`.
    func settle(
        _ answer: ProgramAnswer, to question: ProgramQuestion, _ changed: ProgramPermission?, since era: Int,
        _ draft: inout AuditDraft
    ) throws(KeyringError) -> Candidate? {
        let (caller, action) = (question.caller, question.action)
        // Keys may have been let go, and programs forbidden, while the person thought.
        let keyring = try openKeyring(since: era)
        let permissions = try keyring.programs.permissions(in: question.groups)
        switch answer {
        case .allowed(let candidate, let time) where question.offers(candidate):
            guard let group = candidate?.group ?? question.groups.first else { break }
            let account = candidate?.account.id ?? question.account
            (draft.account, draft.group) = (account, group)
            let verdict = rights(of: caller).verdict(
                on: action, with: account, in: group, question.scopes, question.clientID, by: permissions)
            if case .denied = verdict { throw caller.program.denied(action) }
            // Of an account that is not there yet nothing can be kept.
            let isNew = candidate == nil && account != nil
            // A token cannot be had, and the account go unseen.
            let actions: Set<ProgramAction> = action == .token ? .usual : [action]
            draft.permission = try grant(
                isNew && time == .always ? .session : time, to: caller, actions, account, in: group, question.scopes,
                question.clientID, keyring)
            return candidate
        case .allowed, .dismissed:
            session.withLock { $0.isDismissed(caller, now: clock.now) }
        case .never:
            // What was asked, and nothing that was allowed before.
            for group in question.groups {
                try keyring.programs.permit(
                    ProgramPermission(of: caller.program, to: [action], isAllowed: false, in: group))
            }
            draft.permission = .never
        case .nobodyThere: break
        }
        throw changed.map { caller.program.changed(action, since: $0) } ?? caller.program.notPermitted(action)
    }

    /// Lets a program do something for as long as a person has said.
    ///
    /// - Returns: By which word it may.
    func grant(
        _ time: ProgramAnswer.ForHowLong, to caller: AgentCaller, _ actions: Set<ProgramAction>, _ account: AccountID?,
        in group: AccessGroup, _ scopes: ScopeSet, _ clientID: String?, _ keyring: Keyring
    ) throws(KeyringError) -> AuditEntry.Permission {
        guard time != .once else { return .once }
        let digest = caller.program.kind.isPath ? caller.digest() : nil
        // What cannot be compared later is not allowed for good, whatever the file will hold by then.
        guard time == .always, digest != nil || !caller.program.kind.isPath else {
            session.withLock { $0.allow(caller, to: actions, account, in: group, scopes, clientID, digest: digest) }
            return .session
        }
        let known = try keyring.programs.permissions(in: [group]).first {
            $0.program == caller.program && $0.isAllowed && $0.account == account && $0.clientID == clientID
                && $0.digest == digest && $0.writer != .group
                && !$0.actions.isDisjoint(with: actions.filter(\.hasScopes))
        }
        // No further than what was shown, and what was allowed before.
        try keyring.programs.permit(
            ProgramPermission(
                of: caller.program, to: actions, account: account, clientID: clientID,
                scopes: scopes.isEmpty ? [] : ScopeSet(scopes.scopes + (known?.scopes.scopes ?? [])), digest: digest,
                in: group))
        return .always
    }
}

extension ProgramQuestion {
    /// The groups whose accounts it is about.
    fileprivate var groups: [AccessGroup] {
        group.map { [$0] } ?? Set(accounts.map(\.group)).sorted { $0.name < $1.name }
    }

    /// Whether an answer can be about an account, or about whoever signs in.
    fileprivate func offers(_ candidate: Candidate?) -> Bool {
        candidate.map(accounts.contains) ?? (action == .signIn && accounts.isEmpty)
    }
}

extension ProgramAnswer.ForHowLong {
    /// What the log has of it.
    var permission: AuditEntry.Permission {
        switch self {
        case .once: .once
        case .session: .session
        case .always: .always
        }
    }

    fileprivate init?(_ permission: AuditEntry.Permission) {
        switch permission {
        case .once: self = .once
        case .session: self = .session
        case .always: self = .always
        case .never: return nil
        }
    }
}

extension Selection {
    /// The accounts that would do.
    fileprivate var fitting: [Candidate] {
        switch outcome {
        case .chosen(let candidate): [candidate]
        case .ambiguous(let candidates): candidates
        default: []
        }
    }

    /// All accounts that are not ruled out.
    var wouldDo: [Candidate] {
        verdicts.compactMap { judged in
            if case .rejected = judged.verdict { nil } else { judged.candidate }
        }
    }
}
