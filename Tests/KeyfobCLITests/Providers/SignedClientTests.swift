import Foundation
import KeyfobTestSupport
import Testing

/// Clients that sign who they are (RFC 7523): `Tests/Provider/standins/strict.py`, where jwcrypto judges what they say.
@Suite("Clients with a private key", .waitsForPrograms)
struct SignedClientTests {
    private static let issuer = "https://strict.example"

    /// A home with a provider, and a key of which the provider knows the public half.
    private static func home(
        _ kind: String = "P-256", _ form: String = "pkcs8", _ algorithm: String = "ES256",
        options: [String: any Sendable] = [:], client: String = "--client-key own --kid one"
    ) throws -> NamedPlace {
        let home = try NamedPlace(.init("strict"))
        let key = try made(kind, form, "own", in: home)
        let all: [String: any Sendable] = [
            "methods": ["private_key_jwt"], "client_keys": [key], "algorithms": [algorithm],
        ]
        try home.server.set(.init("strict", all.merging(options) { $1 }))
        try home.run(
            """
            keyfob provider add --quiet --issuer \(issuer) --name strict --api-host api.strict.example \\
                && keyfob client add --quiet client-1 --provider strict \(client) < own
            """
        ).expectSuccess()
        return home
    }

    private static func made(
        _ kind: String, _ form: String, _ file: String, in home: NamedPlace
    ) throws -> [String: String] {
        let public_ = try home.place.python("client_key", kind, form, file).output
        return try JSONDecoder().decode([String: String].self, from: public_)
    }

    /// What the token endpoint answered, request by request.
    private static func answers(_ home: NamedPlace, _ path: String = "/token") throws -> [Int] {
        let asked = try home.server.requests().filter { $0.path == path }
        #expect(asked.allSatisfy { $0.scheme == "private_key_jwt" }, "\(asked)")
        return asked.map(\.status)
    }

    @Test(
        "sign in, refresh and sign out, whatever the key is of and however it was written",
        arguments: [
            ("RSA", "pkcs8", "RS256", ""), ("RSA", "traditional", "PS256", ""), ("RSA", "jwk", "PS256", ""),
            ("RSA", "pkcs8", "PS512", "--signing-algorithm PS512"), ("P-256", "pkcs8", "ES256", ""),
            ("P-256", "traditional", "ES256", ""), ("P-384", "jwk", "ES384", ""), ("P-521", "pkcs8", "ES512", ""),
            ("Ed25519", "pkcs8", "EdDSA", ""), ("Ed25519", "jwk", "EdDSA", ""),
        ])
    func all(kind: String, form: String, algorithm: String, more: String) throws {
        let name = form == "jwk" ? "" : "--kid one"
        let home = try Self.home(kind, form, algorithm, client: "--client-key - \(name) \(more)")
        try home.signIn("strict")
        for _ in 0..<2 { _ = try home.token("--force-refresh") }
        try home.run("keyfob logout --quiet ada").expectSuccess()
        #expect(try Self.answers(home) == [200, 200, 200] && Self.answers(home, "/revoke") == [200])
    }

    @Test("a request is pushed, and a code is asked for on another device, by what the client signs")
    func others() throws {
        let home = try Self.home(options: ["push": "required", "interval": 1])
        try home.signIn("strict")
        try home.run("keyfob login --device strict --timeout 30").expectSuccess()
        #expect(try Self.answers(home, "/push") == [201] && Self.answers(home, "/device") == [200])
    }

    @Test("who wants the token endpoint's address signed gets it, from then on at once")
    func audience() throws {
        let home = try Self.home(options: ["audiences": ["token_endpoint"]])
        try home.signIn("strict")
        for _ in 0..<2 { _ = try home.token("--force-refresh") }
        #expect(try Self.answers(home) == [401, 200, 200, 200])
    }

    @Test("by a provider's clock that is another one", arguments: [600, -600])
    func clock(offset: Int) throws {
        let home = try Self.home(options: ["clock": offset])
        try home.signIn("strict")
        _ = try home.token("--force-refresh")
        #expect(try Self.answers(home) == [401, 200, 401, 200])
        let none = try Self.home(options: ["audiences": [String]()])
        try none.run("keyfob login --quiet strict --timeout 20").expectError(78, "invalid_client")
        #expect(try Self.answers(none) == [401, 401] && none.names().isEmpty)
    }

    @Test("a client that does not sign learns by which option it would, where nothing less is taken")
    func advice() throws {
        let home = try Self.home(options: ["says_methods": ["private_key_jwt"]], client: "")
        let outcome = try home.run("keyfob login --quiet strict --timeout 20")
        #expect(outcome.status == 78, "\(outcome)")
        #expect(
            outcome.errors.contains("'keyfob client add client-1 --provider strict --replace --client-key FILE'"),
            "\(outcome)")
    }

    @Test("another key, another name of it, and no key are refused, and nothing is stored")
    func strangers() throws {
        let home = try Self.home()
        _ = try Self.made("P-256", "pkcs8", "other", in: home)
        for words in ["--client-key other --kid one", "--client-key own --kid two", "--client-key own", ""] {
            try home.run("keyfob client add --quiet --replace client-1 --provider strict \(words)").expectSuccess()
            try home.run("keyfob login --quiet strict --timeout 20").expectError(78, "invalid_client")
        }
        #expect(try home.names().isEmpty)
    }

    @Test(
        "what is no private key, or one that nobody should sign by, is not taken",
        arguments: [
            ("P-256", "public", "holds no private key"), ("P-256", "twice", "more than one"),
            ("P-256", "encrypted", "encrypted"), ("RSA", "old-encrypted", "encrypted"),
            ("RSA-1024", "pkcs8", "fewer than 2048"), ("RSA-1024", "jwk", "fewer than 2048"),
        ])
    func flawed(kind: String, form: String, words: String) throws {
        let home = try Self.home()
        _ = try Self.made(kind, form, "own", in: home)
        let line = "keyfob client add --quiet other --provider strict --client-key"
        let outcome = try home.run("\(line) own")
        #expect(outcome.status == 65 && outcome.errors.contains(words), "\(outcome)")
        try home.run("head -c 300 /dev/urandom > noise; chmod 600 noise; \(line) noise").expectError(65)
        try home.run("chmod 644 own; \(line) own").expectError(78)
        let listed = try home.run("keyfob client list --json").expectSuccess().text
        #expect(!listed.contains("other"))
    }

    @Test("what a key cannot sign by is refused, and so is a secret beside it")
    func wrongWords() throws {
        let home = try Self.home()
        for words in [
            "--client-key own --signing-algorithm RS256", "--client-key own --signing-algorithm HS256",
            "--client-key own --signing-algorithm none", "--kid one", "--client-key own --secret-fd 3 3< own",
        ] {
            try home.run("keyfob client add --quiet other --provider strict \(words)").expectError(64)
        }
    }

    @Test("the key is shown nowhere, and a backup brings it back")
    func kept() throws {
        let home = try Self.home("P-256", "jwk")
        let shown = try home.run("keyfob client list --json; keyfob client list").expectSuccess().text
        let parts = try home.run("jq -r .d own").expectSuccess().text.trimmingCharacters(in: .newlines)
        #expect(shown.contains("private_key_jwt") && !shown.contains(parts) && !shown.contains("PRIVATE"), "\(shown)")
        try home.run(
            """
            keyfob backup --quiet --to all.age && keyfob client remove --quiet --force client-1
            ! keyfob login --quiet strict --client client-1 --timeout 20 \\
                && keyfob restore --quiet all.age --bundle-identity recovery --force
            """
        ).expectSuccess()
        try home.signIn("strict")
    }
}
