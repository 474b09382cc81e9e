import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Testing

/// The cases that MSAL for Objective-C tests its silent request with, by their numbers.
@Suite("Silent acquisition, as MSAL for Objective-C tests it", .eachStorageInFullRun)
struct SilentObjectiveCCaseTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atMicrosoft()
    }

    @Test("6.5.1 no account is an error")
    func noAccount() async throws {
        #expect(await home.refusal(ada)?.code == .noSuchAccount)
    }

    @Test("6.5.2 a valid token is answered without the network")
    func valid() async throws {
        try home.grant("rt", ada)
        try home.access("at", ada)
        #expect(try await home.token(ada).text == "at")
        #expect(provider.requests.isEmpty)
    }

    @Test("6.5.3 so it is where only a family's refresh token is there")
    func validWithFamily() async throws {
        try home.grant("frt", ada, client: "other", family: "1")
        try home.access("at", ada)
        #expect(try await home.token(ada).text == "at")
        #expect(provider.requests.isEmpty)
    }

    @Test("6.5.4 here no ID token is needed for a stored access token: it is answered")
    func noIDToken() async throws {
        try home.access("at", ada)
        #expect(try await home.token(ada).text == "at")
        #expect(try home.opened().accounts.credentials(of: ada.id, in: .default).allSatisfy { $0.kind != .idToken })
    }

    @Test("6.5.5 without an access token the refresh token is redeemed")
    func noAccessToken() async throws {
        try home.grant("rt", ada)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        let answer = try await home.token(ada)
        #expect(answer.text == "new" && answer.found.origin == .provider)
        #expect(provider.tokenRequests[0].scopes == ["mail.read", "openid", "profile", "offline_access"])
        #expect(provider.tokenRequests[0].fields["client_info"] == "1")
        #expect(provider.tokenRequests[0].fields["grant_type"] == "refresh_token")
    }

    @Test("6.5.6 so it is where the access token has another scope, which is kept")
    func otherScope() async throws {
        try home.grant("rt", ada)
        try home.access("files", ada, scopes: ["files.read"])
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada).text == "new")
        #expect(try await home.token(ada, scopes: ["files.read"]).text == "files")
    }

    @Test("6.5.7 an expired token is replaced")
    func expired() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada)
        home.clock.advance(by: 3_500)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada).text == "new")
        #expect(try home.accessTokens(of: ada).count == 1)
    }

    @Test(
        "6.5.8 expired and invalid_grant is a sign-in with the suberror told; here the expired token stays, as does the refresh token"
    )
    func expiredAndRefused() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, expires: 5)
        provider.answer(.refused("invalid_grant", "my_suberror"), .refused("invalid_grant", "my_suberror"))
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .signInNeeded && error.message.contains("invalid_grant/my_suberror"))
        #expect(try home.accessTokens(of: ada).count == 1)
        guard case .needsSignIn(let reason) = try home.theGrant(of: ada).state else {
            Issue.record("the grant goes on")
            return
        }
        #expect(reason.contains("my_suberror"))
    }

    @Test("6.5.9 a protection policy that is required is told, and ends no grant")
    func protectionPolicy() async throws {
        try home.grant("rt", ada)
        provider.answer(.refused("unauthorized_client", "protection_policy_required"))
        let error = try #require(await home.refusal(ada))
        #expect(error.message.contains("protection_policy_required"))
        #expect(try home.theGrant(of: ada).state == .active)
    }

    @Test("6.5.10 bad_token removes the refresh token and the access tokens of the client")
    func badToken() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, expires: 5)
        provider.answer(.refused("invalid_grant", "bad_token"))
        #expect(await home.refusal(ada)?.code == .signInNeeded)
        #expect(try home.accessTokens(of: ada).isEmpty)
        #expect(try home.theGrant(of: ada).state.name == "needsSignIn")
        // There is nothing left to show to anybody.
        #expect(await home.refusal(ada)?.code == .signInNeeded)
        #expect(provider.tokenRequests.count == 1)
    }

    @Test("6.5.11 user_account_deleted removes the credentials of the client; the account stays, and needs a sign-in")
    func accountDeleted() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, expires: 5)
        try home.access("other", ada, client: "other")
        provider.answer(.refused("invalid_grant", "user_account_deleted"))
        #expect(await home.refusal(ada, client: "app")?.code == .signInNeeded)
        #expect(try home.accessTokens(of: ada).map(\.clientID) == ["other"])
        let grant = try home.theGrant(of: ada, client: "app")
        #expect(grant.state == .needsSignIn(reason: "the account was deleted at the provider"))
        #expect(await home.refusal(ada, client: "app")?.message.contains("deleted at the provider") == true)
        #expect(provider.tokenRequests.count == 1)
    }

    @Test("6.5.12 one that lives shorter than asked for is replaced")
    func tooShort() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, expires: 50)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        var request = TokenRequest(account: ada.username, scopes: ["mail.read"])
        request.minimumValidity = 50
        let answer = try await home.keyring.tokens.acquireSilently(for: request, network: provider.network)
        #expect(text(of: answer.secret) == "old")
        request.minimumValidity = 100
        let other = try await home.keyring.tokens.acquireSilently(for: request, network: provider.network)
        #expect(text(of: other.secret) == "new")
    }

    @Test("6.5.13 expired, and no refresh token: a sign-in, without the network")
    func nothingLeft() async throws {
        try home.access("old", ada, expires: 5)
        #expect(await home.refusal(ada)?.code == .signInNeeded)
        #expect(provider.requests.isEmpty)
    }

    @Test("6.5.14 a forced refresh replaces a valid token, and needs a refresh token")
    func forced() async throws {
        try home.access("old", ada)
        #expect(await home.refusal(ada, options: force)?.code == .signInNeeded)
        try home.grant("rt", ada)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada, options: force).text == "new")
        #expect(try await home.token(ada).text == "new")
    }

    @Test("6.5.15 here an answer about another account is refused, and nothing of it is stored")
    func otherAccount() async throws {
        try home.grant("rt", ada)
        let id = TestIDToken(
            issuer: "https://login.microsoftonline.com/\(SilentHome.tenant)/v2.0", tenant: SilentHome.tenant,
            object: "eve-oid", username: "eve@contoso.example")
        provider.answer(
            .tokens(
                "eve", refresh: "rt-eve", scope: "mail.read", id: id.text,
                clientInfo: clientInfo("eve-oid", SilentHome.tenant)))
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .providerFailed && error.message.contains("another account"))
        #expect(try home.accessTokens(of: ada).isEmpty && home.opened().accounts.list().count == 1)
        #expect(try await home.storedRefreshToken(of: ada) == "rt")
    }

    @Test("6.5.16 an answer without an access token is an error")
    func noTokenInAnswer() async throws {
        try home.grant("rt", ada)
        provider.answer(.json("{\"refresh_token\": \"rt2\", \"token_type\": \"Bearer\"}"))
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .providerFailed && error.message.contains("access_token"))
    }

    @Test(
        "6.5.17 here a transient error is not tried again: one attempt, and the next call may try",
        arguments: [
            .status(500), .status(502), .status(504), .failed(.outcomeUnknown), .failed(.unreachable(.refused)),
        ] as [ScriptedNetwork.Answer])
    func transient(answer: ScriptedNetwork.Answer) async throws {
        try home.grant("rt", ada)
        provider.answer(answer)
        #expect(await home.refusal(ada)?.code == .offline)
        #expect(provider.tokenRequests.count == 1)
        home.clock.advance(by: 1)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada).text == "new")
    }

    @Test("6.5.18 429 is an error that says how long to wait")
    func tooMany() async throws {
        try home.grant("rt", ada)
        provider.answer(.status(429, retryAfter: "17"))
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .throttled && error.advice == .wait(seconds: 17))
    }

    @Test("6.5.19 403 and 404 are no refusals of the grant", arguments: [403, 404])
    func unexpected(status: Int) async throws {
        try home.grant("rt", ada)
        provider.answer(.status(status))
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .providerFailed && error.message.contains("\(status)"))
        #expect(try home.theGrant(of: ada).elsewhere == Grant() && home.theGrant(of: ada).intent == nil)
    }

    @Test("6.5.20 the refresh token is not shown to a token endpoint of another cloud")
    func otherCloud() async throws {
        try home.grant("rt", ada)
        provider.answerOthers { request in
            guard request.url.contains("/.well-known/") else { return nil }
            return .json(
                ScriptedNetwork.microsoft(
                    "https://login.microsoftonline.com", tenant: SilentHome.tenant,
                    tokenHost: "https://login.partner.microsoftonline.cn"))
        }
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .signInNeeded && error.message.contains("cloud"))
        #expect(provider.tokenRequests.isEmpty)
    }

    @Test("6.5.21 a request with claims does not take what is stored, and sends them")
    func claims() async throws {
        try home.grant("rt", ada)
        try home.access("at", ada)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        let claims = "{\"access_token\":{\"nbf\":{\"essential\":true}}}"
        #expect(try await home.token(ada, options: SilentOptions(claims: claims)).text == "new")
        #expect(provider.tokenRequests[0].fields["claims"] == claims)
    }

    @Test(
        "6.5.22 expired, its extended lifetime valid, the provider down: it is used where that is allowed, and flagged",
        arguments: [true, false],
        [
            .status(500), .failed(.unreachable(.refused)), .failed(.outcomeUnknown),
        ] as [ScriptedNetwork.Answer])
    func extended(isAllowed: Bool, answer: ScriptedNetwork.Answer) async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, expires: 5, extended: 7_200)
        provider.answer(answer)
        let options = SilentOptions(allowsExtendedLifetime: isAllowed)
        guard isAllowed else {
            #expect(await home.refusal(ada, options: options)?.code == .offline)
            return
        }
        let found = try await home.token(ada, options: options)
        #expect(found.text == "old" && found.found.origin == .extended)
        #expect(home.keyring.takeWarnings().contains { $0.message.contains("extended lifetime") })
    }

    @Test("6.5.22 no extended lifetime after its end, nor after a refusal, nor where a new token is forced")
    func notExtended() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, expires: 5, extended: 100)
        let options = SilentOptions(allowsExtendedLifetime: true)
        provider.answer(.status(500))
        let forced = SilentOptions(forcesRefresh: true, allowsExtendedLifetime: true)
        #expect(await home.refusal(ada, options: forced)?.code == .offline)
        home.clock.advance(by: 101)
        provider.answer(.status(500))
        #expect(await home.refusal(ada, options: options)?.code == .offline)
        home.clock.advance(by: -50)
        provider.answer(.refused("invalid_grant"), .refused("invalid_grant"))
        #expect(await home.refusal(ada, options: options)?.code == .signInNeeded)
    }

    @Test("6.5.23 the own refresh token revoked, the family's good: a token through the family's")
    func throughFamily() async throws {
        try home.grant("rt", ada)
        try home.grant("frt", ada, client: "other", family: "1")
        provider.answer(
            .refused("invalid_grant"), .refused("invalid_grant"),
            .tokens("new", refresh: "rt2", scope: "mail.read", foci: "1"))
        #expect(try await home.token(ada, client: "app").text == "new")
        #expect(provider.tokenRequests.map(\.refreshToken) == ["rt", "rt", "frt"])
        #expect(provider.tokenRequests.allSatisfy { $0.fields["client_id"] == "app" })
        // The own grant lives again, with the token that came for this client.
        let own = try home.grants(of: ada, client: "app")
        #expect(own.count == 1 && own.first?.grant?.state == .active && own.first?.familyID == "1")
    }

    @Test("6.5.24 client_mismatch: a sign-in, and the family is not tried again")
    func mismatch() async throws {
        try home.grant("frt", ada, client: "other", family: "1")
        provider.answer(.refused("invalid_grant", "client_mismatch"))
        #expect(await home.refusal(ada, client: "app")?.code == .signInNeeded)
        #expect(await home.refusal(ada, client: "app", from: try home.opened())?.code == .signInNeeded)
        #expect(provider.tokenRequests.count == 1)
        #expect(try home.theGrant(of: ada, client: "other").state == .active)
    }

    @Test("6.5.25 both refused: a sign-in, after one attempt with each, and one to see that the own one is over")
    func bothRefused() async throws {
        try home.grant("rt", ada)
        try home.grant("frt", ada, client: "other", family: "1")
        provider.answer(.refused("invalid_grant"), .refused("invalid_grant"), .refused("invalid_grant"))
        #expect(await home.refusal(ada, client: "app")?.code == .signInNeeded)
        #expect(provider.tokenRequests.map(\.refreshToken) == ["rt", "rt", "frt"])
    }

    @Test("6.5.26 here the own refresh token always goes before the family's")
    func ownFirst() async throws {
        try home.grant("rt", ada, family: "1")
        try home.grant("frt", ada, client: "other", family: "1")
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read", foci: "1"))
        #expect(try await home.token(ada, client: "app").text == "new")
        #expect(provider.tokenRequests.map(\.refreshToken) == ["rt"])
    }

    @Test("6.5.27 fewer scopes: the error lists what was declined, and what was granted is stored and found later")
    func fewerScopes() async throws {
        try home.grant("rt", ada)
        provider.answer(.tokens("new at", refresh: "new rt", scope: "new.scope New.Scope1"))
        let error = try #require(await home.refusal(ada, scopes: ["new.SCOPE1", "new.sCope2"]))
        #expect(error.code == .scopesDeclined && error.message.contains("new.sCope2"))
        #expect(!error.message.contains("SCOPE1") && error.candidates == ["new.sCope2"])
        #expect(error.advice == .useGrantedScopes(["new.scope", "New.Scope1"]))
        #expect(try await home.token(ada, scopes: ["new.scope"]).text == "new at")
        #expect(provider.tokenRequests.count == 1)
        #expect(try await home.storedRefreshToken(of: ada) == "new rt")
    }

    @Test("6.5.28 refresh_on passed and the provider up: a new token")
    func agingAndUp() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, refresh: 100)
        home.clock.advance(by: 101)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada).text == "new")
    }

    @Test("6.5.29 refresh_on passed and the provider out of order: the old token")
    func agingAndDown() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, refresh: 100)
        home.clock.advance(by: 101)
        provider.answer(.status(500))
        #expect(try await home.token(ada).text == "old")
    }

    @Test("6.5.30 refresh_on not passed: the token, without the network")
    func notAging() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, refresh: 100)
        home.clock.advance(by: 100)
        #expect(try await home.token(ada).text == "old")
        #expect(provider.requests.isEmpty)
    }
}
