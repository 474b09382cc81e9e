import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Synchronization
import Testing

@Suite("One request for a token", .eachStorage)
struct TokenAcquisitionTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atMicrosoft()
    }

    /// What happens during `body`: when it is found out whose token is meant, and when the lock is taken and left.
    private func steps(_ body: () async throws -> Void) async throws -> [String] {
        let steps = Mutex<[String]>([])
        try await RefreshObservation.$willResolve.withValue({ steps.withLock { $0.append("resolve") } }) {
            try await RefreshObservation.$willTake.withValue({ step in
                switch step {
                case .acquireLock: steps.withLock { $0.append("lock") }
                case .releaseLock: steps.withLock { $0.append("unlock") }
                default: break
                }
            }) { try await body() }
        }
        return steps.withLock { $0 }
    }

    @Test("a miss finds out whose token it is once before the lock and once under it", arguments: [true, false])
    func missing(isAging: Bool) async throws {
        try home.grant("rt", ada)
        if isAging { try home.access("old", ada, refresh: -1) }
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        let steps = try await steps {
            let text = try await home.token(ada).text
            #expect(text == "new")
        }
        #expect(steps == ["resolve", "lock", "resolve", "unlock"])
    }

    @Test("so does one that takes what another has got meanwhile")
    func adopted() async throws {
        try home.grant("rt", ada)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        let other = try home.opened()
        let steps = try await steps {
            let willTake = RefreshObservation.willTake
            let answer = try await RefreshObservation.$willTake.withValue({ step in
                willTake(step)
                guard case .acquireLock = step else { return }
                try? home.access("theirs", ada)
            }) { try await home.token(ada, from: other) }
            #expect(answer.text == "theirs")
        }
        #expect(steps == ["resolve", "lock", "resolve", "unlock"])
        #expect(provider.tokenRequests.isEmpty)
    }

    @Test("a token that lives is given again without a request", arguments: TokenLife.all)
    func living(life: Int64?) async throws {
        try home.grant("rt", ada)
        provider.answer { _ in .tokens("new", refresh: "rt2", scope: "mail.read", expires: life) }
        for _ in 0..<3 {
            #expect(try await home.token(ada).text == "new")
            home.clock.advance(by: 1)
        }
        try demand("token lives: one of \(life ?? 0) s is got once") { () throws in
            #expect(provider.tokenRequests.count == 1)
        }
    }

    @Test(
        "a clock that is set by a day, in either direction, costs one request", arguments: TokenLife.all, ClockJump.all)
    func clockSet(life: Int64?, jump: Int64) async throws {
        try home.grant("rt", ada)
        provider.answer { request in
            .tokens("after-\(request.refreshToken ?? "")", refresh: "rt2", scope: "mail.read", expires: life)
        }
        #expect(try await home.token(ada).text == "after-rt")
        home.clock.advance(by: jump)
        for seconds: Int64 in [0, 1] {
            home.clock.advance(by: seconds)
            #expect(try await home.token(ada).text == "after-rt2")
        }
        try demand("token lives: one of \(life ?? 0) s is got once more after a clock is set by \(jump) s") {
            () throws in
            #expect(provider.tokenRequests.count == 2)
        }
        #expect(try home.theGrant(of: ada).state == .active)
        #expect(try home.opened().health.verify().problems == [])
    }

    @Test("a token without an end is given whatever a clock does forwards")
    func endless() async throws {
        try home.access("at", ada, expires: nil)
        home.clock.advance(by: 86_400)
        #expect(try await home.token(ada).text == "at")
        #expect(provider.tokenRequests.isEmpty)
    }

    @Test("a hit finds it out once, and opens no network", arguments: [3_600, nil] as [Int64?])
    func hit(life: Int64?) async throws {
        try home.grant("rt", ada)
        try home.access("at", ada, expires: life)
        let steps = try await steps {
            let request = TokenRequest(account: ada.username, scopes: ["mail.read"])
            let answer = try await home.keyring.tokens.acquire(
                TokenAcquisition(request) { () throws(KeyringError) in throw closed })
            #expect(text(of: answer.secret) == "at")
        }
        #expect(steps == ["resolve"])
    }

    @Test("the network stays closed where there is nothing to send")
    func nothingToSend() async throws {
        try home.access("old", ada, expires: 5)
        let request = TokenRequest(account: ada.username, scopes: ["mail.read"])
        let acquisition = TokenAcquisition(request) { () throws(KeyringError) in throw closed }
        let error = await #expect(throws: KeyringError.self) { _ = try await home.keyring.tokens.acquire(acquisition) }
        #expect(error?.code == .signInNeeded)
        try home.grant("rt", ada)
        let other = await #expect(throws: KeyringError.self) { _ = try await home.keyring.tokens.acquire(acquisition) }
        #expect(other?.message == closed.message)
    }

    @Test("without a network a token that should be replaced is taken, and nothing else")
    func offline() throws {
        try home.grant("rt", ada)
        try home.access("old", ada, refresh: -1)
        let request = TokenRequest(account: ada.username, scopes: ["mail.read"])
        let forced = TokenAcquisition(request, options: SilentOptions(forcesRefresh: true))
        guard case .found(let answer) = try home.keyring.tokens.lookUp(forced) else {
            Issue.record("there is no token")
            return
        }
        #expect(text(of: answer.secret) == "old" && answer.found.isAging)
    }

    @Test("an expired token for other scopes leaves no doubt about what an aging one is for")
    func scopes() async throws {
        try home.grant("rt", ada)
        try home.access("other", ada, scopes: ["files.read"], expires: 5)
        try home.access("old", ada, refresh: -1)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada, scopes: []).text == "new")
        #expect(provider.tokenRequests[0].fields["scope"]?.contains("mail.read") == true)
    }

    @Test("of several clients that are signed in, the one whose token is to be replaced gets the new one")
    func clients() async throws {
        try home.grant("rt-app", ada)
        try home.grant("rt-other", ada, client: "other")
        try home.access("old", ada, client: "other", refresh: -1)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada).text == "new")
        #expect(provider.tokenRequests.map(\.refreshToken) == ["rt-other"])
        #expect(await home.refusal(ada, options: SilentOptions(forcesRefresh: true))?.code == .ambiguous)
    }
}

/// Why the network does not open.
private let closed = KeyringError(.configuration, "the network is closed")
