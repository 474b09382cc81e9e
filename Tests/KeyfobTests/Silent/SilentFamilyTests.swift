import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Testing

@Suite("Families of clients, as MSAL.NET tests them", .eachStorageInFullRun)
struct SilentFamilyTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atMicrosoft()
    }

    @Test("6.9 one client signs in, another joins silently; here each keeps the refresh token it was given")
    func joining() async throws {
        try home.grant("frt", ada, client: "a", family: "1")
        provider.answer(.tokens("at", refresh: "rt-b", scope: "mail.read", foci: "1"))
        #expect(try await home.token(ada, client: "b").text == "at")
        #expect(try Set(home.grants(of: ada).map(\.clientID)) == ["a", "b"])
        #expect(try home.grants(of: ada).allSatisfy { $0.familyID == "1" })
        provider.answer(
            .tokens("a2", refresh: "rt-a2", scope: "mail.read", foci: "1"),
            .tokens("b2", refresh: "rt-b2", scope: "mail.read", foci: "1"))
        _ = try await home.token(ada, client: "a", options: force)
        _ = try await home.token(ada, client: "b", options: force)
        #expect(provider.tokenRequests.map(\.refreshToken) == ["frt", "frt", "rt-b"])
    }

    @Test("6.9 one that is in no family needs a sign-in of its own, and then uses that")
    func outsider() async throws {
        try home.grant("frt", ada, client: "a", family: "1")
        provider.answer(.refused("invalid_grant", "client_mismatch"))
        #expect(await home.refusal(ada, client: "b")?.code == .signInNeeded)
        try home.grant("rt-b", ada, client: "b")
        provider.answer(.tokens("at", refresh: "rt-b2", scope: "mail.read"))
        #expect(try await home.token(ada, client: "b").text == "at")
        #expect(provider.tokenRequests.map(\.refreshToken) == ["frt", "rt-b"])
    }

    @Test("6.9 a family's token that is refused is told, and a new sign-in of its owner serves both again")
    func healing() async throws {
        try home.grant("frt", ada, client: "a", family: "1")
        provider.answer(.refused("invalid_grant"), .refused("invalid_grant"), .refused("invalid_grant"))
        #expect(await home.refusal(ada, client: "b")?.message.contains("invalid_grant") == true)
        #expect(await home.refusal(ada, client: "a")?.code == .signInNeeded)
        try home.grant("frt2", ada, client: "a", family: "1")
        provider.answer(
            .tokens("a", refresh: "frt3", scope: "mail.read", foci: "1"),
            .tokens("b", refresh: "rt-b", scope: "mail.read", foci: "1"))
        #expect(try await home.token(ada, client: "a").text == "a")
        #expect(try await home.token(ada, client: "b").text == "b")
        #expect(provider.tokenRequests.map(\.refreshToken) == ["frt", "frt", "frt", "frt2", "frt3"])
    }

    @Test("6.9 one that has left the family is out of it with its next answer")
    func leaving() async throws {
        try home.grant("rt", ada, family: "1")
        provider.answer(.tokens("at", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada).text == "at")
        #expect(try home.grants(of: ada).map(\.familyID) == [nil])
        #expect(await home.refusal(ada, client: "b")?.code == .signInNeeded)
        #expect(provider.tokenRequests.count == 1)
    }

    @Test("a client with no refresh token of its own stays signed out, whatever its family has")
    func signedOutMember() async throws {
        try home.grant("frt", ada, client: "a", family: "1")
        try home.access("at", ada, client: "b")
        let report = try await home.keyring.accounts.signOut(
            ada.id, clientID: "b", from: .default, undo: .none, network: provider.network)
        #expect(report.clients == ["b"] && report.revoked == 0)
        let error = try #require(await home.refusal(ada, client: "b"))
        #expect(error.code == .signInNeeded && error.message.contains("signed out"))
        #expect(provider.tokenRequests.isEmpty)
    }

    @Test("a sign-out during a refresh with the family's token stays: what came is not stored")
    func signOutDuringFamilyRefresh() async throws {
        try home.grant("frt", ada, client: "a", family: "1")
        try home.grant("rt-b", ada, client: "b", family: "1")
        provider.answer { [home, ada] request in
            if request.refreshToken == "rt-b" { return .refused("invalid_grant") }
            _ = try await home.opened().accounts.signOut(
                ada.id, clientID: "b", from: .default, undo: .none, network: nil)
            return .tokens("at", refresh: "rt-b2", scope: "mail.read", foci: "1")
        }
        #expect(await home.refusal(ada, client: "b")?.message.contains("signed out") == true)
        #expect(try home.theGrant(of: ada, client: "b").state == .signedOut)
        #expect(try home.accessTokens(of: ada).isEmpty)
        #expect(try home.theGrant(of: ada, client: "a") == Grant())
    }

    @Test("a sign-out of a client without any refresh token, during its refresh with the family's, stays")
    func signOutOfGuest() async throws {
        try home.grant("frt", ada, client: "a", family: "1")
        provider.answer { [home, ada] _ in
            _ = try await home.opened().accounts.signOut(
                ada.id, clientID: "b", from: .default, undo: .none, network: nil)
            return .tokens("at", refresh: "rt-b2", scope: "mail.read", foci: "1")
        }
        #expect(await home.refusal(ada, client: "b")?.message.contains("signed out") == true)
        #expect(try home.theGrant(of: ada, client: "b").state == .signedOut)
        #expect(try home.accessTokens(of: ada).isEmpty)
    }

    @Test("an account that the provider deleted keeps the family's token, which is another client's")
    func deletedThroughFamily() async throws {
        try home.grant("frt", ada, client: "a", family: "1")
        try home.access("at-a", ada, client: "a")
        try home.access("at-b", ada, client: "b", expires: 5)
        provider.answer(.refused("invalid_grant", "user_account_deleted"))
        #expect(await home.refusal(ada, client: "b")?.code == .signInNeeded)
        #expect(try home.accessTokens(of: ada).map(\.clientID) == ["a"])
        #expect(try home.theGrant(of: ada, client: "a").state == .active)
    }

    @Test("a guest tenant gets its token from its own token endpoint, with the same refresh token")
    func guestTenant() async throws {
        try home.grant("rt", ada)
        provider.answer(.tokens("guest", refresh: "rt2", scope: "files.read"))
        let answer = try await home.token(ada, scopes: ["files.read"], realm: SilentHome.guest)
        #expect(answer.text == "guest" && answer.found.credential.realm == SilentHome.guest)
        let request = try #require(provider.tokenRequests.first)
        #expect(request.url == "https://login.microsoftonline.com/\(SilentHome.guest)/oauth2/v2.0/token")
        #expect(request.scopes == ["files.read", "openid", "profile", "offline_access"])
        #expect(try await home.token(ada, scopes: ["files.read"], realm: SilentHome.guest).text == "guest")
        #expect(provider.tokenRequests.count == 1)
        #expect(provider.discoveries.count == 1)
    }
}
