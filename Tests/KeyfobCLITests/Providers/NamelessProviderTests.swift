import Foundation
import KeyfobTestSupport
import Testing

/// Providers that tell no name, or are none of OpenID Connect: `Tests/Provider/standins/{openid,okta,google,plain}.py`.
@Suite("Providers without names, and without openid", .waitsForPrograms)
struct NamelessProviderTests {
    private static let issuer = "https://sso.contoso.example"

    @Test("two people of a provider that puts names into userinfo alone have them")
    func userInfo() throws {
        let home = try NamedPlace(.init("openid", ["names": "userinfo", "people": ["ada", "ben"]]))
        try home.addProvider("sso", Self.issuer)
        for person in ["ada", "ben"] { try home.signIn("sso", as: person) }
        #expect(try home.names() == ["ada", "ben"])
        try home.run("keyfob token --account ben").expectSuccess()
    }

    @Test("two people of a provider that tells no name are told apart")
    func nobody() throws {
        let home = try NamedPlace(.init("openid", ["names": "none", "people": ["ada", "ben"]]))
        try home.addProvider("sso", Self.issuer)
        for person in ["ada", "ben"] { try home.signIn("sso", as: person) }
        let ids = try home.run("keyfob account list --format '{id}'").expectSuccess().text.split(separator: "\n")
        #expect(ids.count == 2 && Set(ids).count == 2, "\(ids)")
        for id in ids { try home.run("keyfob token --account '\(id)'").expectSuccess() }
        let names = try home.names()
        #expect(!names.contains("-") && Set(names).count == 2, "\(names)")
    }

    @Test("both of Okta's authorization servers at one host, each with tokens of its own")
    func okta() throws {
        let home = try NamedPlace(.init("okta"))
        try home.addProvider("okta", "https://contoso.okta.com")
        try home.addProvider(
            "okta-api", "https://contoso.okta.com/oauth2/default",
            "--environment default.contoso.okta.com --scope api.read --scope openid --scope offline_access")
        for name in ["okta", "okta-api"] { try home.signIn(name) }
        for environment in ["contoso.okta.com", "default.contoso.okta.com"] {
            let list =
                "keyfob account list --json | jq -r '.accounts[] | select(.environment == \"\(environment)\") | .id'"
            let id = try home.run(list).expectSuccess().text.trimmingCharacters(in: .newlines)
            _ = try home.token("--account '\(id)' --force-refresh")
        }
        #expect(
            try Set(home.server.requests().filter { $0.grantType == "refresh_token" }.map(\.path)) == [
                "/oauth2/v1/token", "/oauth2/default/v1/token",
            ])
        #expect(try Set(home.names()) == ["ada@contoso.example"])
    }

    @Test("a second sign-in at Google, which gives no refresh token again, keeps the first one's")
    func google() throws {
        let home = try NamedPlace(.init("google"))
        try home.run(
            "printf GOCSPX-sample > secret && keyfob client add --quiet client-1 --provider google --secret-fd 3 3< secret"
        ).expectSuccess()
        for _ in 0..<2 { try home.signIn("google") }
        let first = try home.token("--force-refresh")
        #expect(try home.token("--force-refresh") != first)
        let refreshes = try home.server.requests().filter { $0.grantType == "refresh_token" }
        #expect(refreshes.count == 2 && Set(refreshes.map(\.refreshToken)).count == 1, "\(refreshes)")
        try home.server.set(.init("google", ["wants_again": true]))
        try home.run("keyfob token --force-refresh").expectError(10, "invalid_rapt")
    }

    @Test("a server of plain OAuth signs people in, by its issuer")
    func plain() throws {
        let home = try NamedPlace(.init("plain"))
        try home.addProvider("plain", "https://auth.plain.example", "--scope notes.read --api-host api.plain.example")
        try home.signIn("plain", "--timeout 20")
        _ = try home.token("--force-refresh")
        let asked = try home.run("keyfob request https://api.plain.example/mcp").expectSuccess()
        #expect(asked.text.contains("notes"), "\(asked)")
        #expect(try home.names() == ["auth.plain.example"])
        // Who signs in again is the same to such a server as somebody else.
        try home.signIn("plain")
        try home.signIn("plain", "--name work")
        #expect(try Set(home.names()) == ["auth.plain.example", "work"])
        try home.run("keyfob login plain").expectError(11, "several accounts are signed in there")
        try home.signIn("plain", "--account work")
        #expect(try home.token("--account work") != home.token("--account auth.plain.example"))
    }

    @Test("a server of plain OAuth signs people in, by a description")
    func described() throws {
        let home = try NamedPlace(.init("plain"))
        try home.place.write(
            "plain.json",
            """
            {"formatVersion": 1, "name": "plain", "title": "Plain", "environment": "auth.plain.example", "discovery": false,
            "endpoints": {"authorization_endpoint": "https://auth.plain.example/authorize",
            "token_endpoint": "https://auth.plain.example/token"}, "flows": ["authorizationCode"], "rotation": "yes",
            "defaultScopes": ["notes.read"], "apiHosts": ["api.plain.example"], "quirks": []}
            """)
        try home.run("keyfob provider add --quiet plain.json && keyfob client add --quiet client-1 --provider plain")
            .expectSuccess()
        try home.signIn("plain", "--timeout 20")
        _ = try home.token("--force-refresh")
    }
}
