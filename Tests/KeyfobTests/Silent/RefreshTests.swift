import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Synchronization
import Testing

@Suite("Refreshing", .eachStorageInFullRun)
struct RefreshTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atPlainProvider()
    }

    @Test(
        "the new refresh token is stored before the access token goes out, and not before it came",
        arguments: TokenLife.all + [-5, 0, 1, 1_000_000_000_000])
    func rotation(life: Int64?) async throws {
        try home.grant("rt1", ada)
        let states = Mutex<[Grant]>([])
        provider.answer { [home, ada] request in
            let grant = try home.theGrant(of: ada)
            states.withLock { $0.append(grant) }
            return .tokens("at-\(request.refreshToken ?? "")", refresh: "rt2", scope: "mail.read", expires: life)
        }
        #expect(try await home.token(ada).text == "at-rt1")
        let during = try #require(states.withLock { $0.first })
        #expect(during.version == GrantVersion(epoch: 1, generation: 1))
        #expect(during.intent?.version == during.version)
        let after = try home.theGrant(of: ada)
        #expect(after == Grant(generation: 2, rotates: true))
        #expect(try await home.storedRefreshToken(of: ada) == "rt2")
        #expect(try home.opened().health.verify().problems == [])
    }

    @Test("a plain provider is sent no scope")
    func noScope() async throws {
        try home.grant("rt", ada, scopes: ["mail.read", "files.read"])
        provider.answer(.tokens("at", expires: 600))
        #expect(try await home.token(ada).text == "at")
        #expect(
            provider.tokenRequests[0].fields == [
                "client_id": "app", "grant_type": "refresh_token", "refresh_token": "rt",
            ])
        // An answer that names no scopes gave those of the grant.
        #expect(try await home.token(ada, scopes: ["files.read"]).text == "at")
        #expect(provider.tokenRequests.count == 1)
    }

    @Test("scopes outside the grant need a consent, and nobody is asked")
    func outsideTheGrant() async throws {
        try home.grant("rt", ada, scopes: ["mail.read"])
        let error = try #require(await home.refusal(ada, scopes: ["mail.read", "mail.send"]))
        #expect(error.code == .signInNeeded && error.message.contains("mail.send"))
        let continuation = try #require(error.continuation)
        #expect(error.advice == .signIn(continuation) && continuation.action == .consent)
        #expect(continuation.scopes == ["mail.read", "mail.send"] && continuation.clientID == "app")
        #expect(continuation.account == ada.id.description && continuation.tenant == nil)
        #expect(provider.requests.isEmpty)
    }

    @Test("without a new refresh token the old one stays; narrower scopes are an error, and are stored")
    func narrowed() async throws {
        try home.grant("rt", ada, scopes: ["mail.read", "mail.send"])
        provider.answer(.tokens("at", scope: "mail.read"))
        let error = try #require(await home.refusal(ada, scopes: ["mail.read", "mail.send"]))
        #expect(error.code == .scopesDeclined && error.candidates == ["mail.send"])
        #expect(error.message.contains("mail.send") && error.advice == .useGrantedScopes(["mail.read"]))
        #expect(try await home.token(ada, scopes: ["mail.read"]).text == "at")
        #expect(try home.accessTokens(of: ada).map(\.scopes) == [["mail.read"]])
        #expect(try home.theGrant(of: ada) == Grant())
        #expect(try await home.storedRefreshToken(of: ada) == "rt")
        #expect(provider.tokenRequests.count == 1)
    }

    @Test("429 with Retry-After is remembered for all processes until its end", arguments: ["120", nil])
    func throttled(retryAfter: String?) async throws {
        try home.grant("rt", ada)
        provider.answer(.status(429, retryAfter: retryAfter))
        #expect(await home.refusal(ada)?.code == .throttled)
        let wait: Int64 = retryAfter == nil ? 60 : 120
        home.clock.advance(by: wait - 1)
        let other = try home.opened()
        let error = try #require(await home.refusal(ada, from: other))
        #expect(error.code == .throttled && error.advice == .wait(seconds: 1))
        #expect(provider.tokenRequests.count == 1)
        home.clock.advance(by: 1)
        provider.answer(.tokens("at", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada, from: other).text == "at")
        #expect(try home.theGrant(of: ada).failure == nil)
    }

    @Test("that a sign-in is needed is remembered with the reason, and shown")
    func needsSignIn() async throws {
        try home.grant("rt", ada)
        provider.answer(.refused("invalid_grant"))
        #expect(await home.refusal(ada)?.code == .signInNeeded)
        let other = try home.opened()
        let error = try #require(await home.refusal(ada, from: other))
        #expect(error.code == .signInNeeded && error.message.contains("told so"))
        #expect(provider.tokenRequests.count == 1)
        guard case .needsSignIn(let reason) = try #require(other.accounts.list().first).state else {
            Issue.record("it is not shown")
            return
        }
        #expect(reason.contains("invalid_grant"))
    }

    @Test("an unreachable provider changes nothing")
    func unreachable() async throws {
        try home.grant("rt", ada)
        provider.answer(.failed(.unreachable(.refused)))
        #expect(await home.refusal(ada)?.code == .offline)
        #expect(try home.theGrant(of: ada).elsewhere == Grant() && home.theGrant(of: ada).intent == nil)
        provider.answerOthers { _ in .failed(.unreachable(.refused)) }
        #expect(await home.refusal(ada)?.code == .offline)
        #expect(try home.theGrant(of: ada).elsewhere == Grant() && home.theGrant(of: ada).intent == nil)
    }

    @Test(
        "where nobody knows what became of the request a note stays, and the next call tries once",
        arguments: [.failed(.outcomeUnknown), .status(500), .status(502), .status(204)] as [ScriptedNetwork.Answer])
    func outcomeUnknown(answer: ScriptedNetwork.Answer) async throws {
        try home.grant("rt", ada)
        provider.answer(answer)
        #expect(await home.refusal(ada) != nil)
        let intent = try #require(home.theGrant(of: ada).intent)
        #expect(intent.version == GrantVersion(epoch: 1, generation: 1))
        home.clock.advance(by: 1)
        provider.answer(.tokens("at", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada).text == "at")
        #expect(try home.theGrant(of: ada) == Grant(generation: 2, rotates: true))
        #expect(provider.tokenRequests.map(\.refreshToken) == ["rt", "rt"])
    }

    @Test("a refusal without a word is remembered and shown; the token stays, and is tried again later")
    func refusedWithoutReason() async throws {
        try home.grant("rt", ada)
        provider.answer(.status(400))
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .signInNeeded && error.message.contains("refused, reason unknown (status 400)"))
        let other = try home.opened()
        #expect(await home.refusal(ada, from: other) == error)
        #expect(provider.tokenRequests.count == 1)
        guard case .needsSignIn(let reason) = try #require(other.accounts.list().first).state else {
            Issue.record("it is not shown")
            return
        }
        #expect(reason.hasPrefix("refused, reason unknown"))
        #expect(try await home.storedRefreshToken(of: ada) == "rt")
        home.clock.advance(by: 600)
        provider.answer(.tokens("at", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada).text == "at")
        #expect(try home.opened().accounts.list().first?.state == .signedIn)
    }

    @Test("who was turned away without a word can ask at once by forcing it")
    func forcedAfterRefusal() async throws {
        try home.grant("rt", ada)
        provider.answer(.status(401))
        #expect(await home.refusal(ada)?.code == .signInNeeded)
        home.clock.advance(by: 1)
        provider.answer(.tokens("at", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada, options: force).text == "at")
    }

    @Test("after a lost answer a refusal without a word ends the grant, and says why")
    func interruptedWithoutReason() async throws {
        try home.grant("rt", ada)
        provider.answer(.failed(.outcomeUnknown), .status(503), .status(400))
        for code in [KeyringError.Code.offline, .offline, .signInNeeded] {
            #expect(await home.refusal(ada)?.code == code)
            home.clock.advance(by: 1)
        }
        let error = try #require(await home.refusal(ada))
        #expect(error.message.contains("a refresh was cut off") && provider.tokenRequests.count == 3)
    }

    @Test("a new refresh token is kept, whatever else is wrong with the answer")
    func keptRefreshToken() async throws {
        try home.grant("rt", ada)
        provider.answer(.json(#"{"token_type": "Bearer", "refresh_token": "rt2"}"#))
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .providerFailed && error.message.contains("lacks access_token"))
        #expect(try await home.storedRefreshToken(of: ada) == "rt2")
        home.clock.advance(by: 1)
        provider.answer(.tokens("at", refresh: "rt3", scope: "mail.read"))
        #expect(try await home.token(ada).text == "at")
        #expect(provider.tokenRequests.map(\.refreshToken) == ["rt", "rt2"])
    }

    @Test("a caller that is cancelled loses no refresh token")
    func cancelled() async throws {
        try home.grant("rt", ada)
        provider.answer { _ in
            // As a connection does that is given up.
            do {
                try await Task.sleep(for: .milliseconds(200))
            } catch {
                return .failed(.outcomeUnknown)
            }
            return .tokens("at", refresh: "rt2", scope: "mail.read")
        }
        let task = Task { [home, ada] in try await home.token(ada).text }
        try await eventually { !provider.tokenRequests.isEmpty }
        task.cancel()
        _ = await task.result
        #expect(try await home.storedRefreshToken(of: ada) == "rt2")
    }

    @Test("those who asked while the answer was lost do not ask again")
    func shared() async throws {
        try home.grant("rt", ada)
        let trying = Mutex(0)
        provider.answer { _ in
            try await eventually { trying.withLock { $0 } == 8 }
            try await Task.sleep(for: .milliseconds(100))
            return .failed(.outcomeUnknown)
        }
        let codes = await RefreshObservation.$willTake.withValue({ step in
            if step == .acquireLock { trying.withLock { $0 += 1 } }
        }) {
            await withTaskGroup(of: KeyringError.Code?.self) { group in
                for _ in 0..<8 { group.addTask { [home, ada] in await home.refusal(ada)?.code } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(codes == Array(repeating: .offline, count: 8))
        #expect(provider.tokenRequests.count == 1)
    }

    @Test("who comes after a lost answer, though in the same second, asks anew")
    func sameSecond() async throws {
        try home.grant("rt", ada)
        provider.answer(.failed(.outcomeUnknown), .tokens("at", refresh: "rt2", scope: "mail.read"))
        #expect(await home.refusal(ada)?.code == .offline)
        #expect(try await home.token(ada).text == "at")
        #expect(provider.tokenRequests.count == 2)
    }

    @Test(
        "a note from before a clock was set, or from after, keeps nobody from trying",
        arguments: [.failed(.outcomeUnknown), .status(503), .status(429, retryAfter: "120"), .status(400)]
            as [ScriptedNetwork.Answer], ClockJump.all)
    func clockSet(answer: ScriptedNetwork.Answer, jump: Int64) async throws {
        try home.grant("rt", ada)
        provider.answer(answer, .tokens("at", refresh: "rt2", scope: "mail.read"))
        #expect(await home.refusal(ada) != nil)
        home.clock.advance(by: jump)
        #expect(try await home.token(ada).text == "at")
    }

    @Test(
        "an interrupted rotation that the provider refuses says so",
        arguments: [.failed(.outcomeUnknown), .status(500)]
            as [ScriptedNetwork.Answer])
    func interrupted(answer: ScriptedNetwork.Answer) async throws {
        try home.grant("rt", ada)
        provider.answer(answer, .refused("invalid_grant"))
        #expect(await home.refusal(ada)?.code == .offline)
        home.clock.advance(by: 1)
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .signInNeeded && error.message.contains("a refresh was cut off"))
        guard case .needsSignIn(let reason) = try home.theGrant(of: ada).state else {
            Issue.record("the grant goes on")
            return
        }
        #expect(reason.hasPrefix("a refresh was cut off"))
        #expect(await home.refusal(ada)?.message.contains("a refresh was cut off") == true)
    }

    @Test("nothing was interrupted where the provider never rotates, or takes a replaced token")
    func notInterrupted() async throws {
        let microsoft = try SilentHome.microsoftAccount("bob")
        for account in [ada, microsoft] {
            try home.grant("rt", account, rotates: account == ada ? false : nil)
            provider.answer(.failed(.outcomeUnknown), .refused("invalid_grant"))
            // Microsoft is asked once more, for what its refusal is worth.
            if account == microsoft { provider.answer(.refused("invalid_grant")) }
            #expect(await home.refusal(account)?.code == .offline)
            home.clock.advance(by: 1)
            #expect(await home.refusal(account)?.message.contains("interrupted") == false)
        }
    }

    @Test(
        "after an interrupted rotation an aging token is used up before anything is risked, unless a new one is forced")
    func keptOld() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, refresh: -1)
        provider.answer(.failed(.outcomeUnknown))
        #expect(try await home.token(ada).text == "old")
        home.clock.advance(by: 1)
        #expect(try await home.token(ada).text == "old")
        #expect(provider.tokenRequests.count == 1)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada, options: force).text == "new")
    }

    @Test("the discovery document is asked for once a day, for all processes")
    func discovery() async throws {
        try home.grant("rt", ada)
        provider.answer { request in .tokens("at", refresh: (request.refreshToken ?? "") + "+", scope: "mail.read") }
        for _ in 0..<3 { _ = try await home.token(ada, options: force, from: home.opened()) }
        #expect(provider.discoveries.map(\.url) == ["https://id.example/.well-known/openid-configuration"])
        home.clock.advance(by: 86_399)
        _ = try await home.token(ada, options: force)
        #expect(provider.discoveries.count == 1)
        home.clock.advance(by: 1)
        _ = try await home.token(ada, options: force)
        #expect(provider.discoveries.count == 2)
    }

    @Test("a provider that names no token endpoint is an error, not a loop")
    func noTokenEndpoint() async throws {
        try home.grant("rt", ada)
        provider.answerOthers { request in
            request.url.contains("/.well-known/")
                ? .json("{\"issuer\": \"https://id.example\", \"jwks_uri\": \"https://id.example/keys\"}") : nil
        }
        #expect(await home.refusal(ada)?.code == .providerFailed)
    }

    @Test("a refresh that has nothing to send ends, and takes its note back")
    func nothingToSend() {
        let version = GrantVersion(epoch: 1, generation: 1)
        var transaction = RefreshTransaction(
            RefreshTransaction.Request(
                token: TokenIdentity(source: .own, version: version), startedAt: noon, intentID: "note"))
        let events = [
            RefreshEvent.lockAcquired, .grant(GrantSnapshot(state: .active, version: version)), .done, .storeFailed,
        ]
        for event in events { transaction.receive(event, now: noon) }
        #expect(transaction.next == .endIntent("note", nil, mayBeUsedUp: false))
        for _ in 0..<2 { transaction.receive(.done, now: noon) }
        #expect(transaction.next == .finished(.storeFailed))
    }

    @Test("an account that nobody's provider serves is an error that says so")
    func noProvider() async throws {
        let id = try #require(AccountID(homeAccountID: "x", environment: "elsewhere.example"))
        let account = Account(id: id, username: "x@elsewhere.example")
        try home.grant("rt", account)
        #expect(await home.refusal(account)?.code == .noSuchProvider)
    }

    @Test("a subject with a dot in it is no tenant: one token is stored, and found again")
    func dottedSubject() async throws {
        let account = try SilentHome.plainAccount("auth0|ada.lovelace")
        try home.grant("rt", account)
        try home.access("old", account, expires: 5)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(account).text == "new")
        #expect(try await home.token(account).text == "new")
        #expect(try home.accessTokens(of: account).map(\.realm) == [""])
    }

    @Test("a client's secret goes along as the client says who it is")
    func clientSecret() async throws {
        try home.keyring.clients.add(
            ClientRegistration(id: "web", authentication: .basic), secret: secret("s3cret"), at: "plain")
        try home.grant("rt", ada, client: "web")
        provider.answer(.tokens("at", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada).text == "at")
        #expect(provider.tokenRequests[0].authorization == "Basic " + Data("web:s3cret".utf8).base64EncodedString())
        #expect(provider.tokenRequests[0].fields["client_id"] == nil)
    }
}
