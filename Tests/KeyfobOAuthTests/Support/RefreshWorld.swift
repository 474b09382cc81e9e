import KeyfobModel
import KeyfobOAuth

/// A store, a provider and processes that refresh one grant; the scheduler decides who goes next.
struct RefreshWorld {
    /// What is durable.
    struct Store {
        var state: Grant.State = .active
        var version = GrantVersion(epoch: 1, generation: 1)
        var refreshToken: Int? = 1
        var accessToken: Int?
        var intent: RefreshIntent?
        var failure: RefreshFailure?
        var refusal: RefusalVerdict?
        var served: ScopeSet?
        var failingCommits = 0
    }

    /// One process: its transaction, and what it received and has not stored.
    struct Process {
        var transaction: RefreshTransaction
        var received: Int?
        /// The refresh token it read.
        var read: Int?
        var isDead = false

        var result: RefreshResult? {
            if case .finished(let result) = transaction.next { return result }
            return nil
        }
    }

    var store = Store()
    var provider = RotatingProvider()
    var processes: [Process] = []
    private(set) var lockHolder: Int?
    var time = now
    /// What all of them ask for.
    var asked = RefreshTransaction.Asked()

    /// A process that saw the grant as it is now and wants a new access token.
    mutating func start(canWait: Bool = false, isForced: Bool = false) {
        var asked = asked
        asked.questions = isForced
        let request = RefreshTransaction.Request(
            token: TokenIdentity(source: .own, version: store.version), startedAt: time, isForced: isForced,
            canWait: canWait, intentID: "intent \(processes.count)", asked: asked)
        processes.append(Process(transaction: RefreshTransaction(request)))
    }

    /// Whether a process can go on.
    func canStep(_ index: Int) -> Bool {
        let process = processes[index]
        guard !process.isDead, process.result == nil else { return false }
        return process.transaction.next != .acquireLock || lockHolder == nil
    }

    /// Ends a process; the system releases its lock.
    mutating func kill(_ index: Int) {
        processes[index].isDead = true
        if lockHolder == index { lockHolder = nil }
    }

    var snapshot: GrantSnapshot {
        GrantSnapshot(
            state: store.state, version: store.version, rotates: provider.rotates,
            hasFreshAccessToken: store.accessToken != nil, intent: store.intent, failure: store.failure,
            refusal: store.refusal, served: store.served)
    }

    /// Executes the step of a process and reports; with `dying`, the process dies before it hears of it.
    mutating func step(_ index: Int, dying: Bool = false) {
        let event = execute(index)
        if dying { return kill(index) }
        processes[index].transaction.receive(event, now: time)
    }

    private mutating func execute(_ index: Int) -> RefreshEvent {
        switch processes[index].transaction.next {
        case .acquireLock:
            lockHolder = index
            return .lockAcquired
        case .readGrant:
            processes[index].read = store.refreshToken
            return .grant(snapshot)
        case .writeIntent(let intent):
            guard store.state == .active, store.version == intent.version else { return .conflict(snapshot) }
            store.intent = intent
            return .done
        case .sendRequest, .sendProbe:
            guard let token = processes[index].read else { return .failed(.unreachable(.refused)) }
            let isProbe = if case .sendProbe = processes[index].transaction.next { true } else { false }
            switch isProbe ? provider.probe(token) : provider.redeem(token) {
            case .success(let next):
                processes[index].received = next
                if let flaw = provider.flaw { return .failedButReplaced(flaw) }
                return .answered(replacesRefreshToken: next != token)
            case .failure(let failure): return .failed(failure)
            }
        case .commit(let commit):
            if store.failingCommits > 0 {
                store.failingCommits -= 1
                return .storeFailed
            }
            guard store.state == .active, store.version == commit.expected else { return .conflict(snapshot) }
            store.version = commit.version
            store.refreshToken = processes[index].received
            store.failure = nil
            if let refusal = commit.refusal {
                remember(refusal)
            } else {
                store.accessToken = provider.requests
                store.refusal = nil
            }
            clear(commit.intent)
            return .done
        case .keepRefreshToken(let commit, let failure):
            guard store.state == .active, store.version == commit.expected else { return .conflict(snapshot) }
            store.version = commit.version
            store.refreshToken = processes[index].received
            store.failure = failure
            clear(commit.intent)
            return .done
        case .endIntent(let id, let failure, let mayBeUsedUp):
            if !mayBeUsedUp { clear(id) }
            if let failure { store.failure = failure }
            return .done
        case .recordRefusal(let changes, let failure, let id, let mayBeUsedUp):
            if let failure { store.failure = failure }
            return record(changes, id, mayBeUsedUp)
        case .revokeReceived:
            if let token = processes[index].received { provider.revoke(token) }
            return .done
        case .releaseLock:
            lockHolder = nil
            return .done
        case .finished: return .done
        }
    }

    private mutating func clear(_ id: String) {
        if store.intent?.id == id { store.intent = nil }
    }

    private mutating func record(_ changes: [StoredChange], _ id: String, _ mayBeUsedUp: Bool) -> RefreshEvent {
        for change in changes {
            switch change {
            case .markNeedsSignIn(let token, let reason):
                guard store.state == .active, store.version == token.version else { return .conflict(snapshot) }
                store.state = .needsSignIn(reason: reason)
            case .remember(let refusal): remember(refusal)
            case .deleteRefreshToken, .leaveFamily, .removeClientCredentials: continue
            }
        }
        if !mayBeUsedUp { clear(id) }
        return .done
    }

    private mutating func remember(_ refusal: JudgedRefusal) {
        store.refusal = RefusalVerdict(refusal, of: RefusedRequest(clientID: "app"), id: "verdict", at: time)
    }

    /// Lets a process run to its end.
    mutating func finish(_ index: Int) -> RefreshResult? {
        while canStep(index) { step(index) }
        return processes[index].result
    }

    /// Starts a process and lets it run to its end.
    mutating func run(canWait: Bool = false, isForced: Bool = false) -> RefreshResult? {
        start(canWait: canWait, isForced: isForced)
        return finish(processes.count - 1)
    }
}

/// A small generator with a seed (SplitMix64), so that each run of a test is the same.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
