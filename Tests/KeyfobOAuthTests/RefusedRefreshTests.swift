import KeyfobModel
import KeyfobOAuth
import Testing

/// Refusals that end no grant, and how it is found out whether one does.
@Suite("Refused refreshes") struct RefusedRefreshTests {
    static let unknown = ProviderFailure(Refusal(status: 400, error: "invalid_grant", codes: [99_999]))
    static let factor = ProviderFailure(Refusal(status: 400, error: "invalid_grant", codes: [50_076]))
    static let revoked = ProviderFailure(Refusal(status: 400, error: "invalid_grant", codes: [50_173]))

    /// Processes that ask Entra for a mail token, which their grant has not served yet.
    static func world(_ outage: ProviderFailure, probe: ProviderFailure?? = .none) -> RefreshWorld {
        var world = RefreshWorld()
        world.asked.provider = .entra
        world.asked.scopes = ["mail.read"]
        world.provider.outage = outage
        world.provider.outageOfProbe = probe
        return world
    }

    private func refusal(_ result: RefreshResult?) -> JudgedRefusal? {
        if case .refused(_, let refusal) = result { refusal } else { nil }
    }

    @Test("thirty that are refused for a known reason send one request, and all are told the same")
    func knownCode() {
        var world = Self.world(Self.factor)
        for _ in 0..<30 { world.start() }
        let results = (0..<30).map { world.finish($0) }
        #expect(world.provider.requests == 1 && Set(results.map { refusal($0) }).count == 1)
        #expect(refusal(results[0])?.ruling == RefusalRuling(.request, .secondFactor))
        #expect(world.store.state == .active && world.store.intent == nil)
    }

    @Test("thirty that are refused for no known reason send two; the grant lasts while its last good request is served")
    func unknownCode() {
        var world = Self.world(Self.unknown, probe: .some(nil))
        for _ in 0..<30 { world.start() }
        let results = (0..<30).map { world.finish($0) }
        #expect(world.provider.requests == 2 && world.provider.probes == 1)
        #expect(results.allSatisfy { refusal($0)?.failure == Self.unknown && refusal($0)?.ruling.reach == .request })
        #expect(world.store.state == .active && world.store.intent == nil)
        // Its refresh token took the place of the one used.
        #expect(world.store.refreshToken == world.provider.current && world.store.version.generation == 2)
        #expect(world.store.accessToken == nil)
    }

    @Test("the refusal of the last good request ends the grant", arguments: [unknown, revoked])
    func dead(probe: ProviderFailure) {
        var world = Self.world(Self.unknown, probe: .some(probe))
        world.start()
        world.start()
        #expect(refusal(world.finish(0)) == JudgedRefusal(probe, .grantEnds))
        guard case .needsSignIn(let reason) = world.store.state else {
            Issue.record("the grant lasts")
            return
        }
        #expect(world.finish(1) == .ended(.needsSignIn(reason: reason)) && world.provider.requests == 2)
    }

    @Test(
        "what says nothing of the grant leaves it, whatever becomes of its last good request",
        arguments: [
            factor, .serverDown(status: 500, retryAt: nil), .unreachable(.refused), .outcomeUnknown,
            .throttled(until: now.advanced(by: 60)), .refusedWithoutReason(Refusal(status: 400)),
        ] as [ProviderFailure])
    func undecided(probe: ProviderFailure) {
        var world = Self.world(Self.unknown, probe: .some(probe))
        #expect(refusal(world.run())?.ruling.reach == .request)
        #expect(world.store.state == .active && world.provider.requests == 2)
        // Whose answer was lost may have been replaced.
        #expect((world.store.intent != nil) == probe.mayHaveBeenProcessed)
    }

    @Test("the last good request itself is not asked twice", arguments: [nil, ["mail.read", "openid"]] as [ScopeSet?])
    func lastGood(served: ScopeSet?) {
        var world = Self.world(Self.unknown)
        world.store.served = served
        if served == nil { world.asked.scopes = [] }
        #expect(refusal(world.run()) == JudgedRefusal(Self.unknown, .grantEnds))
        #expect(world.provider.requests == 1)
    }

    @Test("a request with claims, and one to another tenant, is none that was served", arguments: [true, false])
    func never(hasClaims: Bool) {
        var world = Self.world(Self.unknown, probe: .some(nil))
        world.store.served = ["mail.read"]
        (world.asked.hasClaims, world.asked.isHome) = (hasClaims, hasClaims)
        #expect(refusal(world.run())?.ruling.reach == .request && world.provider.probes == 1)
    }

    @Test("who comes in the next minutes is told what was remembered; who forces it, or comes later, asks again")
    func pause() {
        var world = Self.world(Self.factor)
        _ = world.run()
        world.time = now.advanced(by: RefusalVerdict.pause - 1)
        #expect(refusal(world.run())?.failure == Self.factor && world.provider.requests == 1)
        #expect(refusal(world.run(isForced: true))?.failure == Self.factor && world.provider.requests == 2)
        world.time = world.time.advanced(by: RefusalVerdict.pause)
        world.provider.outage = nil
        #expect(world.run() == .refreshed(GrantVersion(epoch: 1, generation: 2)) && world.store.refusal == nil)
    }

    @Test("a verdict from the future keeps nobody from asking")
    func setBack() {
        var world = Self.world(Self.factor)
        world.time = now.advanced(by: 86_400)
        _ = world.run()
        world.time = now
        _ = world.run()
        #expect(world.provider.requests == 2)
    }

    @Test("a probe whose tokens cannot be stored gives nobody its access token", arguments: [true, false])
    func unsaved(rotates: Bool) {
        var world = Self.world(Self.unknown, probe: .some(nil))
        world.provider.rotates = rotates
        world.store.failingCommits = 3
        let result = world.run()
        if rotates {
            #expect(result == .notDurable)
        } else {
            #expect(refusal(result)?.failure == Self.unknown)
        }
    }

    @Test("a process that dies at any step of a probe leaves a grant that the next one uses", arguments: 0..<7)
    func dying(steps: Int) {
        for afterEffect in [false, true] {
            var world = Self.world(Self.unknown, probe: .some(nil))
            world.provider.rotates = false
            world.start()
            for _ in 0..<steps { world.step(0) }
            if afterEffect { world.step(0, dying: true) } else { world.kill(0) }
            world.provider.outage = nil
            world.time = now.advanced(by: RefusalVerdict.pause)
            #expect(world.run() == .refreshed(GrantVersion(epoch: 1, generation: 1)))
            #expect(world.store.intent == nil && world.store.state == .active)
        }
    }
}
