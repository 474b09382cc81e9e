import Foundation
import KeyfobTestSupport
import Testing

/// Microsoft Entra as it is documented: `Tests/Provider/standins/microsoft.py`.
@Suite("Microsoft's tenants, guests and refusals", .waitsForPrograms)
struct MicrosoftTenantTests {
    private static let azure = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
    private static let contoso = "7b1c0a94-3d0e-4a57-9c1f-2f1d5f6a0e11"
    private static let fabrikam = "bbbbbbbb-0000-4000-8000-00000000fab0"
    private static let northwind = "cccccccc-0000-4000-8000-00000000a0a0"
    private static let graph = "--scope https://graph.microsoft.com/.default"

    /// A home where Ada has signed in at home, with the client of the Azure CLI.
    private func home() throws -> NamedPlace {
        let home = try NamedPlace(.init("microsoft"))
        try home.run("keyfob client add --quiet --well-known azure-cli").expectSuccess()
        try home.signIn("microsoft")
        return home
    }

    /// The same with what the Azure CLI keeps of a guest: she has been at Fabrikam.
    private func guestHome() throws -> NamedPlace {
        let token: [String] = ["ada@contoso.example", Self.azure]
        let home = try NamedPlace(.init("microsoft", ["refresh_tokens": ["sample-refresh-token-for-ada": token]]))
        try home.run(
            """
            export HOMES='\(ProjectFolder.root.path)/Tests/Guides/homes' SAMPLES='\(ProjectFolder.root.path)/Samples'
            . "$HOMES/common.sh" && azure && keyfob import --quiet ~/.azure/msal_token_cache.json
            keyfob account remove --quiet --force ben@fabrikam.example; keyfob account remove --quiet --force cleo@contoso.example
            """
        ).expectSuccess()
        return home
    }

    private func tenant(of token: String) -> String {
        [Self.contoso, Self.fabrikam, Self.northwind].first { token.contains("-at-\($0)-") } ?? token
    }

    @Test("a tenant where the account has not been yet is visited without a sign-in")
    func visit() throws {
        let home = try home()
        try demand("microsoft: a guest's tenant that was never visited gives a token silently") { () throws in
            #expect(tenant(of: try home.token("\(Self.graph) --tenant \(Self.fabrikam)")) == Self.fabrikam)
        }
        #expect(tenant(of: try home.token(Self.graph)) == Self.contoso)
        try demand("microsoft: a tenant that does not know the person refuses, and the sign-in stays") {
            let outcome = try home.run("keyfob token \(Self.graph) --tenant \(Self.northwind)")
            #expect(outcome.status != 0 && outcome.errors.contains("50020"), "\(outcome)")
        }
        try home.run("keyfob token \(Self.graph) --force-refresh").expectSuccess()
    }

    @Test("the tenant of a request is the one that is named, else the home, whatever is stored")
    func homeTenant() throws {
        let home = try guestHome()
        let management = "--scope https://management.core.windows.net//.default"
        // What is stored for this scope is of the tenant where she is a guest.
        try demand("microsoft: a stored token of a guest's tenant is not given to who names no tenant") { () throws in
            #expect(try home.token(management) != "sample-access-token-for-ada-as-a-guest")
        }
        let guest = try home.token("\(management) --tenant \(Self.fabrikam) --force-refresh")
        #expect(tenant(of: guest) == Self.fabrikam)
        try demand("microsoft: after a visit of a guest's tenant who names none gets a token of the home") {
            () throws in
            #expect(tenant(of: try home.token("\(management) --force-refresh")) == Self.contoso)
        }
    }

    /// Codes that concern a request, a tenant or a client there, and not the grant.
    private static let local = [
        50020, 50034, 50053, 50057, 50074, 50076, 50078, 50079, 50105, 50158, 53000, 53001, 53003, 53004, 65001, 70043,
        500011, 700016,
    ]

    @Test("a refusal at a guest's tenant leaves the sign-in at home", arguments: local)
    func guestRefusal(_ code: Int) throws {
        let home = try guestHome()
        try home.server.set(.init("microsoft", ["refuse": [Self.fabrikam: code]]))
        let outcome = try home.run("keyfob token \(Self.graph) --tenant \(Self.fabrikam) --force-refresh")
        #expect(outcome.status != 0 && outcome.errors.contains("\(code)"), "\(outcome)")
        try demand("microsoft: AADSTS\(code) at a guest's tenant leaves the sign-in at home") {
            let token = try home.token("\(Self.graph) --tenant \(Self.contoso) --force-refresh")
            #expect(tenant(of: token) == Self.contoso)
        }
    }

    /// Codes at home that a person or an administrator mends, or that end with time, without a new sign-in being lost.
    private static let atHome = [50053, 50074, 50076, 50078, 50079, 50105, 53000, 53003, 65001, 70043, 500011, 700016]

    @Test("a refusal at home that is not of the grant leaves it, for when it is over", arguments: atHome)
    func homeRefusal(_ code: Int) throws {
        let home = try home()
        let refused: [String: any Sendable] = [Self.contoso: [code, "https://management.azure.com"] as [any Sendable]]
        try home.server.set(.init("microsoft", ["refuse": refused]))
        let outcome = try home.run("keyfob token --resource https://management.azure.com --force-refresh")
        #expect(outcome.status != 0, "\(outcome)")
        try demand("microsoft: AADSTS\(code) for one resource at home leaves the others") {
            try home.run("keyfob token \(Self.graph) --force-refresh").expectSuccess()
        }
    }

    @Test(
        "a refusal that is of the grant ends it", arguments: [50132, 50133, 50173, 70000, 70008, 700_082, 700_084])
    func grantRefusal(_ code: Int) throws {
        let home = try home()
        try home.server.set(.init("microsoft", ["refuse": [Self.contoso: code]]))
        try home.run("keyfob token \(Self.graph) --force-refresh").expectError(10, "\(code)", "keyfob login")
        let count = try home.server.requests().count
        try home.run("keyfob token --resource https://management.azure.com").expectError(10, "sign in")
        #expect(try home.refreshes(since: count) == 0)
        try home.server.set(.init("microsoft"))
        try home.signIn("microsoft")
        #expect(tenant(of: try home.token(Self.graph)) == Self.contoso)
    }

    @Test("what a policy wants is asked for by the next sign-in")
    func claims() throws {
        let home = try home()
        try home.server.set(.init("microsoft", ["refuse": [Self.contoso: 50076]]))
        let outcome = try home.run("keyfob token \(Self.graph) --force-refresh")
        #expect(outcome.status == 10 && outcome.errors.contains("50076"), "\(outcome)")
        try demand("microsoft: the command that a policy's refusal names signs in with what it wants") {
            let browser = home.server.environment["BROWSER"] ?? ""
            let command = try #require(outcome.errors.firstMatch(of: /run '(keyfob login[^\n]*)'/)?.1)
            try home.run("BROWSER='\(browser)' \(command) --quiet").expectSuccess()
            try home.run("keyfob token \(Self.graph) --force-refresh").expectSuccess()
        }
    }

    @Test("a request that Graph answers with a challenge is made again with its claims")
    func challenge() throws {
        let home = try home()
        let line = "keyfob request https://graph.microsoft.com/v1.0/me"
        #expect(try home.run(line).expectSuccess().text.contains("Ada"))
        try home.server.set(.init("microsoft", ["challenge": true]))
        #expect(try home.run(line).expectSuccess().text.contains("Ada"))
        // So are a program's behind a proxy, and what a bridge sends, which wants another answer than Graph's.
        try home.server.set(.init("microsoft", ["challenge": false]))
        _ = try home.token("\(Self.graph) --force-refresh")
        try home.server.set(.init("microsoft", ["challenge": true]))
        let proxied = try home.run("keyfob exec --proxy -- sh -c 'curl -s $KEYFOB_PROXY/graph.microsoft.com/v1.0/me'")
        #expect(proxied.expectSuccess().text.contains("Ada"))
        try home.server.set(.init("microsoft", ["challenge": false]))
        _ = try home.token("\(Self.graph) --force-refresh")
        try home.server.set(.init("microsoft", ["challenge": true]))
        let bridged = try home.run(
            "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | keyfob mcp https://graph.microsoft.com/v1.0/me"
        )
        #expect(bridged.expectSuccess().text.contains("no message of JSON-RPC"), "\(bridged)")
    }

    @Test("people of a tenant, of two tenants and of none sign in at the authority that is for them")
    func words() throws {
        let home = try NamedPlace(.init("microsoft"))
        try home.run("keyfob client add --quiet client-1 --provider microsoft").expectSuccess()
        try home.signIn("microsoft-organizations", as: "ben@fabrikam.example")
        try home.signIn("microsoft-consumers", as: "dora@outlook.example")
        try home.signIn("microsoft", as: "ada@contoso.example")
        #expect(try Set(home.names()) == ["ada@contoso.example", "ben@fabrikam.example", "dora@outlook.example"])
        for name in try home.names() { _ = try home.token("--account \(name) \(Self.graph) --force-refresh") }
        let outcome = try home.run("keyfob login --quiet microsoft-organizations --login-hint dora@outlook.example")
        #expect(outcome.status != 0 && outcome.errors.contains("500200"), "\(outcome)")
    }
}
