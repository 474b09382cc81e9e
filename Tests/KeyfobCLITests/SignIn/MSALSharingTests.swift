import Foundation
import KeyfobTestSupport
import Testing

@Suite("A sign-in shared with MSAL for Python", .waitsForPrograms, .serialized)
struct MSALSharingTests {
    // One for all of them, one after the other.
    private static let started = Result { try ProviderServer(.init(isSecure: true)) }
    private let server: ProviderServer
    private let home: SignInPlace

    /// MSAL knows a provider by its host without the port, and takes the first part of the issuer's path for the tenant.
    init() throws {
        server = try Self.started.get()
        home = try SignInPlace(server, options: "--environment 127.0.0.1")
    }

    /// The first digits of the SHA-256 of the token that a line prints, as MSAL's side tells them.
    private func digest(_ line: String) throws -> String {
        String(try home.run("\(line) | tr -d '\\n' | sha256sum").expectSuccess().text.prefix(16))
    }

    private func told(_ outcome: Outcome) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: outcome.expectSuccess().output) as? [String: Any] ?? [:]
    }

    @Test("Keyfob refreshes what MSAL signed in")
    func fromMSAL() throws {
        let cache = home.place.path + "/msal.json"
        let signIn = try told(server.msal("sign-in", cache, "bob"))
        try home.run("keyfob import --quiet \(cache)").expectSuccess()
        #expect(try digest("keyfob token --account bob") == signIn["sha256"] as? String)
        let before = try server.refreshes().count
        #expect(try digest("keyfob token --account bob --force-refresh") != signIn["sha256"] as? String)
        #expect(try server.refreshes().dropFirst(before).map(\.status) == [200])
        // MSAL names the environment without the port.
        try home.run("keyfob bind -q --host \(server.host) bob && keyfob request \(server.base)/api/me").expectSuccess()

        // And back: MSAL finds what Keyfob got.
        try home.run("keyfob export --quiet --force --format msal \(cache)").expectSuccess()
        let silent = try told(server.msal("silent", cache, "bob"))
        #expect(silent["source"] as? String == "cache", "\(silent)")
        #expect(try digest("keyfob token --account bob") == silent["sha256"] as? String)
        try home.expectSound()
    }

    @Test("MSAL refreshes what Keyfob signed in")
    func toMSAL() throws {
        try home.signIn("bob", "--scope 'openid profile offline_access email'")
        let cache = home.place.path + "/msal.json"
        try home.run("keyfob export --quiet --format msal \(cache)").expectSuccess()
        let before = try server.refreshes().count
        // MSAL makes a tenant of the issuer's path, and asks for a token of its own there.
        let silent = try told(server.msal("silent", cache, "bob"))
        #expect(silent["source"] as? String == "identity_provider", "\(silent)")
        #expect(try told(server.msal("silent", cache, "bob"))["source"] as? String == "cache")
        let refreshed = try told(server.msal("silent", cache, "bob", ["--force-refresh"]))
        #expect(refreshed["source"] as? String == "identity_provider", "\(refreshed)")
        #expect(try server.refreshes().dropFirst(before).map(\.status) == [200, 200])

        // And back: the refresh token that is here was used up there.
        try home.run("keyfob import --quiet \(cache)").expectSuccess()
        try home.run("keyfob account refresh bob --quiet").expectSuccess()
        try home.expectSound()
    }
}
