import Foundation
import KeyfobTestSupport
import Testing

@Suite("Hostile text in messages", .waitsForPrograms)
struct HostileTextTests {
    /// Sets a title, clears the screen by a C1 control, turns the reading direction, ends a line in three ways.
    private static let hostile = "eve\u{1B}]0;title\u{7}\u{9B}2J\u{7F}\u{202E}\u{2066}\u{2028}\u{85}\rx"

    /// The hostile text is `$H`.
    private static func home() throws -> Workplace {
        let place = try Workplace.withVault(["H": hostile])
        try place.add("ada", token: "token")
        return place
    }

    private func expectHarmless(_ text: String, _ line: String, location: SourceLocation = #_sourceLocation) {
        let obeyed = text.unicodeScalars.filter {
            $0 != "\n" && ($0.value < 0x20 || ObeyedText.scalars.contains($0))
        }
        #expect(obeyed.isEmpty, "\(line): \(text.debugDescription)", sourceLocation: location)
    }

    @Test(
        "no argument, path or name comes back as a terminal would obey it",
        arguments: [
            // Words of the command line that the parser refuses.
            "keyfob \"$H\"", "keyfob token \"--$H\"", "keyfob token ada \"$H\"", "keyfob token --min-validity \"$H\"",
            "keyfob status --passphrase-fd \"$H\"", "keyfob login --prompt \"$H\"", "keyfob help \"$H\"",
            // Names of what is not there, or may not be called so.
            "keyfob token --account \"$H\"", "keyfob which --account \"$H\"", "keyfob account label ada \"$H\"",
            "keyfob group create \"$H\"", "keyfob token --group \"$H\"", "KEYFOB_GROUP=\"$H\" keyfob token",
            "keyfob slot remove \"$H\"", "keyfob provider show \"$H\"", "keyfob client add \"$H\" --provider google",
            "keyfob client remove \"$H\" --provider google", "keyfob token --url \"https://$H\"",
            "keyfob request \"http://$H/\"", "keyfob bind --host \"$H\" ada", "keyfob slot add recipient \"$H\"",
            // Paths.
            "keyfob init --vault \"$H\" --recovery-file r && keyfob status --vault \"$H\" "
                + "&& keyfob doctor --vault \"$H\"",
            "keyfob init --vault v --recovery-file \"$H\"", "keyfob status --vault \"/nowhere/$H\"",
            "KEYFOB_VAULT=\"/nowhere/$H\" keyfob token", "keyfob token --key-file \"./$H\"",
            "keyfob token --identity \"$H\"", "keyfob import \"$H\"", "echo '{' >\"$H\"; keyfob import \"$H\"",
            "keyfob export --format msal \"$H\"", "keyfob export --quiet --format msal x; keyfob export \"$H\"",
            "keyfob allow \"$H\"", "mkdir -p \"$H\"; keyfob bind --directory \"$H\" ada; keyfob bindings",
            "mkdir -p \"$H\"; cd \"$H\"; echo 'account = 1' >.keyfob.toml; keyfob allow .; keyfob token --offline",
            "mkdir -p \"$H\"; cd \"$H\"; echo 'account = \"ada\"' >.keyfob.toml; keyfob which; keyfob allow .; keyfob which",
            "printf 'account = \"%s\"' \"$H\" >.keyfob.toml; keyfob allow .",
            "printf '\"%s\" = 1' \"$H\" >.keyfob.toml; keyfob allow .",
            "keyfob man --directory \"$H\"", "keyfob request https://git.example/ --data \"@$H\"",
            "keyfob restore \"$H\"", "keyfob backup --verify \"$H\"", "keyfob login google --ca-file \"$H\" --client x",
        ])
    func arguments(line: String) throws {
        let place = try Self.home()
        for line in [line, line + " --json"] {
            let outcome = try place.run(line)
            #expect(!(outcome.text + outcome.errors).isEmpty, "\(line)")
            expectHarmless(outcome.text + outcome.errors, line)
        }
    }

    @Test("nor what another program stored, in any message about it")
    func stored() throws {
        let place = try Self.home()
        var sections = SampleCache(people: 1).sections()
        for key in sections["Account"]?.keys.sorted() ?? [] {
            sections["Account"]?[key]?["username"] = Self.hostile + "@contoso.example"
        }
        try place.write("cache.json", JSONSerialization.data(withJSONObject: sections))
        try place.run("keyfob group create --quiet work").expectSuccess()
        for line in [
            "import cache.json", "account list", "account show uid0", "account list --format '{name}'", "which",
            "which --account uid0", "account label uid0 Lab", "account move uid0 work", "account default uid0",
            "bind --host git.example uid0", "bindings", "token --account uid0 --scope nothing", "token --account u",
            "account list --json", "account show uid0 --json", "logout uid0 --offline",
            "account remove --force uid0",
        ] {
            let outcome = try place.run("keyfob " + line)
            expectHarmless(outcome.text + outcome.errors, line)
        }
    }

    @Test("nor what a provider answers")
    func provider() throws {
        let place = try Self.home()
        try place.write(
            "provider.py",
            """
            import http.server, json, os
            class Answer(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    text = os.environ["H"]
                    body = json.dumps({"error": "invalid_client", "error_description": text, "error_uri": text}).encode()
                    if self.path == "/code":
                        body = json.dumps({"device_code": "x", "user_code": text, "expires_in": 60,
                                           "verification_uri": "https://x.example/" + text}).encode()
                    self.send_response(200 if self.path == "/code" else 400)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                def log_message(self, *arguments): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Answer)
            with open("port.part", "w") as file: file.write(str(server.server_port))
            os.rename("port.part", "port")
            server.serve_forever()
            """)
        for path in ["device", "code"] {
            let outcome = try place.run(
                """
                rm -f port; "$PYTHON" provider.py & server=$!; trap 'kill $server' EXIT
                while ! test -e port; do sleep 0.1; done
                keyfob provider add --quiet --replace - <<END
                {"formatVersion": 1, "name": "foul", "title": "Foul", "environment": "127.0.0.1:$(cat port)",
                 "discovery": false, "flows": ["deviceAuthorization"], "endpoints": {
                 "token_endpoint": "http://127.0.0.1:$(cat port)/token",
                 "device_authorization_endpoint": "http://127.0.0.1:$(cat port)/\(path)"}}
                END
                keyfob client add --quiet --replace app --provider foul || keyfob client add --quiet app --provider foul
                keyfob login --device --verbose --timeout 3 foul; keyfob login --device --json --timeout 3 foul
                """)
            expectHarmless(outcome.text + outcome.errors, path)
            #expect(outcome.errors.contains(path == "device" ? "title" : "keyfob: "), "\(outcome)")
        }
    }

    @Test("nor a question on the terminal")
    func questions() throws {
        let place = try Self.home()
        try place.write("words", "correct horse\n")
        try place.run(
            "keyfob init -q --vault \"$H\" --passphrase-fd 3 --kdf-memory 64 --recovery-file r 3<words"
        ).expectSuccess()
        let run = try place.onTerminal(
            "env -u KEYFOB_KEY_FILE keyfob token --vault \"$H\"",
            [("Passphrase for", "x\n"), ("open the vault.\r\nPassphrase for", "\n")])
        expectHarmless(run.screen.replacing("\r\n", with: "\n"), "Passphrase for")
        var sections = SampleCache(people: 1).sections()
        for key in sections["Account"]?.keys.sorted() ?? [] { sections["Account"]?[key]?["username"] = Self.hostile }
        try place.write("cache.json", JSONSerialization.data(withJSONObject: sections))
        try place.run("keyfob import --quiet cache.json").expectSuccess()
        let question = try place.onTerminal("keyfob account remove uid0", [("Type 'remove'", "no\n")])
        expectHarmless(question.screen.replacing("\r\n", with: "\n"), "Type 'remove'")
    }
}
