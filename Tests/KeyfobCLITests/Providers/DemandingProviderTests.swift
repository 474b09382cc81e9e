import Foundation
import KeyfobTestSupport
import Testing

/// Sign-ins at a provider that wants its client, its request and its person as it likes: `Tests/Provider/standins/strict.py`.
@Suite("Providers that want more than others", .waitsForPrograms)
struct DemandingProviderTests {
    private static let issuer = "https://strict.example"

    private static func home(_ options: [String: any Sendable] = [:], adding: String = "") throws -> NamedPlace {
        let home = try NamedPlace(.init("strict", options))
        try home.run(
            """
            keyfob provider add --quiet --issuer \(issuer) --name strict --api-host api.strict.example \(adding) \\
                && printf 'p:ä+ %%/&=' > secret \\
                && keyfob client add --quiet client-1 --provider strict --secret-fd 3 3< secret
            """
        ).expectSuccess()
        return home
    }

    /// How a client showed its secret, request by request.
    private static func ways(_ home: NamedPlace, _ path: String = "/token") throws -> [String] {
        try home.server.requests().filter { $0.path == path }.map {
            $0.scheme?.replacing("client_secret_", with: "") ?? "-"
        }
    }

    @Test(
        "a secret that is refused in one place is shown in the other, from then on there alone",
        arguments: [
            // Where the document is silent, or names both.
            (nil, ["post", "basic", "basic", "basic"]),
            (["client_secret_post", "client_secret_basic"], ["post", "basic", "basic", "basic"]),
            // Where it says so.
            (["client_secret_basic"], ["basic", "basic", "basic"]),
        ] as [([String]?, [String])])
    func client(says: [String]?, expected: [String]) throws {
        let home = try Self.home(says.map { ["says_methods": $0] } ?? [:])
        try home.signIn("strict")
        for _ in 0..<2 { _ = try home.token("--force-refresh") }
        #expect(try Self.ways(home) == expected)
    }

    @Test("a secret that is refused in both places is refused, and shown in no place that the provider does not name")
    func wrongSecret() throws {
        let home = try Self.home(["says_methods": ["client_secret_post"]])
        let outcome = try home.run("keyfob login strict --timeout 20")
        #expect(outcome.status == 78 && outcome.errors.contains("invalid_client"), "\(outcome)")
        #expect(try Self.ways(home) == ["post"])
        try home.server.set(.init("strict", ["methods": ["none"]]))
        try home.run("keyfob login --quiet strict --timeout 20").expectError(78, "invalid_client")
    }

    @Test("a refresh shows the secret in the other place too, and a client that is added again begins anew")
    func refresh() throws {
        let home = try Self.home(["methods": ["client_secret_post"]])
        try home.signIn("strict")
        try home.server.set(.init("strict", ["methods": ["client_secret_basic"]]))
        for _ in 0..<2 { _ = try home.token("--force-refresh") }
        #expect(try Self.ways(home) == ["post", "post", "basic", "basic"])
        try home.run("keyfob client add --quiet --replace client-1 --provider strict --secret-fd 3 3< secret")
            .expectSuccess()
        _ = try home.token("--force-refresh")
        #expect(try Self.ways(home).suffix(2) == ["post", "basic"])
    }

    @Test("a code on another device is asked for by a client that shows its secret in the other place")
    func device() throws {
        let home = try Self.home(["methods": ["client_secret_basic"], "interval": 1])
        try home.run("keyfob login --device strict --timeout 20").expectSuccess()
        #expect(try Self.ways(home).contains("basic"))
    }

    @Test("fields of the provider's own go along, by its description or by the account, and are kept")
    func parameters() throws {
        let home = try Self.home(
            ["wants": ["audience": "https://api", "x-a": "1&b=c"]], adding: "--parameter x-a='1&b=c'")
        try home.run("keyfob login --quiet strict --timeout 20").expectError(69, "audience is missing")
        try home.signIn("strict", "--parameter audience=https://api")
        // The account's are sent again, also after a refresh has replaced what they are kept with.
        _ = try home.token("--force-refresh")
        try home.signIn("strict", "--account ada")
        try home.run("keyfob login --quiet --account ada --parameter '' --timeout 20").expectError(
            69, "audience is missing")
        try home.signIn("strict", "--account ada")
        let shown = try home.run("keyfob provider show strict; keyfob provider show --json strict").expectSuccess().text
        #expect(shown.contains("x-a=1&b=c") && shown.contains("\"parameters\""), "\(shown)")
        try home.run("keyfob provider show --json strict | keyfob provider add --replace --quiet -").expectSuccess()
        try home.signIn("strict", "--account ada")
    }

    @Test(
        "no field that OAuth means is taken for one of the provider's own",
        arguments: [
            "scope=x", "STATE=x", "redirect_uri=https://evil.example", "request=x", "prompt=none", "a b=c", "a=", "a",
            "=b",
        ])
    func reserved(parameter: String) throws {
        let home = try Self.home()
        try home.run("keyfob login strict --parameter '\(parameter)'").expectError(64)
        try home.run(
            "keyfob provider add --issuer https://other.example --parameter '\(parameter)'"
        ).expectError(64)
        let count = try home.server.requests().count { $0.path == "/authorize" }
        #expect(count == 0)
    }

    @Test("a refresh token comes although the provider gives it only to those who are asked for consent")
    func consent() throws {
        let home = try Self.home()
        try home.signIn("strict")
        _ = try home.token("--force-refresh")
    }

    @Test("addresses that no sign-in needs and that cannot be used are left out, and that is said once")
    func wrongAddresses() throws {
        let home = try Self.home([
            "wrong": [
                "end_session_endpoint": "http://sso.example/end", "revocation_endpoint": "", "userinfo_endpoint": "/me",
            ]
        ])
        let browser = home.server.environment["BROWSER"] ?? ""
        let outcome = try home.run("BROWSER='\(browser)' keyfob login strict").expectSuccess()
        #expect(
            outcome.errors.contains(
                "names no usable address as its revocation_endpoint, end_session_endpoint, userinfo_endpoint"),
            "\(outcome)")
        let again = try home.run("keyfob token --force-refresh").expectSuccess()
        #expect(!again.errors.contains("usable"), "\(again)")
    }

    @Test(
        "an authorization request is left with the provider, where that offers it", arguments: ["offered", "required"])
    func pushed(push: String) throws {
        let home = try Self.home(["push": push])
        try home.signIn("strict")
        _ = try home.token("--force-refresh")
        let asked = try home.server.requests().filter { $0.path == "/authorize" }
        #expect(asked.count == 1 && asked.allSatisfy { $0.hook == "pushed" }, "\(asked)")
        #expect(try Self.ways(home, "/push") == ["post", "basic"])
        // Whoever opens the address later finds what the provider does not forget, unless it takes nothing else.
        let printed = try home.run("keyfob login strict --no-browser --timeout 1")
        #expect(printed.errors.contains("request_uri=") == (push == "required"), "\(printed)")
    }

    @Test("where a provider refuses what it offers, the browser asks; where it requires it, that is said")
    func refusedPush() throws {
        let home = try Self.home(["push": "offered"])
        try home.server.control(.init(paths: ["/push"], status: 500))
        try home.signIn("strict")
        #expect(try home.server.requests().filter { $0.path == "/authorize" }.allSatisfy { $0.hook == nil })
        let strict = try Self.home(["push": "required"])
        try strict.server.control(.init(paths: ["/push"], status: 201, body: ["expires_in": "60"]))
        try strict.run("keyfob login --quiet strict --timeout 20").expectError(69, "lacks request_uri")
        #expect(try strict.server.requests().allSatisfy { $0.path != "/authorize" })
    }
}
