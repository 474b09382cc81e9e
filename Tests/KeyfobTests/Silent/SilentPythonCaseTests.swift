import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Testing

/// The cases that MSAL for Python tests its silent acquisition with, in its order.
@Suite("Silent acquisition, as MSAL for Python tests it", .eachStorageInFullRun)
struct SilentPythonCaseTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atMicrosoft()
    }

    @Test("6.4.S1 a fresh token is answered without the network, for some of its scopes")
    func fresh() async throws {
        try home.grant("rt", ada)
        try home.access("at", ada, scopes: ["s1", "s2"], expires: 900, refresh: 450)
        let answer = try await home.token(ada, scopes: ["s1"])
        #expect(answer.text == "at" && answer.found.origin == .stored && !answer.found.isAging)
        #expect(answer.found.credential.refreshOn == noon.advanced(by: 450))
        #expect(provider.requests.isEmpty)
    }

    @Test("6.4.S2 an aging token is replaced while the provider is up")
    func agingAndUp() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, expires: 3_599, refresh: -1)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read", more: "\"refresh_in\": 123"))
        let answer = try await home.token(ada)
        #expect(answer.text == "new" && answer.found.origin == .provider)
        #expect(answer.found.credential.refreshOn == noon.advanced(by: 123))
        #expect(try await home.token(ada).found.origin == .stored)
    }

    @Test(
        "6.4.S3 an aging token is kept where its refresh fails, any way, with a warning",
        arguments: [
            .refused("foo"), .refused("invalid_grant"), .refused("invalid_client", status: 401), .status(500),
            .status(503), .status(429, retryAfter: "7"), .status(404), .failed(.unreachable(.refused)),
            .failed(.outcomeUnknown),
            .json("<html>portal</html>"), .json("{}"), .refused("invalid_scope"),
        ] as [ScriptedNetwork.Answer])
    func agingAndDown(answer: ScriptedNetwork.Answer) async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, expires: 3_599, refresh: -1)
        // A refusal that nobody knows is followed by a request for what the grant is known to give.
        provider.answer(answer, answer)
        let found = try await home.token(ada)
        #expect(found.text == "old" && found.found.origin == .stored && found.found.isAging)
        let warnings = home.keyring.takeWarnings()
        #expect(warnings.count == 1 && warnings[0].message.contains("should be replaced and could not be"))
    }

    @Test(
        "6.4.S3 it is kept where the discovery document cannot be had or read",
        arguments: [
            .failed(.unreachable(.refused)), .status(503), .status(404), .json("<html>portal</html>"), .json("{}"),
        ]
            as [ScriptedNetwork.Answer])
    func agingAndUndiscovered(answer: ScriptedNetwork.Answer) async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, expires: 3_599, refresh: -1)
        provider.answerOthers { _ in answer }
        #expect(try await home.token(ada).text == "old")
        #expect(home.keyring.takeWarnings().count == 1)
    }

    @Test("6.4.S4 an expired token and a refusal are an error")
    func expiredAndDown() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, expires: 5)
        provider.answer(.refused("something_went_wrong"))
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .providerFailed && error.message.contains("something_went_wrong"))
    }

    @Test("6.4.S5 an expired token is replaced")
    func expiredAndUp() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, expires: 5)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada).text == "new")
        #expect(provider.tokenRequests.map(\.refreshToken) == ["rt"])
    }

    @Test("6.4.S6 without any token a sign-in is needed, and nobody is asked")
    func empty() async throws {
        try home.access("other", ada, scopes: ["files.read"])
        #expect(await home.refusal(ada)?.code == .signInNeeded)
        #expect(await home.refusal(try SilentHome.microsoftAccount("bob"))?.code == .noSuchAccount)
        #expect(provider.requests.isEmpty)
    }

    @Test("6.4.S7 invalid_grant is an error that repeats what the provider said")
    func invalidGrant() async throws {
        try home.grant("rt", ada)
        provider.answer(.refused("invalid_grant"), .refused("invalid_grant"))
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .signInNeeded)
        #expect(error.message.contains("invalid_grant") && error.message.contains("told so"))
    }

    @Test(
        "6.4.S8 the suberror is told, and a request that only lacks something ends no grant",
        arguments: [
            "basic_action", "consent_required", "additional_action", "message_only", "user_password_expired",
        ])
    func suberror(name: String) async throws {
        try home.grant("rt", ada)
        provider.answer(.refused("invalid_grant", name))
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .signInNeeded && error.message.contains(name))
        #expect(try home.theGrant(of: ada).state == .active)
    }

    @Test("6.4.F1 an unknown client tries the family's token of another; its refusal does not remove that")
    func unknownOrphan() async throws {
        try home.grant("frt", ada, client: "other", family: "1")
        provider.answer(.refused("invalid_grant"))
        #expect(await home.refusal(ada, client: "app")?.code == .signInNeeded)
        #expect(provider.tokenRequests.map(\.refreshToken) == ["frt"])
        #expect(provider.tokenRequests[0].fields["client_id"] == "app")
        #expect(try home.theGrant(of: ada, client: "other").state == .active)
        provider.answer(.tokens("at", refresh: "frt2", scope: "mail.read", foci: "1"))
        #expect(try await home.token(ada, client: "other").text == "at")
        #expect(provider.tokenRequests.last?.refreshToken == "frt")
    }

    @Test("6.4.F2 a client that is known to be in no family uses its own token alone")
    func knownOrphan() async throws {
        try home.grant("rt", ada)
        try home.grant("frt", ada, client: "other", family: "1")
        provider.answer(.tokens("at", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada, client: "app").text == "at")
        provider.answer(.refused("invalid_grant"))
        #expect(await home.refusal(ada, client: "app", options: force)?.code == .signInNeeded)
        #expect(provider.tokenRequests.map(\.refreshToken) == ["rt", "rt2"])
    }

    @Test("6.4.F3 a client that turns out to be in the family is one from then on")
    func unknownMember() async throws {
        try home.grant("rt", ada)
        provider.answer(.tokens("at", refresh: "rt2", scope: "mail.read", foci: "1"))
        #expect(try await home.token(ada, client: "app").text == "at")
        #expect(try home.grants(of: ada).map(\.familyID) == ["1"])
        // So another client, of which nothing is known, may use its token.
        provider.answer(.tokens("at2", refresh: "rt3", scope: "mail.read", foci: "1"))
        #expect(try await home.token(ada, client: "newcomer").text == "at2")
        #expect(provider.tokenRequests.last?.refreshToken == "rt2")
    }

    @Test("6.4.F4 the refusal of a known member is told as it is")
    func knownMember() async throws {
        try home.grant("frt", ada, family: "1")
        provider.answer(.refused("invalid_grant", "xyz"), .refused("invalid_grant", "xyz"))
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .signInNeeded && error.message.contains("invalid_grant/xyz"))
    }

    @Test("6.4.F5 forgetting the account of a family removes everything of all its clients")
    func forgetting() async throws {
        try home.grant("frt", ada, family: "1")
        try home.access("at", ada)
        try home.access("at2", ada, client: "other")
        _ = try await home.keyring.accounts.signOut(
            ada.id, clientID: "app", reach: .forget, from: .default, undo: .none, network: provider.network)
        #expect(try home.opened().accounts.list().isEmpty)
        #expect(try home.accessTokens(of: ada).isEmpty)
    }

    @Test("6.4.A1 what is stored under an alias of Microsoft's host is found, and refreshed at the host's own name")
    func alias() async throws {
        let id = try #require(AccountID(homeAccountID: ada.id.homeAccountID, environment: "sts.windows.net"))
        let same = Account(id: id, username: ada.username)
        try home.grant("rt", same)
        try home.access("at", same, realm: SilentHome.tenant, expires: 1_000)
        #expect(try await home.token(ada).text == "at")
        home.clock.advance(by: 900)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada).text == "new")
        #expect(
            provider.tokenRequests.map(\.url) == [
                "https://login.microsoftonline.com/\(SilentHome.tenant)/oauth2/v2.0/token"
            ])
        #expect(try home.accessTokens(of: ada).count == 1)
    }

    @Test("6.4.G1 a user of two tenants is one account with one refresh token")
    func guest() async throws {
        try home.grant("rt", ada)
        provider.answer(
            .tokens("home", refresh: "rt2", scope: "mail.read"), .tokens("guest", refresh: "rt3", scope: "mail.read"))
        #expect(try await home.token(ada).text == "home")
        #expect(try await home.token(ada, realm: SilentHome.guest).text == "guest")
        #expect(try home.opened().accounts.list().map(\.account.username) == ["ada@contoso.example"])
        #expect(try home.grants(of: ada).count == 1 && home.accessTokens(of: ada).count == 2)
        #expect(try await home.token(ada).text == "home")
    }

    @Test("6.4.R1 a sign-out removes the tokens of that client alone")
    func oneClient() async throws {
        try home.grant("rt", ada)
        try home.grant("rt-other", ada, client: "other")
        try home.access("at", ada)
        try home.access("at-other", ada, client: "other")
        _ = try await home.keyring.accounts.signOut(
            ada.id, clientID: "app", from: .default, undo: .none, network: provider.network)
        #expect(try home.accessTokens(of: ada).map(\.clientID) == ["other"])
        #expect(try home.theGrant(of: ada, client: "app").state == .signedOut)
        #expect(try home.theGrant(of: ada, client: "other").state == .active)
    }
}
