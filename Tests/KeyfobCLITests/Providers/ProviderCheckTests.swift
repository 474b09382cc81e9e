import Foundation
import KeyfobTestSupport
import Testing

/// What a provider is found to offer: `Tests/Provider/standins/strict.py`.
@Suite("A look at a provider", .waitsForPrograms)
struct ProviderCheckTests {
    private static let add = "keyfob provider add --issuer https://strict.example --name strict"

    private struct Report: Decodable {
        struct Finding: Decodable {
            let function: String
            let standing: String
            let reason: String?
        }
        let findings: [Finding]
        let flaws: [String]
        let clientMethods: [String]

        func standing(_ function: String) -> String? { findings.first { $0.function == function }?.standing }
    }

    private static func report(_ home: NamedPlace, _ options: String = "") throws -> Report {
        let outcome = try home.run("keyfob provider check strict --json \(options)")
        var documents = Documents()
        documents.add("provider-check", outcome.text, from: "provider check")
        try documents.validate(in: home.place)
        return try JSONDecoder().decode(Report.self, from: outcome.output)
    }

    @Test("tells what works and what does not when it is added, and later what is so then")
    func told() throws {
        let home = try NamedPlace(.init("strict", ["push": "offered", "says_methods": ["none", "private_key_jwt"]]))
        let added = try home.run(Self.add).expectSuccess()
        for words in ["added provider 'strict'", "works: sign-in by browser", "pushed requests (PAR)", "lacks: "] {
            #expect(added.errors.contains(words), "\(added)")
        }
        #expect(added.errors.split(separator: "\n").count <= 5, "\(added)")
        let report = try Self.report(home)
        #expect(report.standing("pushedRequests") == "works" && report.standing("boundTokens") == "missing")
        #expect(report.clientMethods == ["none", "private_key_jwt"] && report.flaws.isEmpty)
        try home.server.set(
            .init(
                "strict",
                [
                    "proof": "offered", "push": "no",
                    "wrong": [
                        "revocation_endpoint": "", "userinfo_endpoint": "/me", "device_authorization_endpoint": "7",
                    ],
                ]))
        let later = try Self.report(home)
        #expect(later.standing("boundTokens") == "works" && later.standing("pushedRequests") == "missing")
        #expect(later.standing("revocation") == "unusable" && later.standing("deviceSignIn") == "unusable")
        #expect(later.flaws == ["its userinfo_endpoint is no usable address"], "\(later.flaws)")
        let document = try home.run(
            "keyfob provider add --json --issuer https://strict.example --replace --name strict")
        var documents = Documents()
        documents.add("change", document.expectSuccess().text, from: "provider add")
        try documents.validate(in: home.place)
        #expect(document.text.contains("\"check\""), "\(document)")
    }

    @Test("says that nobody can sign in, and why")
    func unusable() throws {
        let home = try NamedPlace(.init("strict"))
        try home.run("\(Self.add) --offline").expectSuccess()
        for (wrong, words) in [
            (["jwks_uri": ""], "jwks_uri"), (["code_challenge_methods_supported": ["plain"]], "PKCE"),
            (["require_pushed_authorization_requests": true], "pushed"),
            (["dpop_signing_alg_values_supported": ["RS256"]], "ES256"),
        ] as [([String: any Sendable], String)] {
            try home.server.set(.init("strict", ["wrong": wrong]))
            let outcome = try home.run("keyfob provider check strict")
            #expect(outcome.text.contains(words) && outcome.text.contains("does not work: "), "\(outcome)")
        }
        try home.server.set(.init("strict", ["wrong": ["issuer": "https://evil.example"]]))
        try home.run("keyfob provider check strict").expectError(69, "another issuer")
    }

    @Test("is put off where the provider cannot be reached, and made up for")
    func unreachable() throws {
        let place = try Workplace.withVault()
        let added = try place.run("keyfob provider add --issuer http://127.0.0.1:1/o --name far").expectSuccess()
        #expect(added.errors.contains("it is not known what it offers"), "\(added)")
        #expect(added.errors.contains("'keyfob provider check far' asks again"), "\(added)")
        try place.run("keyfob provider show far").expectSuccess()
        try place.run("keyfob provider check far").expectError(75, "cannot be reached")
        try place.run("keyfob provider check near").expectError(13)
        let offline = try place.run("keyfob provider add --offline --issuer http://127.0.0.1:2/o").expectSuccess()
        #expect(!offline.errors.contains("warning"), "\(offline)")
    }
}
