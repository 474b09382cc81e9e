public import Keyfob
internal import KeyfobModel
internal import Synchronization

/// Answers programs: decides whose token they may have, gets it, and writes down what was asked and answered.
///
/// Doors find out who asks and speak the programs' language; what a program may have is decided here alone.
public final class AgentDesk: Sendable {
    /// The vault that it answers from.
    public let vault: AgentVault
    private let audit: any AuditTrail
    let questions: any ProgramQuestions
    let network: @Sendable () throws(KeyringError) -> Network
    let clock: WallClock
    let session = Mutex(SessionPermissions())
    let turns = QuestionTurns()
    private let refusals = Mutex(RefusalCount())
    let upkeep = Mutex(TokenUpkeep())
    /// How many tokens are being got, and written down.
    private let underWay = Mutex(0)

    /// A desk.
    ///
    /// - Parameters:
    ///   - audit: Where what was asked is written down.
    ///   - questions: Who is asked about programs that nobody has decided about.
    ///   - network: Opens the network, where a token is to be refreshed.
    public init(
        _ vault: AgentVault, audit: any AuditTrail, questions: any ProgramQuestions,
        network: @escaping @Sendable () throws(KeyringError) -> Network, clock: WallClock = .system
    ) {
        self.vault = vault
        self.audit = audit
        self.questions = questions
        self.network = network
        self.clock = clock
        vault.onceGone { [weak self] in _ = self?.lock() }
    }

    /// Forgets the vault's keys, and what was allowed for the session.
    ///
    /// - Returns: Whether there were keys.
    public func lock() -> Bool {
        writePending()
        session.withLock { $0 = SessionPermissions(era: $0.era + 1) }
        upkeep.withLock { $0.forgetAll() }
        return vault.lock()
    }

    /// What a program may have, by what is decided now.
    func rights(of caller: AgentCaller) -> ProgramRights {
        ProgramRights(caller: caller, session: session.withLock(\.self))
    }

    /// Takes back what programs were allowed until the agent ends; somebody may be asked about them again at once.
    ///
    /// - Parameter groups: In which groups; nil for all.
    /// - Returns: How many permissions there were.
    public func forget(_ programs: [Program], in groups: [AccessGroup]? = nil) -> Int {
        session.withLock { $0.forget(programs, in: groups) }
    }

    /// The accounts of which a program may have tokens, whatever their scopes and client.
    ///
    /// None are told of those it may not have: their names are not its business.
    ///
    /// - Throws: `locked`, and as `Keyring.accounts`.
    public func accounts(
        in groups: [AccessGroup]? = nil, for caller: AgentCaller
    ) async throws(KeyringError) -> [Candidate] {
        try answering(AuditDraft(.accounts, caller)) { (keyring, draft) throws(KeyringError) in
            let found = try rights(of: caller).accounts(of: keyring, in: groups)
            draft.answer = "done"
            return found
        }
    }

    /// The same for who watches these accounts and has asked once: it is not written down each time that something changes.
    package func watched(for caller: AgentCaller) throws(KeyringError) -> [Candidate] {
        try rights(of: caller).accounts(of: vault.keyring(), in: nil)
    }

    /// The account that a request means, among those the program may have tokens of.
    ///
    /// - Throws: `notPermitted` where there is none of them, `ambiguous`, and as `Keyring.select`.
    public func select(
        _ request: TokenRequest, in groups: [AccessGroup]? = nil, for caller: AgentCaller
    ) async throws(KeyringError) -> Candidate {
        try answering(AuditDraft(.select, caller, request)) { (keyring, draft) throws(KeyringError) in
            let own = Set(try rights(of: caller).accounts(of: keyring, in: groups).map(\.place))
            guard !own.isEmpty else { throw caller.program.notPermitted }
            let selection = try keyring.accounts.select(request, in: groups)
            let chosen: Candidate
            let fitting = selection.wouldDo.filter { own.contains($0.place) }
            if case .chosen(let candidate) = selection.outcome, own.contains(candidate.place) {
                chosen = candidate
            } else if let only = fitting.first, fitting.count == 1 {
                chosen = only
            } else if fitting.isEmpty {
                throw KeyringError(.noSuchAccount, "no account fits of those that \(caller.program) may use")
            } else {
                throw KeyringError(
                    .ambiguous, "the request fits several accounts", advice: nil, accounts: fitting.map(\.account))
            }
            (draft.account, draft.group, draft.answer) = (chosen.account.id, chosen.group, "done")
            return chosen
        }
    }

    /// A token for a program; a person is asked where nobody has decided yet whether it may have one.
    ///
    /// - Throws: `notPermitted` where it may not, `locked`, and as `Keyring.token`.
    package func token(
        _ acquisition: TokenAcquisition, for caller: AgentCaller
    ) async throws(KeyringError) -> TokenBox {
        var draft = AuditDraft(.token, caller, acquisition.request)
        do throws(KeyringError) {
            let keyring = try vault.keyring()
            draft.keyring = keyring
            let era = era
            let (candidate, tenant) = try await admitted(acquisition, keyring, caller, &draft)
            var pinned = acquisition
            pinned.request.realm = acquisition.request.realm ?? tenant
            return try await give(caller, pinned, of: candidate, since: era, &draft)
        } catch {
            throw told(error, &draft)
        }
    }

    /// The token of an account that a program may have.
    func give(
        _ caller: AgentCaller, _ acquisition: TokenAcquisition, of candidate: Candidate, since era: Int,
        _ draft: inout AuditDraft
    ) async throws(KeyringError) -> TokenBox {
        var pinned = acquisition
        pinned.request.account = candidate.account.id.description
        pinned.groups = [candidate.group]
        pinned.network = network
        // A token that is stored is written down too, whoever ends the agent meanwhile.
        begin()
        defer { end() }
        let box = try await acquire(pinned, from: openKeyring(since: era))
        draft.reason = draft.reason ?? "\(box.found.reason)"
        draft.answer = box.found.origin.rawValue
        try write(draft)
        upkeep.withLock { $0.isGiven(box.found, for: pinned.request, to: caller, now: clock.now) }
        return box
    }

    /// Gets a token to the end, whether or not whoever asked is still there: what the provider has replaced is to be stored.
    func acquire(_ acquisition: TokenAcquisition, from keyring: Keyring) async throws(KeyringError) -> TokenBox {
        try await Task { () -> Result<TokenBox, KeyringError> in
            do throws(KeyringError) {
                return .success(TokenBox(try await keyring.tokens.acquire(acquisition)))
            } catch {
                return .failure(error)
            }
        }.value.get()
    }

    /// From then on an end waits.
    func begin() { underWay.withLock { $0 += 1 } }

    /// An end need not wait for it any more.
    func end() { underWay.withLock { $0 -= 1 } }

    /// Whether tokens are being got or written down, which an end is to wait for.
    public var isBusy: Bool { underWay.withLock { $0 > 0 } }

    /// Counts how often somebody has locked the vault.
    var era: Int { session.withLock(\.era) }

    /// The keyring, where nobody has locked it since.
    ///
    /// - Throws: `locked`.
    func openKeyring(since era: Int) throws(KeyringError) -> Keyring {
        guard era == self.era else { throw KeyringError(.locked, "the vault was locked meanwhile", advice: .unlock) }
        return try vault.keyring()
    }

    /// Whether a program may have a token of an account for these scopes, asking where nobody has decided.
    ///
    /// - Throws: `notPermitted`.
    public func admit(
        _ caller: AgentCaller, to candidates: [Candidate], scopes: ScopeSet, clientID: String?
    ) async throws(KeyringError) -> Candidate {
        var draft = AuditDraft(.permission, caller)
        do throws(KeyringError) {
            let keyring = try vault.keyring()
            draft.keyring = keyring
            let chosen = try await admit(caller, to: candidates, scopes, clientID, keyring, &draft)
            draft.answer = "done"
            try write(draft)
            return chosen
        } catch {
            throw told(error, &draft)
        }
    }

    // MARK: Deciding

    /// The account of a request, once the program may have its token, and the tenant where a binding names both.
    private func admitted(
        _ acquisition: TokenAcquisition, _ keyring: Keyring, _ caller: AgentCaller, _ draft: inout AuditDraft
    ) async throws(KeyringError) -> (Candidate, tenant: String?) {
        let request = acquisition.request
        let selection = try keyring.accounts.selectByName(request, in: acquisition.groups)
        let candidates = selection.fitting
        guard !candidates.isEmpty else {
            throw try rights(of: caller).error(selection, for: request, keyring, in: acquisition.groups)
        }
        if candidates.count == 1, !request.isNamed {
            // Another one that it may use goes before one that it would have to ask for.
            let judged = try rights(of: caller).judge(selection.wouldDo, request.scopes, request.clientID, keyring)
            if let only = judged.allowed.first, judged.allowed.count == 1, only.candidate.place != candidates[0].place {
                let chosen = try await admit(
                    caller, to: [only.candidate], request.scopes, request.clientID, keyring, &draft)
                return (chosen, nil)
            }
        }
        let chosen = try await admit(caller, to: candidates, request.scopes, request.clientID, keyring, &draft)
        return (chosen, chosen == candidates.first && candidates.count == 1 ? selection.boundTenant : nil)
    }

    private func admit(
        _ caller: AgentCaller, to candidates: [Candidate], _ scopes: ScopeSet, _ clientID: String?,
        _ keyring: Keyring, _ draft: inout AuditDraft
    ) async throws(KeyringError) -> Candidate {
        let era = era
        var judged = try rights(of: caller).judge(candidates, scopes, clientID, keyring)
        if let decided = try decided(judged, caller, candidates, &draft) { return decided }
        await turns.take()
        do throws(KeyringError) {
            if Task.isCancelled { throw KeyringError(.cancelled, "the program that asked has ended") }
            // Somebody may have decided while others were asked about.
            judged = try rights(of: caller).judge(candidates, scopes, clientID, openKeyring(since: era))
            let chosen: Candidate
            if let decided = try decided(judged, caller, candidates, &draft) {
                chosen = decided
            } else {
                let question = ProgramQuestion(
                    caller: caller, accounts: judged.open, scopes: scopes, clientID: clientID)
                chosen = try await asked(question, judged.changed, since: era, &draft)
            }
            await turns.leave()
            return chosen
        } catch {
            await turns.leave()
            throw error
        }
    }

    /// The account that the program may have the token of; nil where that is still to be asked.
    ///
    /// - Throws: `ambiguous`, and `notPermitted` where it is forbidden.
    private func decided(
        _ judged: ProgramRights.Judged, _ caller: AgentCaller, _ candidates: [Candidate], _ draft: inout AuditDraft
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
            throw caller.program.denied
        }
        if judged.open.count == 1 { draft.account = first.account.id }
        return nil
    }

    /// The account that a person lets the program have.
    private func asked(
        _ question: ProgramQuestion, _ changed: ProgramPermission?, since era: Int, _ draft: inout AuditDraft
    ) async throws(KeyringError) -> Candidate {
        let caller = question.caller
        guard session.withLock({ $0.mayAsk(caller, now: clock.now) }) else { throw caller.program.notPermitted }
        return try settle(await questions.ask(question), to: question, changed, since: era, &draft)
    }

    /// What follows from a person's answer: the account that the program may have.
    func settle(
        _ answer: ProgramAnswer, to question: ProgramQuestion, _ changed: ProgramPermission?, since era: Int,
        _ draft: inout AuditDraft
    ) throws(KeyringError) -> Candidate {
        let caller = question.caller
        // Keys may have been let go, and programs forbidden, while the person thought.
        let keyring = try openKeyring(since: era)
        let permissions = try keyring.programs.permissions(in: Array(Set(question.accounts.map(\.group))))
        switch answer {
        case .allowed(let candidate, let time) where question.accounts.contains(candidate):
            (draft.account, draft.group) = (candidate.account.id, candidate.group)
            let verdict = permissions.verdict(
                on: caller.program, digest: caller.digest, account: candidate.account.id, in: candidate.group,
                clientID: question.clientID, scopes: question.scopes)
            if case .denied = verdict { throw caller.program.denied }
            switch time {
            case .once: draft.permission = .once
            case .session, .always:
                let digest = caller.program.kind.isPath ? caller.digest() : nil
                // What cannot be compared later is not allowed for good, whatever the file will hold by then.
                if time == .always, digest != nil || !caller.program.kind.isPath {
                    let known = permissions.first {
                        $0.program == caller.program && $0.isAllowed && $0.account == candidate.account.id
                            && $0.clientID == question.clientID && $0.group == candidate.group && $0.digest == digest
                    }
                    // No further than what was shown, and what was allowed before.
                    try keyring.programs.permit(
                        ProgramPermission(
                            of: caller.program, account: candidate.account.id, clientID: question.clientID,
                            scopes: question.scopes.isEmpty
                                ? [] : ScopeSet(question.scopes.scopes + (known?.scopes.scopes ?? [])),
                            digest: digest, in: candidate.group))
                    draft.permission = .always
                } else {
                    session.withLock { $0.allow(caller, candidate, question.scopes, question.clientID) }
                    draft.permission = .session
                }
            }
            return candidate
        case .allowed, .dismissed:
            session.withLock { $0.isDismissed(caller, now: clock.now) }
        case .never:
            for group in Set(question.accounts.map(\.group)) {
                try keyring.programs.permit(ProgramPermission(of: caller.program, isAllowed: false, in: group))
            }
            draft.permission = .never
        case .nobodyThere: break
        }
        throw changed.map {
            KeyringError(
                .notPermitted, "\(caller.program) has changed since it was allowed",
                advice: .permitProgram(
                    caller.program.description, account: $0.account?.description, group: $0.group))
        } ?? caller.program.notPermitted
    }

    // MARK: Writing down

    private func answering<Answer>(
        _ draft: AuditDraft, _ body: (Keyring, inout AuditDraft) throws(KeyringError) -> Answer
    ) throws(KeyringError) -> Answer {
        var draft = draft
        do throws(KeyringError) {
            let keyring = try vault.keyring()
            draft.keyring = keyring
            let answer = try body(keyring, &draft)
            try write(draft)
            return answer
        } catch {
            throw told(error, &draft)
        }
    }

    func write(_ draft: AuditDraft) throws(KeyringError) {
        guard let keyring = draft.keyring else { return }
        try audit.append(draft.entry(clock.now), keyring)
    }

    /// Writes down how many refusals have no line of their own.
    public func writePending() {
        for draft in refusals.withLock({ $0.takePending() }) { try? write(draft) }
    }

    /// The error as the program is told of it, written down, or counted where it was told the same again and again.
    func told(_ error: KeyringError, _ draft: inout AuditDraft) -> KeyringError {
        draft.answer = error.code.rawValue
        if draft.keyring != nil {
            for counted in refusals.withLock({ $0.take(draft, now: clock.now) }) { try? write(counted) }
        }
        vault.reconsider(after: error)
        return error
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
    fileprivate var wouldDo: [Candidate] {
        verdicts.compactMap { judged in
            if case .rejected = judged.verdict { nil } else { judged.candidate }
        }
    }
}
