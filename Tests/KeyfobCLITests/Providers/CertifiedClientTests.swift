import Foundation
import KeyfobTestSupport
import Testing

/// Clients that show a certificate where TLS is agreed on, and tokens that are bound to it (RFC 8705): `Tests/Provider/standins/strict.py`,
/// whose TLS asks for one, and which compares it.
@Suite("Clients with a certificate", .waitsForPrograms)
struct CertifiedClientTests {
    private static let issuer = "https://strict.example"
    private static let api = "https://api.strict.example/api"

    private struct Made: Decodable {
        let certificate: String
        let authority: String
    }

    /// A home with a provider that knows a certificate, and a client that shows it.
    private static func home(
        _ kind: String = "P-256", _ form: String = "self", options: [String: any Sendable] = [:],
        client: String = "--client-certificate own.pem"
    ) throws -> NamedPlace {
        let home = try NamedPlace(.init("strict"))
        try know(try made(kind, form, "own", in: home), options, home)
        try home.run(
            """
            keyfob provider add --quiet --issuer \(issuer) --name strict --api-host api.strict.example \\
                && keyfob client add --quiet client-1 --provider strict \(client) < own.key
            """
        ).expectSuccess()
        return home
    }

    private static func know(_ made: Made..., options: [String: any Sendable] = [:], in home: NamedPlace) throws {
        let usual: [String: any Sendable] = [
            "methods": ["tls_client_auth"], "says_methods": ["tls_client_auth"], "mtls": "aliases",
            "certificate": made[0].certificate, "authorities": made.map(\.authority), "interval": 1,
        ]
        try home.server.set(.init("strict", usual.merging(options) { $1 }))
    }

    private static func know(_ made: Made, _ options: [String: any Sendable], _ home: NamedPlace) throws {
        try know(made, options: options, in: home)
    }

    private static func made(_ kind: String, _ form: String, _ name: String, in home: NamedPlace) throws -> Made {
        try JSONDecoder().decode(
            Made.self, from: home.place.python("client_certificate", kind, form, name).output)
    }

    /// What was answered at a path, request by request; all with a certificate.
    private static func answers(_ home: NamedPlace, _ path: String = "/token") throws -> [Int] {
        let asked = try home.server.requests().filter { $0.path == path }
        #expect(asked.allSatisfy { $0.certified == true }, "\(asked)")
        return asked.map(\.status)
    }

    @Test(
        "sign in, send requests, refresh and sign out, at addresses for that or the usual ones",
        arguments: [
            ("P-256", "self", "aliases", "--client-certificate own.pem"),
            ("RSA", "issued", "direct", "--client-certificate own.pem"),
            ("P-384", "issued", "aliases", "--client-certificate own.crt --client-key own.key"),
            ("Ed25519", "self", "direct", "--client-certificate own.crt --client-key -"),
        ])
    func all(kind: String, form: String, place: String, client: String) throws {
        let method = form == "self" ? "self_signed_tls_client_auth" : "tls_client_auth"
        let home = try Self.home(
            kind, form, options: ["mtls": place, "methods": [method], "says_methods": [method]], client: client)
        try home.signIn("strict")
        for _ in 0..<2 {
            let answer = try home.run("keyfob request \(Self.api) -X POST --data 'a b'").expectSuccess()
            #expect(answer.text.contains("\"user\": \"ada\"") && answer.text.contains("a b"), "\(answer)")
            try home.run("keyfob request \(Self.api) --force-refresh").expectSuccess()
        }
        try home.run("keyfob account refresh ada").expectSuccess()
        try home.run("keyfob logout --quiet ada").expectSuccess()
        #expect(try Self.answers(home) == [200, 200, 200, 200] && Self.answers(home, "/revoke") == [200])
        #expect(try Self.answers(home, "/api").allSatisfy { $0 == 200 })
        let host = place == "aliases" ? "mtls.strict.example" : "strict.example"
        #expect(try home.server.requests().filter { $0.path == "/token" }.allSatisfy { $0.host == host })
    }

    @Test("a request is pushed, a name is asked for, and so is a code on another device, with the certificate")
    func others() throws {
        let home = try Self.home(options: ["push": "required", "names": "userinfo"])
        try home.signIn("strict")
        try home.run("keyfob login --device strict --timeout 30").expectSuccess()
        #expect(try Self.answers(home, "/push") == [201] && Self.answers(home, "/device") == [200])
        #expect(try Self.answers(home, "/userinfo") == [200, 200])
        try home.run("keyfob request \(Self.api) --account ada").expectSuccess()
    }

    private static let kubectl =
        #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":false,"cluster":{"server":"https://api.strict.example"}}}"#

    @Test(
        "nobody gets a bound token alone, whichever way they ask, and the refresh token stays unused",
        arguments: [
            "keyfob token", "keyfob token --header", "keyfob token --json", "keyfob token --offline",
            "keyfob token --force-refresh", "keyfob token --format az", "keyfob token --url \(api)",
            "keyfob token --sasl xoauth2", "keyfob exec --env T -- sh -c 'echo $T'",
            "echo keyfob://ada/ > text && keyfob inject -i text",
            "KUBERNETES_EXEC_INFO='\(kubectl)' keyfob helper kubectl",
            "printf 'protocol=https\\nhost=api.strict.example\\n\\n' | git-credential-keyfob get",
            "echo api.strict.example | docker-credential-keyfob get",
            "keyfob exec --proxy --env API=api.strict.example/api -- sh -c 'curl -sS \"$API\"'",
            "keyfob export --format msal cache.json; cat cache.json",
        ])
    func alone(line: String) throws {
        let home = try Self.home(options: ["tokens": "jwt"])
        try home.signIn("strict")
        let outcome = try home.run(line)
        // Of what the client got nothing is told but who signed in.
        let token = line.hasPrefix("keyfob export") ? "\"AccessToken\":{\"" : "eyJ"
        for words in ["X509", "PRIVATE", "password=", "Secret\":\"", "\"user\"", token] {
            #expect(!outcome.text.contains(words), "\(words): \(outcome)")
        }
        // By each of them, and not because there is no such command.
        #expect(
            line.hasPrefix("keyfob export") || outcome.errors.contains("certificate")
                || outcome.text.contains("certificate"), "\(outcome)")
        if line.hasPrefix("keyfob token") {
            #expect(
                outcome.status == 77 && outcome.errors.contains("keyfob request") && !outcome.errors.contains("proxy"),
                "\(outcome)")
        }
        #expect(try home.refreshes() == 0)
    }

    @Test("an account that moves to another group takes no key of its client there") func moved() throws {
        let home = try Self.home(options: ["tokens": "jwt"])
        try home.signIn("strict")
        let kinds = "keyfob account show ada --json | jq -r '[.credentials[].kind] | sort | join(\" \")'"
        #expect(try home.run(kinds).text == "access_token id_token refresh_token\n")
        try home.run("keyfob group create -q other && keyfob account move -q ada --to other").expectSuccess()
        #expect(try home.run(kinds).text == "id_token refresh_token\n")
    }

    @Test(
        "a token is bound where it says so, else where the provider says so",
        arguments: [
            ("jwt", true, true, 77), ("jwt", true, false, 77), ("jwt", false, true, 0), ("opaque", true, true, 77),
            ("opaque", false, false, 0),
        ])
    func bound(tokens: String, binds: Bool, says: Bool, status: Int) throws {
        let home = try Self.home(options: ["tokens": tokens, "binds": binds, "says_binds": says])
        try home.signIn("strict")
        #expect(try home.run("keyfob token").status == Int32(status))
        try home.run("keyfob request \(Self.api)").expectSuccess()
        let shown = try home.run("keyfob account show ada --json").expectSuccess().text
        #expect(shown.contains("mTLS") == (status != 0) && !shown.contains("PRIVATE"), "\(shown)")
    }

    @Test("a client that shows nothing else has its refresh token bound too; another certificate wants another sign-in")
    func publicClient() throws {
        let home = try Self.home(options: ["methods": ["none"], "says_methods": ["none"]])
        try home.signIn("strict")
        try home.run("keyfob account refresh ada").expectSuccess()
        let text = try home.run("cat own.crt").expectSuccess().text
        let own = Made(certificate: text, authority: text)
        let other = try Self.made("P-256", "self", "other", in: home)
        // What was bound to the old one stays so, and of use.
        try home.run("keyfob client add --quiet --replace client-1 --provider strict --client-certificate other.pem")
            .expectSuccess()
        let options: [String: any Sendable] = ["methods": ["none"], "says_methods": ["none"]]
        try Self.know(other, own, options: options, in: home)
        try home.run("keyfob request \(Self.api)").expectSuccess()
        try home.run("keyfob account refresh ada").expectError(10)
        try home.signIn("strict", "--account ada")
        try home.run("keyfob request \(Self.api)").expectSuccess()
    }

    @Test("another certificate and none are refused, and nothing is stored")
    func strangers() throws {
        let home = try Self.home()
        let own = try Self.made("P-256", "self", "own", in: home)
        let other = try Self.made("P-256", "self", "other", in: home)
        try Self.know(own, other, in: home)
        for words in ["--client-certificate other.pem", ""] {
            try home.run("keyfob client add --quiet --replace client-1 --provider strict \(words)").expectSuccess()
            try home.run("keyfob login --quiet strict --timeout 20").expectError(78, "invalid_client")
        }
        #expect(try home.names().isEmpty)
    }

    @Test("what is no certificate with its key is not taken")
    func flawed() throws {
        let home = try Self.home()
        _ = try Self.made("RSA", "self", "other", in: home)
        let line = "keyfob client add --quiet other --provider strict --client-certificate"
        for (words, status, expected) in [
            ("own.key", 65, "no certificate"), ("own.crt --client-key own.crt", 78, "open to other users"),
            ("own.crt --client-key other.key", 65, "not that of the private key"),
            ("own.pem --client-key own.key", 65, "more than one"), ("- --client-key - < own.pem", 64, "from one file"),
            ("own.pem --kid one", 64, "--kid"), ("own.pem --secret-fd 3 3< own.key", 64, "not both"),
        ] {
            let outcome = try home.run("\(line) \(words)")
            #expect(outcome.status == Int32(status) && outcome.errors.contains(expected), "\(words) \(outcome)")
        }
        try home.run("chmod 600 own.crt; \(line) own.crt").expectError(65)
        try home.run("chmod 644 own.pem; \(line) own.pem").expectError(78)
        #expect(try !home.run("keyfob client list --json").expectSuccess().text.contains("other"))
    }

    @Test("key and certificate are shown nowhere, and a backup brings them back with the tokens")
    func kept() throws {
        let home = try Self.home()
        try home.signIn("strict")
        let shown = try home.run("keyfob client list --json; keyfob client list").expectSuccess().text
        #expect(
            shown.contains("tls_client_auth") && !shown.contains("PRIVATE") && !shown.contains("CERTIF"), "\(shown)")
        try home.run(
            """
            keyfob backup --quiet --to all.age && keyfob client remove --quiet --force client-1
            keyfob account remove --quiet --force ada
            keyfob restore --quiet all.age --bundle-identity recovery --force
            """
        ).expectSuccess()
        try home.run("keyfob request \(Self.api)").expectSuccess()
        try home.run("keyfob account refresh ada").expectSuccess()
    }
}
