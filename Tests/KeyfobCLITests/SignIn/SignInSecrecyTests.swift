import Foundation
import KeyfobTestSupport
import Testing

@Suite("What is written while somebody signs in", .waitsForPrograms)
struct SignInSecrecyTests {
    private let server: ProviderServer
    private let home: SignInPlace

    init() throws {
        server = try ProviderServer()
        home = try SignInPlace(server)
        try home.run("mkdir log").expectSuccess()
    }

    /// The example of RFC 7636, appendix B.
    private static let sample = (
        verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    )

    /// The tokens that are stored, of every kind.
    private func stored() throws -> Set<String> {
        let kinds = ["AccessToken", "RefreshToken", "IdToken"]
        return Set(try kinds.flatMap { try home.secrets($0).values }.filter { !$0.isEmpty })
    }

    private func field(_ name: String, of address: String) throws -> String {
        let items = URLComponents(string: address)?.queryItems ?? []
        return try #require(items.first { $0.name == name }?.value, "\(address)")
    }

    /// Runs a line whose words go to the log, as verbose as it gets; how it ends is another test's matter.
    private func logged(_ line: String) throws {
        try home.run("{ \(line); } >> log/all 2>&1; true")
    }

    @Test("no message, no log and no file holds a token, a code or a verifier")
    func nothing() throws {
        var secrets: Set<String> = []
        let seen = try home.signInWithDetours("alice", "--verbose 2>> log/all")
        let code = try field("code", of: seen.address)
        let challenge = try field("code_challenge", of: seen.url)
        secrets.insert(code)
        secrets.formUnion(try stored())

        for line in [
            "account refresh alice --verbose", "account refresh alice --verbose --json",
            "request --verbose \(server.issuer)/userinfo/", "request --verbose \(server.base)/nothing",
            "request --verbose -X POST --data @key \(server.base)/api/me", "account show alice --json",
            "which --json", "status --json", "doctor", "token --scope absent --verbose",
        ] {
            try logged("keyfob \(line)")
            secrets.formUnion(try stored())
        }
        let failures: [ProviderServer.Control] = [
            .init(status: 500), .init(status: 200), .init(status: 429, retryAfter: "1"), .init(isEmptyRefusal: true),
            .init(status: 302, location: "http://127.0.0.1:9/"), .init(status: 200, filler: 2 << 20),
            .init(dropsAnswer: true),
        ]
        for control in failures {
            try server.control(control)
            try logged("keyfob account refresh alice --verbose")
            try logged("keyfob token --force-refresh --verbose --json > /dev/null")
            try logged("\(SignInPlace.browser("alice")) keyfob login local --verbose")
            try server.control(.init())
            try logged("\(SignInPlace.browser("alice")) keyfob login local --verbose")
            secrets.formUnion(try stored())
        }
        try server.control(.init(paths: ["/api/me", "/o/revoke_token/"], status: 401))
        try logged("keyfob request --verbose \(server.base)/api/me")
        try logged("\(SignInPlace.browser("bob")) keyfob login local --account alice --verbose")
        try logged("\(SignInPlace.browser("bob", "--deny")) keyfob login local --verbose")
        secrets.formUnion(try stored())
        try logged("keyfob logout alice --verbose")
        #expect(secrets.count > 20, "\(secrets.count)")

        struct Task: Encodable {
            let secrets: [String]
            let challenges: [String]
        }
        let task = try JSONEncoder().encode(
            Task(secrets: secrets.sorted(), challenges: [challenge, Self.sample.challenge]))
        let found = try home.place.python(
            "find_secrets", home.place.path + "/log", home.place.path + "/data", home.place.path + "/state", input: task
        )
        #expect(found.text.split(separator: "\n").count == 1, "\(found)")
        // It does find what is there.
        let log = try home.place.read("log/all")
        #expect(String(decoding: log, as: UTF8.self).contains("keyfob: network: POST \(server.issuer)/token/: 200\n"))
        let encoded = Data((secrets.first ?? "").utf8).base64EncodedString()
        try home.place.write("log/proof", "\(encoded) \(Self.sample.verifier)")
        let proof = try home.place.python("find_secrets", home.place.path + "/log", input: task)
        #expect(proof.text.split(separator: "\n").filter { $0.hasSuffix("/log/proof") }.count == 2, "\(proof)")
    }
}
