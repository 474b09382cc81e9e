import Foundation
import KeyfobTestSupport
import Testing

@Suite("A provider that misbehaves", .waitsForPrograms, .serialized)
struct MisbehavingProviderTests {
    // One for all of them, one after the other.
    private static let started = Result { try ProviderServer() }
    private let server: ProviderServer
    private let home: SignInPlace

    init() throws {
        server = try Self.started.get()
        try server.control(.init())
        home = try SignInPlace(server)
    }

    /// What the token endpoint does with a refresh, and how the command that asked ends.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let control: ProviderServer.Control
        let status: Int32
        let words: String
        /// How the next command ends, when the provider is well again.
        var next: Int32 = 0

        init(_ name: String, _ control: ProviderServer.Control, _ status: Int32, _ words: String, next: Int32 = 0) {
            testDescription = name
            self.control = control
            self.status = status
            self.words = words
            self.next = next
        }
    }

    static let cases = [
        Case("503", .init(status: 503), 75, "status 503"),
        Case("500", .init(status: 500), 75, "status 500"),
        Case("a page of HTML", .init(status: 200), 69, "web page"),
        Case("a refusal without a body", .init(isEmptyRefusal: true), 10, "must sign in"),
        Case("a redirection", .init(status: 302, location: "http://127.0.0.1:9/elsewhere"), 69, "status 302"),
        Case("too long an answer", .init(status: 200, filler: 2 << 20), 69, "longer than 1 MiB"),
        Case("no answer to what was done", .init(dropsAnswer: true), 75, "did not answer", next: 10),
    ]

    @Test("a refresh ends in one line, and with the vault sound", arguments: cases)
    func refresh(_ example: Case) throws {
        try home.signIn("alice")
        var control = example.control
        control.grantTypes = ["refresh_token"]
        try server.control(control)
        let count = try server.requests().count
        try home.run("keyfob account refresh alice").expectError(example.status, example.words)
        let requests = try server.requests().dropFirst(count)
        #expect(requests.map(\.path) == ["/o/token/"], "\(requests)")
        try home.expectSound()
        try server.control(.init())
        // Who asks within the same second shares the answer of the one before.
        let next = try home.run("sleep 1.1; keyfob token --force-refresh")
        #expect(next.status == example.next, "\(next)")
        if control.dropsAnswer == true { next.expectError(10, "a refresh was cut off") }
        if next.status != 0 { try home.signIn("alice", "--account alice") }
        try home.run("keyfob account refresh alice --quiet").expectSuccess()
        try home.expectSound()
    }

    @Test("who has been asked to wait does, in every process, and uses what is still valid")
    func throttled() throws {
        try home.signIn("alice")
        let token = try home.token()
        try server.control(.init(grantTypes: ["refresh_token"], status: 429, retryAfter: "120"))
        let count = try server.refreshes().count
        try home.run("keyfob account refresh alice").expectError(75, "asks to wait")
        #expect(try server.refreshes().count == count + 1)
        for _ in 0..<2 { try home.run("keyfob token --force-refresh").expectError(75, "asks to wait", "seconds") }
        #expect(try home.token() == token)
        try home.run("keyfob token --min-validity 86400").expectError(75, "asks to wait")
        #expect(try server.refreshes().count == count + 1)
        try home.expectSound()
    }

    @Test("fewer scopes than were asked for are stored, and told with a status of their own")
    func fewerScopes() async throws {
        try server.control(.init(scopes: "openid profile offline_access"))
        let login = try home.run(
            "\(SignInPlace.browser("alice")) keyfob login local --quiet --scope 'openid offline_access mail files'")
        login.expectError(14, "mail", "files", "granted and stored")
        #expect(try await server.me(home.token()).text("user") == "alice")

        try server.control(.init())
        try home.signIn("bob", "--scope 'openid offline_access mail'")
        try server.control(.init(scopes: "openid offline_access"))
        try home.run("keyfob token --account bob --scope mail --force-refresh").expectError(14, "mail")
        try home.expectSound()
    }

    @Test("a discovery document of somebody else is not used")
    func otherIssuer() throws {
        try server.control(
            .init(paths: ["/o/.well-known/openid-configuration"], issuer: "https://login.contoso.example"))
        let count = try server.requests().count
        try home.run("BROWSER=true keyfob login local --quiet --timeout 1").expectError(69, "issuer")
        let requests = try server.requests().dropFirst(count)
        #expect(requests.map(\.path) == ["/o/.well-known/openid-configuration"], "\(requests)")
    }

    @Test("a token endpoint that fails at sign-in leaves nothing behind", arguments: [200, 400, 503])
    func failedSignIn(status: Int) throws {
        try server.control(.init(grantTypes: ["authorization_code"], status: status))
        let login = try home.run("\(SignInPlace.browser("alice")) keyfob login local --quiet")
        login.expectError(status == 503 ? 75 : status == 400 ? 69 : 69)
        try home.run("keyfob token").expectError(13, "no account")
        try server.control(.init())
        try home.signIn("alice")
    }

    @Test(
        "a clock that is wrong by ten minutes does no harm to a refresh, and is named at a sign-in",
        arguments: [-600, 600])
    func clock(offset: Int) async throws {
        try #require(
            try home.run("command -v faketime").status == 0,
            "there is no faketime; Scripts/install-dependencies --test installs it")
        let wrong = "faketime -f '\(offset < 0 ? "" : "+")\(offset)s'"
        let login = try home.run("\(SignInPlace.browser("alice")) \(wrong) keyfob login local --quiet")
        if offset < 0 {
            login.expectError(69, "the ID token is from the future; check this machine's clock\n")
            try home.signIn("alice")
        } else {
            login.expectSuccess()
        }
        let first = try home.token()
        let second = try home.run("\(wrong) keyfob token --force-refresh").expectSuccess().text
        #expect(second != first + "\n")
        #expect(try await server.me(second.trimmingCharacters(in: .newlines)).text("user") == "alice")
        try home.run("keyfob account refresh alice --quiet").expectSuccess()
        try home.expectSound()
    }
}
