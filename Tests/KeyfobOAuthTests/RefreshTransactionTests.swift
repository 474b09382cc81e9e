import KeyfobModel
import KeyfobOAuth
import Testing

@Suite("Refresh transactions") struct RefreshTransactionTests {
    static let first = GrantVersion(epoch: 1, generation: 1)
    static let token = TokenIdentity(source: .own, version: first)
    static let refused = RefreshResult.refused(token, JudgedRefusal(RotatingProvider.refusal, .grantEnds))

    @Test("lock, read again, write an intent, send, commit and release")
    func steps() {
        var world = RefreshWorld()
        world.start()
        var steps: [RefreshStep] = []
        while world.canStep(0) {
            steps.append(world.processes[0].transaction.next)
            world.step(0)
        }
        let intent = RefreshIntent(id: "intent 0", version: Self.first, writtenAt: now)
        #expect(steps.count == 6)
        #expect(steps.prefix(4) == [.acquireLock, .readGrant, .writeIntent(intent), .sendRequest(Self.first)])
        #expect(steps.last == .releaseLock)
        #expect(world.processes[0].result == .refreshed(Self.first.rotated))
        #expect(world.store.refreshToken == world.provider.current)
        #expect(world.store.intent == nil)
    }

    @Test("take no event that does not fit")
    func misfits() {
        var world = RefreshWorld()
        world.start()
        var transaction = world.processes[0].transaction
        for event in [
            RefreshEvent.done, .answered(replacesRefreshToken: true), .failed(.unreachable(.refused)),
        ] {
            #expect(transaction.receive(event, now: now) == .acquireLock)
        }
        #expect(transaction.receive(.lockUnavailable, now: now) == .finished(.busy))
        #expect(transaction.receive(.lockAcquired, now: now) == .finished(.busy))
    }

    @Test("send nothing for a grant that has ended", arguments: [Grant.State.signedOut, .needsSignIn(reason: "r")])
    func ended(state: Grant.State) {
        var world = RefreshWorld()
        world.store.state = state
        #expect(world.run() == .ended(state))
        #expect(world.provider.requests == 0)
    }

    @Test("keep the old refresh token where the answer has none")
    func notRotating() {
        var world = RefreshWorld()
        world.provider.rotates = false
        #expect(world.run() == .refreshed(Self.first))
        #expect(world.store.refreshToken == 1)
    }

    @Test("adopt what another process stored, unless a newer one is wanted")
    func adopts() {
        var world = RefreshWorld()
        world.start()
        world.start()
        #expect(world.finish(0) == .refreshed(Self.first.rotated))
        #expect(world.finish(1) == .adopted(Self.first.rotated))
        #expect(world.run() == .adopted(Self.first.rotated))
        #expect(world.run(isForced: true) == .refreshed(Self.first.rotated.rotated))
        #expect(world.provider.requests == 2)
    }

    @Test(
        "leave the store as it was when nothing was done, and clear the intent",
        arguments: [
            ProviderFailure.unreachable(.refused), .serverDown(status: 503, retryAt: nil), .unexpectedStatus(404),
        ])
    func failures(failure: ProviderFailure) {
        var world = RefreshWorld()
        world.provider.outage = failure
        #expect(world.run() == .failed(Self.token, failure))
        #expect(world.store.intent == nil)
        #expect(world.store.state == .active)
        world.provider.outage = nil
        world.time = now.advanced(by: 1)
        #expect(world.run() == .refreshed(Self.first.rotated))
        #expect(world.store.failure == nil)
    }

    @Test("do not ask a provider that refuses without a reason again at once, unless they are to")
    func refusedWithoutReason() {
        var world = RefreshWorld()
        world.provider.outage = RotatingProvider.silence
        for _ in 0..<30 { world.start(isForced: true) }
        for index in 0..<30 { #expect(world.finish(index) == .failed(Self.token, RotatingProvider.silence)) }
        world.time = now.advanced(by: RefreshFailure.refusalPause - 1)
        #expect(world.run() == .failed(Self.token, RotatingProvider.silence))
        #expect(world.provider.requests == 1)
        #expect(world.store.state == .active && world.store.refreshToken == 1 && world.store.intent == nil)
        #expect(world.run(isForced: true) == .failed(Self.token, RotatingProvider.silence))
        #expect(world.provider.requests == 2)
        world.provider.outage = nil
        world.time = world.time.advanced(by: RefreshFailure.refusalPause)
        #expect(world.run() == .refreshed(Self.first.rotated))
    }

    @Test("judge nobody else's grant by a refusal without a reason")
    func familyRefusedWithoutReason() {
        let token = TokenIdentity(source: .family, version: Self.first)
        #expect(RefreshFailure(RotatingProvider.silence, of: token, at: now) == nil)
        let refusal = Refusal(status: 400)
        #expect(StoredChange.after(wordless: refusal, of: token, wasInterrupted: true) == [])
    }

    @Test(
        "go on doubting a refresh token that may have been replaced, until the provider settles it",
        arguments: [
            ProviderFailure.unreachable(.refused), .serverDown(status: 503, retryAt: nil), .unexpectedStatus(403),
            .throttled(until: now.advanced(by: 5)),
            .interactionRequired(Refusal(status: 400, error: "consent_required")),
            .clientRefused(Refusal(status: 401, error: "invalid_client")),
        ])
    func doubt(between: ProviderFailure) {
        for isSilent in [false, true] {
            var world = RefreshWorld()
            world.provider.isSilent = isSilent
            world.start()
            for _ in 0..<3 { world.step(0) }
            world.step(0, dying: true)
            world.time = now.advanced(by: 10)
            world.provider.outage = between
            let result = world.run()
            if between.refusal == nil {
                #expect(result == .failed(Self.token, between))
            } else if case .refused(Self.token, let refusal) = result {
                #expect(refusal.failure == between && refusal.ruling.reach != .grant)
            } else {
                Issue.record("it is no refusal: \(String(describing: result))")
            }
            world.provider.outage = nil
            world.time = now.advanced(by: 20 + RefusalVerdict.pause)
            _ = world.run()
            guard case .needsSignIn(let reason) = world.store.state else {
                Issue.record("the grant lasts")
                continue
            }
            #expect(reason.hasPrefix("a refresh was cut off, "))
            #expect(world.provider.requests == 3)
        }
    }

    @Test("keep a new refresh token whatever else is wrong with its answer")
    func keepsRefreshToken() {
        var world = RefreshWorld()
        let flaw = ProviderFailure.protocolViolation(.missing("access_token"), status: 200)
        world.provider.flaw = flaw
        let replaced = TokenIdentity(source: .own, version: Self.first.rotated)
        world.start()
        world.start()
        #expect(world.finish(0) == .failed(replaced, flaw))
        #expect(world.store.refreshToken == world.provider.current && world.store.intent == nil)
        #expect(
            world.finish(1)
                == .failed(replaced, .protocolViolation(.reported("the answer lacks access_token"), status: 200)))
        #expect(world.provider.requests == 1)
        world.provider.flaw = nil
        world.time = now.advanced(by: 1)
        #expect(world.run() == .refreshed(Self.first.rotated.rotated))
        #expect(world.provider.isAlive)
    }

    @Test("ask a throttling provider once for all who wait")
    func throttled() {
        var world = RefreshWorld()
        let failure = ProviderFailure.throttled(until: now.advanced(by: 60))
        world.provider.outage = failure
        #expect(world.run() == .failed(Self.token, failure))
        #expect(world.run() == .failed(Self.token, failure))
        #expect(world.provider.requests == 1)
        world.provider.outage = nil
        world.time = now.advanced(by: 60)
        #expect(world.run() == .refreshed(Self.first.rotated))
    }

    @Test(
        "share an unknown outcome with all who wait, and try again only for those who come later",
        arguments: [
            ProviderFailure.outcomeUnknown, .serverDown(status: 500, retryAt: nil),
            .protocolViolation(.html, status: 200),
        ])
    func unknown(failure: ProviderFailure) {
        var world = RefreshWorld()
        world.provider.outage = failure
        world.start()
        world.start()
        #expect(world.finish(0) == .failed(Self.token, failure))
        #expect(world.store.intent?.version == Self.first)
        let told: ProviderFailure =
            if case .protocolViolation(let violation, let status) = failure {
                .protocolViolation(.reported("\(violation)"), status: status)
            } else {
                failure
            }
        #expect(world.finish(1) == .failed(Self.token, told))
        #expect(world.provider.requests == 1)
        world.provider.outage = nil
        world.time = now.advanced(by: 1)
        // A good access token is not risked for it.
        #expect(world.run(canWait: true) == world.store.intent.map { .keptOld($0) })
        #expect(world.run() == .refreshed(Self.first.rotated))
        #expect(world.store.intent == nil)
    }

    @Test("share what came of a request with those who began while it hung")
    func hanging() {
        var world = RefreshWorld()
        world.provider.outage = .outcomeUnknown
        world.start()
        for _ in 0..<3 { world.step(0) }
        world.time = now.advanced(by: 10)
        world.start()
        world.time = now.advanced(by: 30)
        #expect(world.finish(0) == .failed(Self.token, .outcomeUnknown))
        #expect(world.finish(1) == .failed(Self.token, .outcomeUnknown))
        #expect(world.provider.requests == 1)
    }

    @Test("record a refusal under the lock, so that nobody sends the dead token again")
    func refused() {
        var world = RefreshWorld()
        _ = world.provider.redeem(7)
        world.start()
        world.start()
        #expect(world.finish(0) == Self.refused)
        let reason = "the provider refused: invalid_grant (status 400)"
        #expect(world.finish(1) == .ended(.needsSignIn(reason: reason)))
        #expect(world.provider.requests == 2)
        #expect(world.store.refreshToken == 1)
    }

    @Test("end nothing where a newer token was stored meanwhile")
    func superseded() {
        var world = RefreshWorld()
        _ = world.provider.redeem(7)
        world.start()
        for _ in 0..<4 { world.step(0) }
        let newer = GrantVersion(epoch: 2, generation: 1)
        world.store.version = newer
        #expect(world.finish(0) == .superseded(newer))
        #expect(world.store.state == .active)
        #expect(world.store.intent == nil)
    }

    @Test("give the access token out only once the refresh token is durable", arguments: [(2, true), (3, false)])
    func notDurable(failing: Int, isDurable: Bool) {
        var world = RefreshWorld()
        world.store.failingCommits = failing
        #expect(world.run() == (isDurable ? .refreshed(Self.first.rotated) : .notDurable))
        #expect((world.store.intent == nil) == isDurable)
        world = RefreshWorld()
        world.provider.rotates = false
        world.store.failingCommits = failing
        #expect(world.run() == (isDurable ? .refreshed(Self.first) : .refreshedUnsaved))
        #expect(world.store.intent == nil)
    }

    @Test("cannot bring back a grant that was signed out meanwhile, and revoke what they got", arguments: 0..<6)
    func signedOut(step: Int) {
        var world = RefreshWorld()
        world.start()
        for _ in 0..<step { world.step(0) }
        world.store.state = .signedOut
        world.store.refreshToken = nil
        let result = world.finish(0)
        #expect(world.store.state == .signedOut)
        #expect(world.store.refreshToken == nil)
        #expect(world.store.intent == nil)
        // A request that was sent got a token, which nobody may keep.
        #expect(world.provider.isAlive == ![3, 4].contains(step))
        #expect(result == (step == 5 ? .refreshed(Self.first.rotated) : .ended(.signedOut)))
    }
}

@Suite("Interrupted refreshes") struct InterruptedRefreshTests {
    /// The steps of a refresh: lock, read, intent, request, commit, release.
    static let boundaries = [
        (0, false), (0, true), (1, false), (1, true), (2, false), (2, true), (3, false), (3, true), (4, false),
        (4, true), (5, false), (5, true),
    ]

    @Test("lose the grant only where the answer was lost, and say so", arguments: boundaries)
    func crash(steps: Int, afterEffect: Bool) {
        var world = RefreshWorld()
        world.start()
        for _ in 0..<steps { world.step(0) }
        if afterEffect { world.step(0, dying: true) } else { world.kill(0) }
        let wasLost = world.provider.requests > 0 && world.store.refreshToken != world.provider.current
        #expect(wasLost == (steps == 3 && afterEffect || steps == 4 && !afterEffect))
        let wasCommitted = world.store.accessToken != nil
        let result = world.run()
        if wasLost {
            let reason =
                "a refresh was cut off, and its refresh token may be used up; the provider refused: invalid_grant (status 400)"
            #expect(result == RefreshTransactionTests.refused)
            #expect(world.store.state == .needsSignIn(reason: reason))
        } else {
            let version = RefreshTransactionTests.first.rotated
            #expect(result == (wasCommitted ? .adopted(version) : .refreshed(version)))
            #expect(world.provider.isAlive)
            #expect(world.provider.requests == 1)
            #expect(world.store.refreshToken == world.provider.current)
        }
    }

    @Test("do not end the grant of somebody who can wait, at any boundary", arguments: boundaries)
    func patient(steps: Int, afterEffect: Bool) {
        var world = RefreshWorld()
        world.start()
        for _ in 0..<steps { world.step(0) }
        if afterEffect { world.step(0, dying: true) } else { world.kill(0) }
        _ = world.run(canWait: true)
        #expect(world.store.state == .active)
        #expect(world.provider.isAlive)
    }

    @Test("harm nothing where the provider does not rotate", arguments: boundaries)
    func notRotating(steps: Int, afterEffect: Bool) {
        var world = RefreshWorld()
        world.provider.rotates = false
        world.start()
        for _ in 0..<steps { world.step(0) }
        if afterEffect { world.step(0, dying: true) } else { world.kill(0) }
        _ = world.run()
        #expect(world.store.state == .active)
        #expect(world.store.accessToken != nil)
        #expect(world.store.intent == nil)
    }
}

@Suite("Many refreshing processes") struct ManyRefreshesTests {
    @Test("would burn the family without a transaction")
    func naive() {
        var provider = RotatingProvider()
        let saw = provider.current
        #expect(throws: Never.self) { try provider.redeem(saw).get() }
        #expect(throws: RotatingProvider.refusal) { try provider.redeem(saw).get() }
        #expect(!provider.isAlive)
    }

    @Test("send one request in a round, in every order", arguments: 0..<300 as Range<UInt64>)
    func oneRequest(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var world = RefreshWorld()
        for _ in 0..<Int.random(in: 2...8, using: &generator) { world.start(isForced: Bool.random(using: &generator)) }
        while let next = world.processes.indices.filter({ world.canStep($0) }).randomElement(using: &generator) {
            world.step(next)
        }
        #expect(world.provider.requests == 1)
        #expect(world.provider.isAlive)
        #expect(world.store.refreshToken == world.provider.current)
        let version = RefreshTransactionTests.first.rotated
        let results = world.processes.map(\.result)
        #expect(results.filter { $0 == .refreshed(version) }.count == 1)
        #expect(results.allSatisfy { $0 == .refreshed(version) || $0 == .adopted(version) })
    }

    @Test(
        "keep the grant through rounds and deaths, unless an answer died with its process",
        arguments: 0..<300 as Range<UInt64>)
    func deaths(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var world = RefreshWorld()
        var wasAnswerLost = false
        for _ in 0..<4 {
            world.time = world.time.advanced(by: 10)
            world.store.accessToken = nil
            for _ in 0..<4 { world.start(isForced: Bool.random(using: &generator)) }
            while let next = world.processes.indices.filter({ world.canStep($0) }).randomElement(using: &generator) {
                let isDying = Int.random(in: 0..<12, using: &generator) == 0
                let sends = if case .sendRequest = world.processes[next].transaction.next { true } else { false }
                world.step(next, dying: isDying)
                if isDying && sends { wasAnswerLost = true }
            }
        }
        #expect(world.provider.isAlive == (world.store.state == .active))
        if !wasAnswerLost {
            #expect(world.provider.isAlive)
            #expect(world.store.refreshToken == world.provider.current)
        }
    }

    @Test("stay signed out whenever somebody signs out", arguments: 0..<200 as Range<UInt64>)
    func signOut(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var world = RefreshWorld()
        for _ in 0..<4 { world.start() }
        var steps = Int.random(in: 1...15, using: &generator)
        while let next = world.processes.indices.filter({ world.canStep($0) }).randomElement(using: &generator) {
            world.step(next)
            steps -= 1
            guard steps == 0 else { continue }
            // As the plan has it: revoke what is stored, mark, remove.
            if let token = world.store.refreshToken { world.provider.revoke(token) }
            world.store.state = .signedOut
            world.store.refreshToken = nil
            world.store.accessToken = nil
        }
        #expect(world.store.state == .signedOut)
        #expect(world.store.refreshToken == nil)
        #expect(world.store.accessToken == nil)
        #expect(!world.provider.isAlive)
    }
}
