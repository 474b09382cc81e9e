import Foundation
import KeyfobTestSupport
import Testing

/// Tokens that are bound to a key (RFC 9449): `Tests/Provider/standins/strict.py`, where jwcrypto judges each proof.
@Suite("Tokens that are bound to a key", .waitsForPrograms)
struct BoundTokenTests {
    private static let api = "https://api.strict.example/api"

    private static func home(_ options: [String: any Sendable], signingInWith words: String = "") throws -> NamedPlace {
        let all: [String: any Sendable] = ["methods": ["none"]]
        let home = try NamedPlace(.init("strict", all.merging(options) { $1 }))
        try home.addProvider("strict", "https://strict.example", "--api-host api.strict.example")
        try home.signIn("strict", words)
        return home
    }

    @Test(
        "requests send proofs, of the token, the request and the nonce that is wanted",
        arguments: [("required", false, ""), ("required", true, ""), ("offered", true, "--dpop")])
    func request(proof: String, nonces: Bool, words: String) throws {
        let home = try Self.home(["proof": proof, "nonces": nonces], signingInWith: words)
        for line in ["\(Self.api)?q=1", "\(Self.api) -X POST --data 'a b'", "\(Self.api) --force-refresh"] {
            let answer = try home.run("keyfob request \(line)").expectSuccess()
            #expect(answer.text.contains("\"user\": \"ada\""), "\(answer)")
        }
        #expect(try home.run("keyfob request \(Self.api) -X POST --data 'a b'").expectSuccess().text.contains("a b"))
        // A refresh token is of use with the same key, and stays so once it is replaced.
        for _ in 0..<2 { try home.run("keyfob account refresh ada").expectSuccess() }
        try home.run("keyfob request \(Self.api)").expectSuccess()
        let asked = try home.server.requests().filter { $0.path == "/api" }
        #expect(asked.filter { $0.status == 200 }.allSatisfy { $0.scheme == "DPoP" }, "\(asked)")
        // Another sign-in has another key, also where nobody asks for one again.
        try home.signIn("strict", "--account ada")
        try home.run("keyfob request \(Self.api)").expectSuccess()
        #expect(try home.run("keyfob account show ada --json").expectSuccess().text.contains("DPoP"))
    }

    @Test(
        "nobody gets such a token alone, whichever way they ask",
        arguments: [
            "keyfob token", "keyfob token --header", "keyfob token --json", "keyfob token --offline",
            "keyfob token --force-refresh", "keyfob token --format az", "keyfob token --url \(api)",
            "keyfob token --sasl xoauth2", "keyfob exec --env T -- sh -c 'echo $T'",
            "echo keyfob://ada/ > text && keyfob inject -i text", "keyfob helper kubectl",
        ])
    func alone(line: String) throws {
        let home = try Self.home(["proof": "required"])
        let outcome = try home.run(line)
        #expect(outcome.status != 0 && !outcome.text.contains("ES256"), "\(outcome)")
        if line.hasPrefix("keyfob token") {
            #expect(outcome.status == 77 && outcome.errors.contains("keyfob request"), "\(outcome)")
        }
        #expect(try home.refreshes() == 0)
    }

    @Test("neither do git, Docker and caches of other programs")
    func tools() throws {
        let home = try Self.home(["proof": "required"])
        for line in [
            "printf 'protocol=https\\nhost=api.strict.example\\n\\n' | git-credential-keyfob get",
            "echo api.strict.example | docker-credential-keyfob get",
        ] {
            let outcome = try home.run(line)
            #expect(!outcome.text.contains("password=") && !outcome.text.contains("Secret\":\""), "\(outcome)")
        }
        let cache = try home.run("keyfob export --format msal cache.json; cat cache.json").text
        #expect(!cache.contains("ES256"), "\(cache)")
    }

    @Test("a program behind the proxy has its requests sent with proofs, and never the token")
    func proxy() throws {
        let home = try Self.home(["proof": "required", "nonces": true])
        let line = "for m in GET POST; do curl -sS -X $m \"$API\" -H \"DPoP: x\" -H \"Authorization: Bearer y\"; done"
        let outcome = try home.run("keyfob exec --proxy --env API=api.strict.example/api -- sh -c '\(line)'")
        #expect(outcome.text.components(separatedBy: "\"user\": \"ada\"").count == 3, "\(outcome)")
    }

    @Test("an MCP client has its calls sent with proofs, and never the token or the key", arguments: [false, true])
    func bridge(nonces: Bool) throws {
        let home = try Self.home(["proof": "required", "nonces": nonces, "access_lifetime": 3])
        let call = #"{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"who","arguments":{}}}"#
        let script = """
            echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},\
            "clientInfo":{"name":"t","version":"1"}}}'
            echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
            for id in 1 2 3; do printf '\(call)\\n' $id; sleep 1.5; done
            """
        try home.place.write("client", script)
        let outcome = try home.run("bash client | keyfob mcp https://api.strict.example/mcp").expectSuccess()
        #expect(outcome.text.components(separatedBy: "\"user\": \"ada\"").count == 4, "\(outcome)")
        let asked = try home.server.requests().filter { $0.path == "/mcp" }
        #expect(asked.allSatisfy { $0.scheme == "DPoP" && [200, 202, 405, 401].contains($0.status) }, "\(asked)")
        #expect(asked.count { $0.status == 401 } <= 1 && asked.last?.method == "DELETE", "\(asked)")
        #expect(try home.refreshes() > 0)
    }

    @Test("proofs are by a provider's clock that is another one", arguments: [3_000, -3_000])
    func clock(offset: Int) throws {
        let home = try Self.home(["proof": "required", "clock": offset])
        try home.run("keyfob account refresh ada").expectSuccess()
        try home.run("keyfob request \(Self.api)").expectSuccess()
        let asked = try home.server.requests().filter { $0.path == "/token" }
        // The one without a proof, the one by this machine's clock, and the one that follows.
        #expect(asked.map(\.status) == [400, 400, 200, 400, 200], "\(asked)")
    }

    @Test("a first request with a body, for whose proof a nonce is wanted, arrives whole")
    func firstBody() throws {
        let home = try Self.home(["proof": "required", "nonces": true])
        let script = "head -c 100000 /dev/zero | tr '\\0' x > body; curl -sS -d @body \"$API\" | tr -cd x | wc -c"
        try home.place.write("script", script)
        let outcome = try home.run("keyfob exec --proxy --env API=api.strict.example/api -- bash script")
        #expect(outcome.text == "100000\n", "\(outcome)")
    }

    @Test("the libraries and the agent say that the token alone is of no use")
    func doors() throws {
        let home = try Self.home(["proof": "required"])
        let script = PythonScript.path("doors")
        let outcome = try home.run(
            """
            set -e; \(LibraryFile.variables.map { "export \($0)='\($1)'" }.joined(separator: "; "))
            ln -s \(LibraryFile.path) libkeyfob.so && ln -s libkeyfob.so libkeyfob.so.1
            cc -std=gnu11 -Wall -Werror -I \(LibraryFile.folder) \
                \(ProjectFolder.tests.appending(path: "Support/C/ask.c").path) -o ask -L . -lkeyfob -Wl,-rpath,"$PWD"
            printf 'token\\taccount=ada\\n' | FIELDS=token ./ask
            keyfob program allow -q \(script) --all-accounts
            \(Workplace.agent())
            for door in python agent; do
                echo '[{"kind": "token", "options": {"account": ["ada"]}}]' | \(PythonScript.ofNoFolder) \(script) $door; echo
            done
            """
        ).expectSuccess()
        #expect(outcome.text.components(separatedBy: "proofNeeded").count == 4, "\(outcome)")
        #expect(!outcome.text.contains("\"token\":"), "\(outcome)")
    }

    @Test("a backup keeps the key with the sign-in, and a copy of the vault's folder does")
    func backup() throws {
        let home = try Self.home(["proof": "required"])
        try home.run(
            """
            printf 'a long passphrase of six words' > words
            keyfob export --quiet --bundle-passphrase-fd 3 all.age 3< words
            keyfob account remove --quiet --force ada
            """
        ).expectSuccess()
        try home.run("keyfob request \(Self.api)").expectError(13)
        try home.run("keyfob import --quiet --bring-back all.age --bundle-passphrase-fd 3 3< words").expectSuccess()
        try home.run("keyfob account refresh ada").expectSuccess()
        try home.run("keyfob request \(Self.api)").expectSuccess()
    }

    @Test("a key is not asked for in vain, and a token that is bound to none is not taken for one that is")
    func unbound() throws {
        let home = try NamedPlace(.init("strict", ["methods": ["none"]]))
        try home.addProvider("strict", "https://strict.example", "--api-host api.strict.example")
        try home.run("keyfob login --quiet strict --dpop --timeout 20").expectError(69, "bound to no key")
        #expect(try home.names().isEmpty)
        try home.server.set(.init("strict", ["proof": "offered"]))
        try home.signIn("strict")
        try home.run("keyfob token").expectSuccess()
    }

    @Test(
        "where the person asks for bound tokens, the request for the code names the key", arguments: ["no", "required"])
    func code(push: String) throws {
        let home = try Self.home(["proof": "offered", "push": push], signingInWith: "--dpop")
        try home.signIn("strict", "--account ada")
        let asked = try home.server.requests().filter { $0.path == "/token" }
        #expect(asked.map(\.status) == [200, 200] && asked.allSatisfy { $0.bound == true }, "\(asked)")
    }

    @Test("a refresh that binds nothing any more is refused in words, and the sign-in stays bound")
    func dropped() throws {
        let home = try Self.home(["proof": "offered"], signingInWith: "--dpop")
        try home.server.set(.init("strict", ["methods": ["none"], "proof": "offered", "drops": true]))
        let outcome = try home.run("keyfob account refresh ada")
        #expect(outcome.status == 69 && outcome.errors.contains("bound to no key"), "\(outcome)")
        // What was replaced is kept, with its key.
        try home.server.set(.init("strict", ["methods": ["none"], "proof": "offered"]))
        try home.run("keyfob account refresh ada").expectSuccess()
        try home.run("keyfob request \(Self.api)").expectSuccess()
        #expect(try home.run("keyfob token").status == 77)
    }

    @Test("a sign-in that continues a refused request is bound as the one before, and keeps no other tokens")
    func continued() throws {
        let home = try Self.home(["proof": "offered"], signingInWith: "--dpop")
        try home.server.control(.init(grantTypes: ["refresh_token"], status: 400, body: ["error": "login_required"]))
        let refused = try home.run(
            "keyfob request \(Self.api) --force-refresh --json 2>&1 || keyfob account refresh ada --json")
        let shown = try home.run(
            "keyfob account show ada --json | jq -r '.. | .continuation? | .id? // empty' | head -1")
        let id = shown.text.trimmingCharacters(in: .newlines)
        #expect(!id.isEmpty, "\(refused) \(shown)")
        try home.server.set(.init("strict", ["methods": ["none"], "proof": "no"]))
        let outcome = try home.run("keyfob login --quiet --continue \(id) --timeout 20")
        #expect(outcome.status == 69 && outcome.errors.contains("bound to no key"), "\(outcome)")
        try home.server.set(.init("strict", ["methods": ["none"], "proof": "offered"]))
        try home.run("keyfob login --quiet --continue \(id) --timeout 20").expectSuccess()
        try home.run("keyfob request \(Self.api)").expectSuccess()
        #expect(try home.run("keyfob token").status == 77)
    }

    @Test("a sign-in on another device, and one without a refresh token, are bound too")
    func device() throws {
        let home = try NamedPlace(.init("strict", ["methods": ["none"], "proof": "required", "interval": 1]))
        try home.addProvider("strict", "https://strict.example", "--api-host api.strict.example")
        try home.run("keyfob login --device strict --timeout 30").expectSuccess()
        try home.run("keyfob request \(Self.api)").expectSuccess()
        let outcome = try home.run("keyfob token")
        #expect(outcome.status == 77, "\(outcome)")
    }
}
