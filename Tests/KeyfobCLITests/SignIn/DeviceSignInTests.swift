import Foundation
import KeyfobTestSupport
import Testing

@Suite("Signing in on another device", .waitsForPrograms)
struct DeviceSignInTests {
    private let server: ProviderServer
    private let home: SignInPlace

    init() throws {
        server = try ProviderServer.shared()
        home = try SignInPlace(server, client: ProviderServer.deviceClient)
    }

    /// Starts a login, lets `user` type the code that it shows, and tells how it ended.
    private func signIn(_ user: String, program: String, _ options: String = "", deny: Bool = false) throws -> Outcome {
        try home.run(
            """
            keyfob login --device local \(options) 2> err & login=$!
            until code=$(sed -n '/ and type this code:$/{n;n;s/^ *//p;}' err) && [ -n "$code" ]; do sleep 0.05; done
            url=$(sed -n 's/^Open \\(.*\\) and type this code:$/\\1/p' err)
            "$PYTHON" \(program) "$url" \(user) --code "$code" \(deny ? "--deny" : "") > seen || exit 99
            wait $login; status=$?
            cat err >&2; exit $status
            """)
    }

    @Test(
        "a person types the code in a browser",
        arguments: [ProviderServer.browserProgram, ProviderServer.visitorProgram])
    func types(program: String) async throws {
        let outcome = try signIn("bob", program: program).expectSuccess()
        #expect(outcome.text.isEmpty && outcome.errors.contains("\nIt is good for "), "\(outcome)")
        #expect(
            outcome.errors.hasSuffix("bob signed in (group default)\n"), "\(outcome)")
        #expect(try await server.me(home.token()).text("user") == "bob")
        try home.run("keyfob account refresh bob").expectSuccess()
        #expect(try await server.me(home.token()).text("client") == ProviderServer.deviceClient)
    }

    @Test("JSON on standard output leaves the code on standard error")
    func json() throws {
        let outcome = try signIn("carol", program: ProviderServer.visitorProgram, "--json --quiet").expectSuccess()
        let document = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
        #expect(document?["username"] as? String == "carol", "\(outcome)")
        #expect(!outcome.errors.contains("signed in"), "\(outcome)")
    }

    @Test("it waits no longer than it is told to")
    func timeout() throws {
        let outcome = try home.run("keyfob login --device local --timeout 1", deadline: 60)
        let end = "keyfob: nobody signed in within 1 seconds; run the command again; --timeout waits longer\n"
        #expect(outcome.status == 15 && outcome.errors.hasSuffix(end), "\(outcome)")
        try home.run("keyfob login --device local --timeout 0").expectError(64, "--timeout")
        try home.run("keyfob token").expectError(13, "no account")
    }

    @Test("who says no there has declined")
    func denied() throws {
        let outcome = try signIn("carol", program: ProviderServer.visitorProgram, deny: true)
        #expect(
            outcome.status == 15 && outcome.errors.hasSuffix("keyfob: the sign-in was declined on the other device\n"),
            "\(outcome)")
        try home.run("keyfob token --account carol").expectError(13)
    }
}
