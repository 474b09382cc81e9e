import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Testing

@Suite("Signing out", .eachStorageInFullRun)
struct SignOutTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atPlainProvider()
        try home.grant("rt", ada)
        try home.access("at", ada)
    }

    @Test("of one client: its refresh token is revoked, its tokens go, its grant stays as signed out")
    func client() async throws {
        try home.grant("rt-b", ada, client: "b")
        try home.access("at-b", ada, client: "b")
        let report = try await home.keyring.accounts.signOut(
            ada.id, clientID: "app", from: .default, undo: .none, network: provider.network)
        #expect(report.clients == ["app"] && report.revoked == 1 && report.notes.isEmpty && report.endSessionURL == nil)
        #expect(provider.revoked == ["rt"])
        #expect(try home.theGrant(of: ada, client: "app").state == .signedOut)
        #expect(try home.theGrant(of: ada, client: "b").state == .active)
        #expect(try home.accessTokens(of: ada).map(\.clientID) == ["b"])
        #expect(await home.refusal(ada, client: "app")?.message.contains("signed out") == true)
        #expect(try await home.token(ada, client: "b").text == "at-b")
    }

    @Test("of several clients: which one must be said")
    func ambiguous() async throws {
        try home.grant("rt-b", ada, client: "b")
        let error = await keyringError {
            try await home.keyring.accounts.signOut(ada.id, from: .default, undo: .none, network: nil)
        }
        #expect(error?.code == .ambiguous && error?.candidates == ["app", "b"])
    }

    @Test("everywhere: of all clients, those with nothing but an access token too; the account stays")
    func everywhere() async throws {
        try home.grant("rt-b", ada, client: "b")
        try home.access("at-c", ada, client: "c")
        let report = try await home.keyring.accounts.signOut(
            ada.id, reach: .everywhere, from: .default, undo: .none, network: provider.network)
        #expect(report.clients == ["app", "b", "c"] && report.revoked == 2)
        #expect(Set(provider.revoked) == ["rt", "rt-b"])
        #expect(try home.accessTokens(of: ada).isEmpty)
        #expect(try home.opened().accounts.list().map(\.state) == [.signedOut])
    }

    @Test("and forget: nothing of the account is left, nor that it was the default")
    func forget() async throws {
        try home.keyring.accounts.setDefault(ada.id, in: .default)
        let report = try await home.keyring.accounts.signOut(
            ada.id, reach: .forget, from: .default, undo: .none, network: provider.network)
        #expect(report.revoked == 1)
        #expect(try home.opened().accounts.list().isEmpty)
        #expect(
            try home.opened().accounts.credentials(of: ada.id, in: .default).allSatisfy {
                $0.grant?.state == .signedOut
            })
        #expect(await home.refusal(ada)?.code == .noSuchAccount)
        #expect(try home.opened().health.verify().problems == [])
    }

    @Test(
        "where revoking fails, the report says so and the person is signed out all the same",
        arguments: [
            .status(503), .failed(.unreachable(.refused)), .failed(.outcomeUnknown),
            .refused("invalid_client", status: 401),
        ] as [ScriptedNetwork.Answer])
    func revocationFails(answer: ScriptedNetwork.Answer) async throws {
        provider.answerOthers { $0.url.hasSuffix("/revoke") ? answer : nil }
        let report = try await home.keyring.accounts.signOut(
            ada.id, from: .default, undo: .none, network: provider.network)
        #expect(report.revoked == 0 && report.notes.count == 1)
        #expect(report.notes.first?.message.contains("could not be revoked") == true)
        #expect(try home.theGrant(of: ada).state == .signedOut)
    }

    @Test(
        "without a network, or with one that does not reach the provider, the report says what stays good",
        arguments: [true, false])
    func offline(hasNetwork: Bool) async throws {
        provider.answerOthers { _ in .failed(.unreachable(.refused)) }
        let report = try await home.keyring.accounts.signOut(
            ada.id, from: .default, undo: .none, network: hasNetwork ? provider.network : nil)
        #expect(report.revoked == 0 && report.notes.count == 1)
        #expect(report.notes.first?.message.contains("stays good") == true)
        #expect(try home.theGrant(of: ada).state == .signedOut && home.accessTokens(of: ada).isEmpty)
    }

    @Test("a family's refresh token is not revoked while other clients use it")
    func family() async throws {
        let bob = try SilentHome.microsoftAccount("bob")
        try home.grant("frt", bob, client: "a", family: "1")
        try home.grant("rt-b", bob, client: "b", family: "1")
        provider.answerOthers { request in
            guard request.url.contains("/.well-known/") else { return nil }
            let text = ScriptedNetwork.microsoft("https://login.microsoftonline.com", tenant: SilentHome.tenant)
            return .json(
                String(text.dropLast()) + ", \"revocation_endpoint\": \"https://login.microsoftonline.com/revoke\"}")
        }
        let report = try await home.keyring.accounts.signOut(
            bob.id, clientID: "a", from: .default, undo: .none, network: provider.network)
        #expect(report.revoked == 0 && provider.revoked.isEmpty)
        #expect(report.notes.first?.message.contains("other clients of its family") == true)
        #expect(try home.theGrant(of: bob, client: "a").state == .signedOut)
        let all = try await home.keyring.accounts.signOut(
            bob.id, reach: .everywhere, from: .default, undo: .none, network: provider.network)
        #expect(all.revoked == 1 && provider.revoked == ["rt-b"])
    }

    @Test("the address that ends the browser's session names the client and the person, and no token")
    func endSession() async throws {
        let report = try await home.keyring.accounts.signOut(
            ada.id, from: .default, endsBrowserSession: true, undo: .none, network: provider.network)
        let url = try #require(report.endSessionURL)
        #expect(url.hasPrefix("https://id.example/logout?"))
        #expect(query(of: url) == ["client_id": "app", "logout_hint": "ada@id.example"])
    }

    @Test("without such an address the report says so")
    func noEndSession() async throws {
        let report = try await home.keyring.accounts.signOut(
            ada.id, from: .default, endsBrowserSession: true, undo: .none, network: nil)
        #expect(report.endSessionURL == nil && report.notes.contains { $0.message.contains("browser's session") })
    }

    @Test("a refresh that ends while the provider revokes leaves no token that nobody revoked")
    func lateRotation() async throws {
        provider.answer { _ in .tokens("at2", refresh: "rt2", scope: "mail.read") }
        provider.answerOthers { [home, ada] request in
            guard request.url.hasSuffix("/revoke"), request.fields["token"] == "rt" else { return nil }
            _ = try await home.token(ada, options: SilentOptions(forcesRefresh: true), from: home.opened())
            return .json("")
        }
        _ = try await home.keyring.accounts.signOut(ada.id, from: .default, undo: .none, network: provider.network)
        #expect(provider.revoked == ["rt", "rt2"])
        #expect(try home.theGrant(of: ada).state == .signedOut && home.accessTokens(of: ada).isEmpty)
    }

    @Test("an account that is not there cannot sign out")
    func unknown() async throws {
        let bob = try SilentHome.plainAccount("bob")
        let error = await keyringError {
            try await home.keyring.accounts.signOut(bob.id, from: .default, undo: .none, network: nil)
        }
        #expect(error?.code == .noSuchAccount)
    }
}
