import Foundation
import KeyfobTestSupport
import Testing

@Suite("Signing in by browser", .waitsForPrograms)
struct BrowserSignInTests {
    private let server: ProviderServer
    private let home: SignInPlace

    init() throws {
        server = try ProviderServer.shared()
        home = try SignInPlace(server)
    }

    private static let said = "The browser asks you to sign in. If no browser opens, or the page does not load, go to"

    /// The fields of the authorization address that a login showed.
    private func fields(_ outcome: Outcome) throws -> [String: String] {
        let line = try #require(
            outcome.errors.split(separator: "\n").first { $0.contains("/authorize/?") }, "\(outcome)")
        let components = URLComponents(string: line.trimmingCharacters(in: .whitespaces))
        let items = (components?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        return Dictionary(items, uniquingKeysWith: { "\($0) and \($1)" })
    }

    @Test("in a real browser")
    func realBrowser() async throws {
        let browser = SignInPlace.browser("alice", program: ProviderServer.browserProgram)
        let outcome = try home.run("\(browser) keyfob login local --form-post").expectSuccess()
        #expect(outcome.text.isEmpty)
        // Where the browser takes long to start, that is said too.
        let lines = outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("Nothing has come to ") }
        #expect(lines.count == 3 && lines[0] == Self.said, "\(outcome)")
        #expect(try fields(outcome)["response_mode"] == "form_post")
        #expect(lines.last == "alice signed in (group default)")
        let token = try home.token()
        #expect(try await server.me(token).text("user") == "alice")
        try home.run("keyfob account refresh alice").expectSuccess()
        let refreshed = try home.token()
        #expect(refreshed != token)
        #expect(try await server.me(refreshed).text("user") == "alice")
    }

    @Test("two people have a token each, and a sign-in says in JSON whose it is")
    func twoPeople() async throws {
        for (user, id) in [("alice", "1"), ("bob", "2")] {
            let document = try home.place.document("\(SignInPlace.browser(user)) keyfob login local --quiet --json")
            #expect(document["account"] as? String == "\(id)@\(server.base.dropFirst("http://".count))", "\(document)")
            #expect(document["username"] as? String == user && document["isNew"] as? Bool == true, "\(document)")
            #expect(document["clientID"] as? String == ProviderServer.publicClient, "\(document)")
            #expect(document["hasRefreshToken"] as? Bool == true, "\(document)")
            #expect((document["declinedScopes"] as? [String])?.isEmpty == true, "\(document)")
        }
        for user in ["alice", "bob"] {
            #expect(try await server.me(home.token("--account \(user)")).text("user") == user)
        }
        try home.run("keyfob token --no-input").expectError(
            11, "fits 2 accounts (alice, bob); say which, for example --account alice")
        try home.expectSound()
    }

    @Test("who says no is told so, and nothing is stored", arguments: [false, true])
    func denied(inBrowser: Bool) throws {
        let program = inBrowser ? ProviderServer.browserProgram : ProviderServer.visitorProgram
        let browser = SignInPlace.browser("alice", "--deny", program: program)
        try home.run("\(browser) keyfob login local --quiet").expectError(15, "declined")
        #expect(try home.run("keyfob account list --quiet").text.split(separator: "\n").count == 1)
    }

    @Test("somebody else than was asked for is not stored, and their refresh token is revoked")
    func otherPerson() async throws {
        try home.signIn("alice")
        let before = try home.run("keyfob account list").text
        try home.run("\(SignInPlace.browser("carol")) keyfob login local --account alice --quiet")
            .expectError(1, "carol signed in, and not alice")
        #expect(try home.run("keyfob account list").text == before)
        try home.run("keyfob token --account carol").expectError(13)
        #expect(try await server.me(home.token()).text("user") == "alice")

        let requests = try server.requests()
        let revoked = Set(requests.filter { $0.path == "/o/revoke_token/" && $0.status == 200 }.map(\.token))
        let issued = requests.compactMap(\.issued).filter { revoked.contains($0) }
        #expect(!issued.isEmpty, "\(requests)")
        try home.expectSound()
    }

    @Test("what the person is shown can be chosen, and nobody is waited for longer than was said")
    func options() throws {
        let outcome = try home.run(
            """
            keyfob login local --no-browser --no-input --timeout 1 --prompt login --login-hint ada@contoso.example \\
                --domain-hint contoso.example --form-post --scope 'openid mail' --extra-scope files \\
                --acr-values 'gold silver' --max-age 60
            """)
        #expect(outcome.status == 15 && outcome.text.isEmpty, "\(outcome)")
        #expect(
            outcome.errors.hasSuffix(
                "\nkeyfob: nobody signed in within 1 seconds; run the command again; --timeout waits longer\n"),
            "\(outcome)")
        let fields = try fields(outcome)
        #expect(fields["prompt"] == "login" && fields["login_hint"] == "ada@contoso.example", "\(fields)")
        #expect(fields["domain_hint"] == "contoso.example" && fields["response_mode"] == "form_post", "\(fields)")
        #expect(fields["acr_values"] == "gold silver" && fields["max_age"] == "60", "\(fields)")
        #expect(fields["code_challenge_method"] == "S256" && fields["client_id"] == "keyfob-public", "\(fields)")
        let scopes = Set(fields["scope"]?.split(separator: " ").map(String.init) ?? [])
        #expect(scopes.isSuperset(of: ["openid", "mail", "files"]), "\(fields)")
        #expect(fields["redirect_uri"]?.hasPrefix("http://127.0.0.1:") == true, "\(fields)")
    }

    @Test("a browser that never comes back ends in one line, and can be ended like any program")
    func nobody() throws {
        try home.place.write("bin/look", "#!/bin/sh\ngrep SigBlk /proc/self/status > blocked\n")
        try home.run("chmod +x bin/look; BROWSER=look keyfob login local --quiet --timeout 1")
            .expectError(15, "within 1 second")
        try home.run("until [ -s blocked ]; do sleep 0.02; done").expectSuccess()
        #expect(String(decoding: try home.place.read("blocked"), as: UTF8.self) == "SigBlk:\t0000000000000000\n")
    }

    @Test("a port that somebody else uses is said, before anything is sent")
    func portInUse() throws {
        let port = try #require(URL(string: server.base)?.port)
        try home.run("keyfob login local --port \(port)").expectError(69, "port \(port) is in use", "--port")
    }

    @Test("without a browser here, the address where another one ends is pasted")
    func pasted() async throws {
        let visit = "\(PythonScript.interpreter) \(ProviderServer.visitorProgram)"
        let address = "$(tr -d '\\r' | grep -o 'http://[^ ]*/authorize/[^ ]*')"
        let run = try home.place.onTerminal(
            "keyfob login local --no-browser --timeout 120",
            steps: [
                ["paste here the address", "\nhttp://127.0.0.1:9/callback?code=a&state=b\n"],
                ["that is not the address", "\n", "\(visit) \"\(address)\" alice --stay"],
            ])
        #expect(run.status == 0 && run.screen.contains("alice signed in"), "\(run)")
        #expect(try await server.me(home.token()).text("user") == "alice")
    }

    @Test("what does not belong to the sign-in does not end it, and the answer counts once")
    func otherCallbacks() async throws {
        let answers = try home.signInWithDetours("alice").statuses
        #expect(answers["icon"].map { (400..<500).contains($0) } == true, "\(answers)")
        #expect(answers["otherState"].map { (400..<500).contains($0) } == true, "\(answers)")
        #expect(answers["noState"].map { (400..<500).contains($0) } == true, "\(answers)")
        #expect(answers["otherPath"].map { (400..<500).contains($0) } == true, "\(answers)")
        #expect(answers["answer"] == 200, "\(answers)")
        // Nobody listens any more, or it is refused.
        #expect(answers["again"].map { $0 == 0 || (400..<500).contains($0) } == true, "\(answers)")
        #expect(try await server.me(home.token()).text("user") == "alice")
    }
}
