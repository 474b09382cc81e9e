import Foundation
import KeyfobTestSupport
import Testing

/// The stand-in of `Tests/Provider/standins/wordless.py`.
@Suite("A provider that refuses without a word", .waitsForPrograms)
struct WordlessProviderTests {
    private func server(_ options: [String: any Sendable] = [:]) throws -> ProviderServer {
        try ProviderServer(.init("wordless", options))
    }

    @Test("signing in, tokens, a refresh and signing out, which takes a bearer token")
    func roundTrip() async throws {
        let server = try server(["delay_ms": 60])
        let home = try SignInPlace(server)
        try home.signIn("alice")
        let first = try home.token()
        #expect(try await server.me(first).text("user") == "alice")
        let old = try home.refreshToken()
        try home.run("keyfob account refresh alice").expectSuccess()
        #expect(try await server.me(home.token()).text("user") == "alice")
        #expect(try home.refreshToken() != old)
        let last = try home.token()
        let outcome = try home.run("keyfob logout alice").expectSuccess()
        #expect(!outcome.errors.contains("warning"), "\(outcome)")
        let revocations = try server.requests().filter { $0.path == "/o/revoke/" }
        #expect(revocations.map(\.status) == [200], "\(revocations)")
        #expect(revocations.first?.clientID == nil)
        #expect(try await server.me(last).status == 401)
        try home.expectSound()
    }

    @Test("an account whose access token is about to expire is revoked with a last new one")
    func lateRevocation() throws {
        let server = try server(["access_lifetime": 30])
        let home = try SignInPlace(server)
        try home.signIn("alice")
        let outcome = try home.run("keyfob logout alice").expectSuccess()
        #expect(!outcome.errors.contains("warning"), "\(outcome)")
        let requests = try server.requests()
        #expect(requests.last?.path == "/o/revoke/" && requests.last?.status == 200, "\(requests)")
        #expect(requests.last?.token == requests.last { $0.issued != nil }?.issued)
    }

    @Test("an old refresh token ends the grant, and the person is asked to sign in")
    func reuse() async throws {
        let server = try server()
        let home = try SignInPlace(server)
        try home.signIn("alice")
        let old = try home.refreshToken()
        try home.run("keyfob account refresh alice").expectSuccess()
        let answer = try await server.refresh(old)
        #expect(answer.status == 400 && answer.body.isEmpty, "\(answer)")
        try home.run("sleep 1.1; keyfob token --force-refresh").expectError(10, "must sign in")
        try home.signIn("alice", "--account alice")
        #expect(try await server.me(home.token()).text("user") == "alice")
    }

    @Test("an address that it does not know is explained while the browser is waited for, unless nothing is to be said")
    func unregistered() throws {
        let server = try server()
        let home = try SignInPlace(server)
        let line = "\(SignInPlace.browser("alice")) keyfob login local --port 19999 --timeout 2"
        let outcome = try home.run(line)
        #expect(outcome.status == 15, "\(outcome)")
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.dropLast().last?.contains("http://127.0.0.1:19999/callback") == true, "\(outcome)")
        #expect(lines.dropLast().last?.contains("--port") == true, "\(outcome)")
        #expect(lines.dropLast().last?.contains("--redirect-uri") == true, "\(outcome)")
        try home.run(line + " --quiet").expectError(15, "within 2 seconds")
    }

    @Test("registered addresses are taken to the letter, one after the other; [::1] is one")
    func redirects() throws {
        // Somebody listens at the first.
        let taken = try ProviderServer.shared().base + "/callback"
        let ports = try server().redirects + server().redirects
        let numbers = ports.compactMap { URL(string: $0)?.port }
        try #require(numbers.count == 2)
        let others = ["http://[::1]:\(numbers[0])/back", "http://localhost:\(numbers[1])"]
        let server = try server(["redirects": [taken] + others])
        let home = try SignInPlace(server)
        func used(_ options: String) throws -> String? {
            let outcome = try home.run("\(SignInPlace.browser("alice")) keyfob login local \(options)").expectSuccess()
            let line = outcome.errors.split(separator: "\n").first { $0.contains("/authorize/?") }
            let items = line.flatMap { URLComponents(string: $0.trimmingCharacters(in: .whitespaces)) }?.queryItems
            return items?.first { $0.name == "redirect_uri" }?.value
        }
        #expect(try used("") == others[0])
        #expect(try used("--port \(numbers[1])") == others[1])
        try home.run("keyfob client add app --provider local --redirect-uri http://127.0.0.2:9")
            .expectError(64, "localhost, 127.0.0.1 or [::1]")
    }

    @Test("the browser's page says that it went well only where the tokens are stored")
    func truePage() throws {
        let server = try server()
        let home = try SignInPlace(server)
        #expect(try home.signInWithDetours("alice").statuses["answer"] == 200)
        let program = PythonScript.path("callbacks")
        let browser = SignInPlace.browser("", "\(ProviderServer.visitorProgram) carol seen", program: program)
        let outcome = try home.run(
            """
            \(browser) keyfob login local --account alice --quiet
            until [ -s seen ]; do sleep 0.02; done
            cat seen
            """)
        #expect(outcome.errors.contains("carol signed in, and not alice"), "\(outcome)")
        let seen = try JSONDecoder().decode(SignInPlace.Detours.self, from: outcome.output)
        #expect(seen.statuses["answer"] == 400, "\(seen)")
    }

    @Test("options for the network may stand before the command; a lifetime that no token has is told")
    func options() throws {
        let server = try server(["access_lifetime": 600])
        let home = try SignInPlace(server)
        try home.signIn("alice")
        let outcome = try home.run("keyfob --verbose token --min-validity 3600").expectSuccess()
        #expect(outcome.errors.contains("keyfob: network: POST \(server.issuer)/token/: 200"), "\(outcome)")
        #expect(outcome.errors.contains("valid for 600 seconds") && outcome.errors.contains("3600"), "\(outcome)")
        #expect(try !home.run("keyfob token --min-validity 300").expectSuccess().errors.contains("warning"))
    }
}
