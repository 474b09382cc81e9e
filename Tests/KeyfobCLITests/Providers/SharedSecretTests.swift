import Foundation
import KeyfobTestSupport
import Testing

/// ID tokens that are signed with the client's secret (OpenID Connect Core, section 10.1), and by the other name of Ed25519.
@Suite("ID tokens that a client's secret signs", .waitsForPrograms)
struct SharedSecretTests {
    private static func outcome(_ options: [String: any Sendable], secret: Bool = true) throws -> (Outcome, [String]) {
        let all: [String: any Sendable] = ["methods": [secret ? "client_secret_post" : "none"]]
        let home = try NamedPlace(.init("strict", all.merging(options) { $1 }))
        let more = secret ? "--secret-fd 3 3< secret" : ""
        try home.run(
            """
            keyfob provider add --quiet --issuer https://strict.example --name strict \\
                && printf 'p:ä+ %%/&=' > secret && keyfob client add --quiet client-1 --provider strict \(more)
            """
        ).expectSuccess()
        return (try home.run("keyfob login --quiet strict --timeout 20"), try home.names())
    }

    @Test("are taken", arguments: ["HS256", "HS384", "HS512", "Ed25519"])
    func taken(algorithm: String) throws {
        let (outcome, names) = try Self.outcome(["id_tokens": algorithm])
        #expect(outcome.status == 0 && names == ["ada"], "\(outcome)")
    }

    @Test(
        "are not, by another secret, by a public key, without a secret, and where the provider does not say that it signs so",
        arguments: [
            ("HS256", "other", true, nil, "signature of the ID token is wrong"),
            ("HS512", "other", true, nil, "signature of the ID token is wrong"),
            ("HS256", "public", true, nil, "signature of the ID token is wrong"),
            ("HS256", "public", false, nil, "not signed as the provider signs"),
            ("HS256", "secret", false, nil, "not signed as the provider signs"),
            ("HS256", "secret", true, ["RS256"], "not signed as the provider signs"),
            ("HS256", "secret", true, [String](), "not signed as the provider signs"),
        ] as [(String, String, Bool, [String]?, String)])
    func refused(algorithm: String, key: String, secret: Bool, says: [String]?, words: String) throws {
        var options: [String: any Sendable] = ["id_tokens": algorithm, "id_key": key]
        if let says { options["wrong"] = ["id_token_signing_alg_values_supported": says] }
        let (outcome, names) = try Self.outcome(options, secret: secret)
        #expect(outcome.status == 69 && outcome.errors.contains(words) && names.isEmpty, "\(outcome)")
    }
}
