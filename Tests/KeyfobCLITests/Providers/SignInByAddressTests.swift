import Foundation
import KeyfobTestSupport
import Testing

/// Sign-ins with nothing but an address: django-oauth-toolkit, Canaille, Debian's Glewlwyd, and `fastmcp`'s server.
@Suite("Sign-ins by an address", .waitsForPrograms)
struct SignInByAddressTests {
    private static func browser(_ user: String) -> String {
        "BROWSER='\(PythonScript.interpreter) \(ProviderServer.visitorProgram) %s \(user) --quiet'"
    }

    /// Signs in, has a new token, and signs out there.
    ///
    /// - Parameter name: How the account is called then.
    private static func whole(
        _ place: Workplace, at address: String, as user: String, called name: String
    ) throws {
        let signedIn = try place.run("\(browser(user)) keyfob login \(address)").expectSuccess()
        #expect(!signedIn.errors.contains("no refresh token"), "\(signedIn)")
        let list = try place.run("keyfob account list").expectSuccess().text
        #expect(list.contains(" \(name) "), "\(list)")
        // Canaille refuses a second token in the same second.
        let line = "for n in $(seq 50); do keyfob token --force-refresh && break; done"
        let tokens = try (0..<3).map { _ in try place.run(line).expectSuccess().text }
        #expect(Set(tokens).count == 3, "\(tokens.count)")
        // The provider is known by now, and the client with it.
        try place.run("\(browser(user)) keyfob login \(address) --quiet").expectSuccess()
        let signedOut = try place.run("keyfob logout").expectSuccess()
        #expect(signedOut.errors.contains("1 refresh token revoked at"), "\(signedOut)")
        try place.run("keyfob token").expectError(10)
    }

    @Test("django-oauth-toolkit", arguments: [false, true])
    func django(isHost: Bool) throws {
        let server = try ProviderServer(.init(isSecure: true, registers: true))
        let place = try Workplace.withVault(["KEYFOB_CA_FILE": try #require(server.authorityFile)])
        // Also without the scheme.
        let address = isHost ? String(server.issuer.dropFirst("https://".count)) : server.issuer
        try Self.whole(place, at: address, as: "alice", called: "alice")
    }

    @Test("fastmcp")
    func fastMCP() throws {
        let server = try GuestServer.mcp("fastmcp")
        let place = try Workplace.withVault(["KEYFOB_CA_FILE": server.folder + "/ca.pem"])
        try Self.whole(place, at: "https://\(server.host)/mcp", as: "x", called: server.host)
    }

    @Test("Canaille", .enabled(if: TestLength.isFull))
    func canaille() throws {
        let server = try GuestServer.canaille()
        let place = try Workplace.withVault(["KEYFOB_CA_FILE": server.folder + "/ca.pem"])
        try Self.whole(place, at: "https://\(server.host)", as: "ada", called: "ada@canaille.example")
    }

    @Test(
        "Glewlwyd, also where it wants requests pushed",
        .enabled(if: TestLength.isFull),
        arguments: [[], ["oauth-par-required=true"]])
    func glewlwyd(parameters: [String]) throws {
        let server = try GuestServer.glewlwyd(parameters)
        let place = try Workplace.withVault(["KEYFOB_CA_FILE": server.folder + "/ca.pem"])
        try Self.whole(place, at: "https://\(server.host)/api/oidc", as: "ada", called: "ada@glewlwyd.example")
    }

    @Test("Glewlwyd's tokens that are bound to a key, with a nonce in each proof", .enabled(if: TestLength.isFull))
    func bound() throws {
        let server = try GuestServer.glewlwyd(["oauth-dpop-nonce-mandatory=true"])
        let place = try Workplace.withVault(["KEYFOB_CA_FILE": server.folder + "/ca.pem"])
        let address = "https://\(server.host)/api/oidc"
        try place.run("\(Self.browser("ada")) keyfob login \(address) --dpop --quiet").expectSuccess()
        for _ in 0..<2 { try place.run("keyfob account refresh ada").expectSuccess() }
        let answer = try place.run("keyfob request \(address)/userinfo").expectSuccess().text
        #expect(answer.contains("ada@glewlwyd.example"), "\(answer)")
        try place.run("keyfob token").expectError(77)
        let signedOut = try place.run("keyfob logout").expectSuccess()
        #expect(signedOut.errors.contains("1 refresh token revoked at"), "\(signedOut)")
    }
}
