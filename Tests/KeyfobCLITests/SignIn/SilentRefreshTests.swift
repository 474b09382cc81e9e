import Foundation
import KeyfobTestSupport
import Testing

@Suite("A token by refresh, and a sign-out", .waitsForPrograms, .serialized)
struct SilentRefreshTests {
    // One for all of them, one after the other: who signs out of the provider's session loses all tokens there.
    private static let started = Result { try ProviderServer() }
    private let server: ProviderServer
    private let home: SignInPlace

    init() throws {
        server = try Self.started.get()
        try server.control(.init())
        home = try SignInPlace(server)
    }

    /// The first digits of a token's SHA-256, as the provider's log has them.
    private func digest(_ token: String) throws -> String {
        String(try home.place.run("sha256sum", text: token).expectSuccess().text.prefix(16))
    }

    @Test("once the old one has expired, and never again")
    func expired() async throws {
        let count = try server.refreshes().count
        try server.control(.init(accessLifetime: 1))
        try home.signIn("alice")
        let first = try #require(try home.secrets("AccessToken").values.first)
        try server.control(.init())
        // Times are whole seconds, and a token is still valid in the one in which it expires.
        try home.run("sleep 2.1").expectSuccess()
        #expect(try await server.me(first).status == 401)
        let second = try home.token("--min-validity 0")
        #expect(second != first)
        #expect(try await server.me(second).text("user") == "alice")
        #expect(try home.token() == second)
        #expect(try server.refreshes().dropFirst(count).map(\.status) == [200])
        try home.expectSound()
    }

    @Test("offline there is none, and nothing is sent")
    func offline() throws {
        try server.control(.init(accessLifetime: 1))
        try home.signIn("alice")
        let count = try server.requests().count
        try home.run("sleep 1.1; keyfob token --offline").expectError(10, "alice")
        #expect(try server.requests().count == count)
    }

    @Test("after a sign-out the provider takes the old refresh token no more")
    func signOut() async throws {
        try home.signIn("alice")
        let (token, refreshToken) = (try home.token(), try home.refreshToken())
        let outcome = try home.run("keyfob logout alice").expectSuccess()
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.first == "alice is signed out (group default)", "\(outcome)")
        #expect(lines.contains { $0.hasPrefix("1 refresh token revoked at ") }, "\(outcome)")
        #expect(lines.last == "'keyfob undo' cannot bring it back: the provider has revoked the sign-in", "\(outcome)")
        #expect(!(try home.run("keyfob undo --list --json").expectSuccess().text.contains("returns")))
        let revocation = try #require(try server.requests().last { $0.path == "/o/revoke_token/" })
        #expect(try revocation.status == 200 && revocation.token == digest(refreshToken))
        #expect(try await server.refresh(refreshToken).error == "invalid_grant")
        #expect(try await server.me(token).status == 401)
        let count = try server.requests().count
        try home.run("keyfob token --account alice").expectError(10, "signed out", "keyfob login --account")
        #expect(try server.requests().count == count)

        try home.signIn("alice", "--account alice")
        #expect(try await server.me(home.token()).text("user") == "alice")
        try home.expectSound()
    }

    @Test("a sign-out that cannot tell the provider says so, and holds here")
    func signOutOffline() async throws {
        try home.signIn("alice")
        let refreshToken = try home.refreshToken()
        let outcome = try home.run("keyfob logout --offline --json").expectSuccess()
        #expect(outcome.text.contains("\"revoked\" : 0") || outcome.text.contains("\"revoked\":0"), "\(outcome)")
        #expect(outcome.errors.contains("the provider was not told"), "\(outcome)")
        try home.run("keyfob token").expectError(10)
        #expect(try await server.refresh(refreshToken).status == 200)
    }

    @Test("the browser's session ends at the address that a sign-out gives")
    func signOutOfBrowser() throws {
        try home.signIn("alice")
        let outcome = try home.run("keyfob logout alice --browser --no-browser --quiet").expectSuccess()
        let address = outcome.text.trimmingCharacters(in: .newlines)
        #expect(address.hasPrefix(server.issuer + "/logout/?"), "\(outcome)")
        // It has no page to show then, but has ended the session.
        _ = try server.visit(address, "alice", ["--stay"])
        let request = try #require(try server.requests().last { $0.path == "/o/logout/" })
        #expect(request.status == 302, "\(request)")
    }

    @Test("a confidential client shows its secret")
    func confidential() async throws {
        let home = try SignInPlace(server)
        try home.place.run(
            "keyfob client add --quiet \(ProviderServer.confidentialClient) --provider local --secret-fd 0",
            text: ProviderServer.confidentialSecret
        ).expectSuccess()
        try home.signIn("bob", "--client \(ProviderServer.confidentialClient)")
        let first = try home.token()
        #expect(try await server.me(first).text("client") == ProviderServer.confidentialClient)
        #expect(try home.token("--force-refresh") != first)
        try home.run("keyfob logout bob --quiet").expectSuccess()
        #expect(try await server.me(first).status == 401)
    }
}
