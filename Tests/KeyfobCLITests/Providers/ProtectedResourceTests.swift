import Foundation
import KeyfobTestSupport
import Testing

/// Sign-ins to resources by their address: `Tests/Provider/standins/plain.py`, and MCP servers of others' (`Tests/Provider/mcp_server.py`).
@Suite("Protected resources", .waitsForPrograms)
struct ProtectedResourceTests {
    private static let address = "https://api.plain.example/mcp"

    private static func place(_ options: [String: any Sendable] = [:]) throws -> NamedPlace {
        try NamedPlace(.init("plain", ["resource": true].merging(options) { $1 }))
    }

    @Test("the address is all that has to be known, and the token goes there alone")
    func address() throws {
        let home = try Self.place()
        try home.signIn(Self.address)
        #expect(try home.names() == ["api.plain.example"])
        _ = try home.token("--url \(Self.address)/notes --force-refresh")
        let asked = try home.run("keyfob request \(Self.address)").expectSuccess()
        #expect(asked.text.contains("notes"), "\(asked)")
        // Not to the rest of its host, nor to its authorization server, whoever allows it.
        for other in [
            "https://api.plain.example/mcq", "https://api.plain.example/mcp/../x", "https://auth.plain.example/mcp",
        ] {
            try home.run("keyfob token --url \(other)").expectError(77)
            try home.run("keyfob request \(other)").expectError(77)
        }
        try home.run(
            "keyfob token --url https://evil.example/mcp --account api.plain.example --allow-host evil.example"
        ).expectError(77)
        let named = try home.server.requests().filter { $0.path == "/token" }
        #expect(named.count > 1 && named.allSatisfy { $0.resource == Self.address }, "\(named)")
        // An account beside it, and which of them a directory means.
        try home.signIn(Self.address, "--name work")
        try home.run("mkdir work && keyfob bind --directory work work").expectSuccess()
        let tokens = try ["work", "."].map { directory in
            try home.run("cd \(directory) && keyfob token --account \(directory == "." ? "api.plain.example" : "work")")
                .expectSuccess().text
        }
        #expect(Set(tokens).count == 2)
        #expect(try home.run("cd work && keyfob token --url \(Self.address)").expectSuccess().text == tokens[0])
        #expect(try home.server.requests().count { $0.path == "/register" } == 1)
        // A server that has forgotten the client gets another one.
        let clients = try home.run("keyfob client list --json | jq -r '.clients[].id'").text
        try home.run("keyfob logout --quiet work --forget").expectSuccess()
        try home.signIn(Self.address, "--account api.plain.example")
        #expect(try home.run("keyfob client list --json | jq -r '.clients[].id'").text == clients)
        try home.run("keyfob provider remove --force --quiet api.plain.example-mcp").expectSuccess()
        // Another server would get the refresh tokens of those that are signed in.
        let again = try home.run("keyfob login \(Self.address)")
        #expect(again.status == 73 && again.errors.contains("would get their refresh tokens"), "\(again)")
    }

    @Test("a resource that takes bound tokens alone has every sign-in ask for them (RFC 9728)")
    func bound() throws {
        let home = try Self.place(["described": ["dpop_bound_access_tokens_required": true]])
        for _ in 0..<2 {
            try home.run("keyfob login --quiet \(Self.address) --timeout 20").expectError(69, "bound to no key")
        }
        let shown = try home.run("keyfob provider show --json api.plain.example-mcp").expectSuccess().text
        #expect(shown.contains("\"bindsTokens\""), "\(shown)")
        #expect(try home.names().isEmpty)
    }

    @Test("where a server takes nothing less than a signature, a key is made and its public half registered")
    func signed() throws {
        let home = try Self.place([
            "says_of_itself": ["token_endpoint_auth_methods_supported": ["private_key_jwt"]],
            "registered": ["token_endpoint_auth_method": "private_key_jwt"],
        ])
        try home.signIn(Self.address)
        _ = try home.token("--url \(Self.address) --force-refresh")
        let listed = try home.run("keyfob client list --json | jq -c '.clients[] | [.authentication, .keyType]'")
        #expect(listed.text == "[\"private_key_jwt\",\"P-256\"]\n", "\(listed)")
    }

    private static let lies: [([String: any Sendable], String)] = [
        (["described": ["resource": "https://api.plain.example/other"]], "describes another resource"),
        (["described": ["resource": "https://evil.example/mcp"]], "describes another resource"),
        (["described": ["resource": "http://api.plain.example/mcp"]], "no usable resource"),
        (["described": ["authorization_servers": ["http://auth.plain.example"]]], "names no authorization server"),
        (["described": ["authorization_servers": ["https://127.0.0.1:1"]]], "names no authorization server"),
        (
            ["described": ["authorization_servers": ["https://10.0.0.1", "https://[fd00::1]"]]],
            "names no authorization"
        ),
        (["described": ["authorization_servers": [String]()]], "names no authorization server"),
        (["described": ["bearer_methods_supported": ["query"]]], "bearer_methods_supported"),
        (["filler": 1 << 21], "1 MiB"), (["moved": "https://evil.example/document"], "leads elsewhere"),
        (["says_of_itself": ["issuer": "https://evil.example"]], "another issuer"),
        (["says_of_itself": ["code_challenge_methods_supported": ["plain"]]], "PKCE"),
        (["says_of_itself": ["token_endpoint": "https://192.168.0.1/token"]], "no usable token_endpoint"),
        // A server that is after another one's codes.
        (["says_of_itself": elsewhere], "without answers that name their issuer"),
        (["says_of_itself": ["registration_endpoint": ""]], "--client"),
        (["registration": 400], "registers no client"), (["registration": 429], "asks to wait"),
        (["registered": ["client_id": ""]], "client_id"),
        (["registered": ["redirect_uris": ["https://evil.example/"]]], "redirect_uris"),
        (["registered": ["token_endpoint_auth_method": "client_secret_post"]], "client_secret"),
    ]
    private static let elsewhere: [String: any Sendable] = [
        "authorization_endpoint": "https://login.example/authorize",
        "authorization_response_iss_parameter_supported": false,
    ]

    @Test("what lies about itself gets nobody's sign-in, and nothing of it is kept")
    func liars() throws {
        let home = try Self.place()
        for (options, words) in Self.lies {
            try home.server.set(.init("plain", options))
            let outcome = try home.run("keyfob login \(Self.address)")
            #expect(outcome.status != 0 && outcome.errors.contains(words), "\(options): \(outcome)")
        }
        #expect(try !home.run("keyfob provider list --json").expectSuccess().text.contains("plain.example"))
        #expect(try !home.server.requests().contains { $0.path == "/authorize" })
    }

    @Test("of several authorization servers the first that can be used is asked, or the one that a person names")
    func several() throws {
        let servers = ["https://sso.contoso.example", "https://auth.plain.example"]
        let home = try Self.place(["described": ["authorization_servers": servers]])
        try home.run("keyfob login \(Self.address) --issuer https://evil.example").expectError(64, "does not name")
        try home.run("keyfob login \(Self.address) --issuer \(servers[0])").expectError(75)
        try home.signIn(Self.address)
        try home.run("keyfob login \(Self.address) --issuer \(servers[0])").expectError(73, "sign in at")
    }

    @Test("a client that a server has forgotten is registered anew, and one with a secret has it")
    func forgotten() throws {
        let home = try Self.place([
            "registered": ["token_endpoint_auth_method": "client_secret_basic", "client_secret": "p:ä+ %"]
        ])
        try home.signIn(Self.address)
        _ = try home.token("--force-refresh")
        let list = "keyfob client list --json | jq -r '.clients[].id'"
        let first = try home.run(list).text
        try home.server.set(.init("plain", ["forgets": true]))
        // Whoever sits at the browser sees that the server still forgets; the client is another one before.
        #expect(try home.run("BROWSER=true keyfob login \(Self.address) --timeout 1").status == 15)
        let second = try home.run(list).text
        #expect(first != second && second.split(separator: "\n").count == 1, "\(first) \(second)")
    }

    @Test(
        "MCP servers of others' let people in, and their tools are called behind a proxy",
        arguments: ["fastmcp", "sdk"])
    func servers(kind: String) throws {
        let server = try GuestServer.mcp(kind)
        let place = try Workplace.withVault(["KEYFOB_CA_FILE": server.folder + "/ca.pem"])
        let address = "https://\(server.host)/mcp"
        let browser = "BROWSER='\(PythonScript.interpreter) \(ProviderServer.visitorProgram) %s x --quiet'"
        try place.run("\(browser) keyfob login \(address) --quiet --name ada").expectSuccess()
        let list = try place.run("keyfob account list").expectSuccess().text
        #expect(list.contains("ada") && list.contains("-mcp  signed in"), "\(list)")
        let client = ProjectFolder.root.appending(path: "Tests/Provider/mcp_client.py").path
        let called = try place.run(
            "keyfob exec --proxy --env MCP=\(server.host)/mcp -- sh -c '\(PythonScript.interpreter) \(client) $MCP 2 3'"
        )
        #expect(called.expectSuccess().text == "5\n")
        try place.run("keyfob token --force-refresh").expectSuccess()
        try place.run("keyfob token --url https://\(server.host)/other").expectError(77)
        // The same client serves the next sign-in, until the server has forgotten it.
        try place.run("\(browser) keyfob login \(address) --quiet --account ada").expectSuccess()
        let registered = try server.registrations()
        #expect(registered.count == 1)
        try server.forget(registered)
        try place.run("\(browser) keyfob login \(address) --quiet --account ada").expectSuccess()
        #expect(try server.registrations().count == 2)
        try place.run("keyfob token --force-refresh").expectSuccess()
    }
}
