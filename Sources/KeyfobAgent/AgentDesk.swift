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
    let turns: QuestionTurns
    private let repeats = Mutex(RepeatCount())
    let upkeep = Mutex(TokenUpkeep())
    /// How many tokens are being got, and written down.
    private let underWay = Mutex(0)

    /// A desk.
    ///
    /// - Parameters:
    ///   - audit: Where what was asked is written down.
    ///   - questions: Who is asked about programs that nobody has decided about.
    ///   - network: Opens the network, where a token is to be refreshed.
    ///   - patience: For how long a person is waited for.
    ///   - writesPendingOnceClosing: Whether what was counted is written down each time that the vault is closed.
    public init(
        _ vault: AgentVault, audit: any AuditTrail, questions: any ProgramQuestions,
        network: @escaping @Sendable () throws(KeyringError) -> Network, clock: WallClock = .system,
        patience: Duration = .seconds(120), writesPendingOnceClosing: Bool = true
    ) {
        turns = QuestionTurns(patience: patience)
        self.vault = vault
        self.audit = audit
        self.questions = questions
        self.network = network
        self.clock = clock
        vault.onceGone { [weak self] in _ = self?.lock() }
        if writesPendingOnceClosing { vault.onceClosing { [weak self] keyring in self?.writePending(keyring) } }
    }

    /// Forgets the vault's keys, and what was allowed for the session; calls that wait for the vault hold it up for no more
    /// than a moment.
    ///
    /// - Returns: Whether there were keys.
    public func lock() -> Bool {
        session.withLock { $0 = SessionPermissions(era: $0.era + 1) }
        turns.withdraw()
        upkeep.withLock { $0.forgetAll() }
        return vault.lock()
    }

    /// Asks nobody any more, and takes back what is asked: for an end.
    public func retire() { turns.withdraw(forGood: true) }

    /// What a program may have, by what is decided now.
    func rights(of caller: AgentCaller) -> ProgramRights {
        ProgramRights(caller: caller, session: session.withLock(\.self))
    }

    /// Whether nobody has allowed a program anything, as far as that can be told.
    func isStranger(_ caller: AgentCaller) -> Bool {
        if session.withLock({ $0.has(caller.program) }) { return false }
        guard let keyring = try? vault.keyring(), let permissions = try? keyring.programs.permissions(in: nil) else {
            return true
        }
        return !permissions.contains { $0.isAllowed && $0.program == caller.program }
    }

    /// Takes back what programs were allowed until the agent ends; somebody may be asked about them again at once.
    ///
    /// - Parameter groups: In which groups; nil for all.
    /// - Returns: How many permissions there were.
    public func forget(_ programs: [Program], in groups: [AccessGroup]? = nil) -> Int {
        session.withLock { $0.forget(programs, in: groups) }
    }

    /// The accounts that a program may be told of; the names of others are not its business.
    ///
    /// - Throws: `locked`, and as `Keyring.accounts`.
    public func accounts(
        in groups: [AccessGroup]? = nil, for caller: AgentCaller
    ) async throws(KeyringError) -> [Candidate] {
        try await answering(AuditDraft(.accounts, caller)) { (keyring, draft) throws(KeyringError) in
            let found = try rights(of: caller).accounts(of: keyring, in: groups)
            try write(&draft, "done")
            return found
        }
    }

    /// The same for who watches these accounts and has asked once: it is not written down each time that something changes.
    package func watched(for caller: AgentCaller) throws(KeyringError) -> [Candidate] {
        try rights(of: caller).accounts(of: vault.keyring(), in: nil)
    }

    /// The account that a request means, among those the program may be told of.
    ///
    /// - Throws: `notPermitted` where there is none of them, `ambiguous`, and as `Keyring.select`.
    public func select(
        _ request: TokenRequest, in groups: [AccessGroup]? = nil, for caller: AgentCaller
    ) async throws(KeyringError) -> Candidate {
        try await answering(AuditDraft(.select, caller, request)) { (keyring, draft) throws(KeyringError) in
            let own = Set(try rights(of: caller).accounts(of: keyring, in: groups).map(\.place))
            guard !own.isEmpty else { throw caller.program.notPermitted(.list) }
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
            (draft.account, draft.group) = (chosen.account.id, chosen.group)
            try write(&draft, "done")
            return chosen
        }
    }

    /// A token for a program; a person is asked where nobody has decided yet whether it may have one.
    ///
    /// - Throws: `notPermitted` where it may not, `locked`, and as `Keyring.token`.
    package func token(
        _ acquisition: TokenAcquisition, for caller: AgentCaller
    ) async throws(KeyringError) -> TokenBox {
        try await answering(AuditDraft(.token, caller, acquisition.request)) { (keyring, draft) throws(KeyringError) in
            let era = era
            let (candidate, tenant) = try await admitted(acquisition, keyring, caller, &draft)
            var pinned = acquisition
            pinned.request.realm = acquisition.request.realm ?? tenant
            return try await give(caller, pinned, of: candidate, since: era, &draft)
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
        try write(&draft, box.found.origin.rawValue)
        // It is stored, and whoever asks once the vault is open again gets it from there.
        guard era == self.era else { throw Self.lockedMeanwhile }
        let remembered = caller.remembered
        upkeep.withLock { $0.isGiven(box.found, for: pinned.request, to: remembered, now: clock.now) }
        return box
    }

    /// Gets a token to the end, whether or not whoever asked is still there: what the provider has replaced is to be stored.
    func acquire(_ acquisition: TokenAcquisition, from keyring: Keyring) async throws(KeyringError) -> TokenBox {
        try await Task { () -> Result<TokenBox, KeyringError> in
            do throws(KeyringError) {
                return .success(TokenBox(try await keyring.tokens.acquireUnnoted(acquisition)))
            } catch {
                return .failure(error)
            }
        }.value.get()
    }

    /// From then on an end waits.
    func begin() { underWay.withLock { $0 += 1 } }

    /// An end need not wait for it any more.
    func end() { underWay.withLock { $0 -= 1 } }

    /// Whether tokens are being got or written down, or a vault is being closed, which an end is to wait for.
    public var isBusy: Bool { vault.isClosing || underWay.withLock { $0 > 0 } }

    /// Counts how often somebody has locked the vault.
    var era: Int { session.withLock(\.era) }

    /// The keyring, where nobody has locked it since.
    ///
    /// - Throws: `locked`.
    func openKeyring(since era: Int) throws(KeyringError) -> Keyring {
        guard era == self.era else { throw Self.lockedMeanwhile }
        return try vault.keyring()
    }

    private static let lockedMeanwhile = KeyringError(.locked, "the vault was locked meanwhile", advice: .unlock)

    // MARK: Writing down

    /// Answers a program, from the beginning where the vault has got other keys meanwhile; a refusal is written down.
    func answering<Answer>(
        _ draft: AuditDraft, _ body: (Keyring, inout AuditDraft) async throws(KeyringError) -> Answer
    ) async throws(KeyringError) -> Answer {
        var current = draft
        do throws(KeyringError) {
            return try await vault.use { (keyring) async throws(KeyringError) in
                current = draft
                current.keyring = keyring
                return try await body(keyring, &current)
            }
        } catch {
            throw told(error, &current)
        }
    }

    /// Writes down how a program was answered.
    func write(_ draft: inout AuditDraft, _ answer: String) throws(KeyringError) {
        draft.answer = answer
        try write(draft)
    }

    func write(_ draft: AuditDraft) throws(KeyringError) {
        guard let keyring = draft.keyring else { return }
        if draft.isGiven { return try audit.append(draft.entry(clock.now), keyring) }
        try writeOrCount(draft, keyring)
    }

    /// Writes down an answer that gives a program nothing, or counts it where the program was answered the same again and again.
    ///
    /// - Parameter isRefusal: Whether the program is answered also where that cannot be written down.
    private func writeOrCount(
        _ draft: AuditDraft, _ keyring: Keyring, isRefusal: Bool = false
    ) throws(KeyringError) {
        let due = repeats.withLock { $0.take(draft, now: clock.now) }
        // Another one made room.
        write(due.dropLast(), keyring)
        guard let last = due.last else { return }
        do throws(KeyringError) {
            try audit.append(last.entry(clock.now), keyring)
        } catch {
            let unwritten = last.repeats + (isRefusal ? 1 : 0)
            if unwritten > 0 { repeats.withLock { $0.giveBack(last, count: unwritten, now: clock.now) } }
            throw error
        }
    }

    /// Writes down what was counted, as far as it can be written; the rest is counted again.
    private func write(_ counted: some Collection<AuditDraft>, _ keyring: Keyring) {
        // Where one cannot be written for long, others of the same log are not waited for.
        var failed: Set<AccessGroup?> = []
        for draft in counted {
            if draft.vaultID == keyring.vaultID, !failed.contains(draft.group) {
                do throws(KeyringError) {
                    try audit.append(draft.entry(clock.now), keyring)
                    continue
                } catch  where error.code == .limitExceeded {
                    if (try? audit.append(draft.inBrief.entry(clock.now), keyring)) != nil { continue }
                } catch {
                    failed.insert(draft.group)
                }
            }
            repeats.withLock { $0.giveBack(draft, count: 1 + draft.repeats, now: clock.now) }
        }
    }

    /// Writes down how many answers have no line of their own.
    package func writePending(_ keyring: Keyring) {
        write(repeats.withLock { $0.takePending(of: keyring.vaultID) }, keyring)
    }

    /// The error as the program is told of it, written down, or counted where it was told the same again and again.
    func told(_ error: KeyringError, _ draft: inout AuditDraft) -> KeyringError {
        draft.answer = error.code.rawValue
        if let keyring = draft.keyring { try? writeOrCount(draft, keyring, isRefusal: true) }
        vault.reconsider(after: error)
        return error
    }
}
