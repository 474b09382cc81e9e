import Foundation
import KeyfobTestSupport
import Testing

/// `keyfob agent --socket --for`: a socket for a container, which gives what it was made for and nothing else.
@Suite("A socket for one purpose", .waitsForPrograms)
struct DelegatedAgentTests {
    /// A vault with ada and bob that the file `key` opens, and a script `inside`, which types a line as somebody who has the socket
    /// alone: no vault, no key, no runtime folder.
    private func home() throws -> Workplace {
        let place = try Workplace(LibraryFile.variables)
        try place.makeKey("key")
        try place.run("keyfob init -q --key-file key --recovery-file recovery").expectSuccess()
        for (name, token) in [("ada", "ADA"), ("bob", "BOB")] {
            try place.run(
                "keyfob add -q --key-file key --account \(name) --host git.example --scope repo", text: token
            ).expectSuccess()
        }
        try place.run(
            """
            mkdir empty
            printf 'env -u KEYFOB_VAULT -u KEYFOB_KEY_FILE -u XDG_RUNTIME_DIR HOME=%s/empty KEYFOB_AGENT=%s/dev.sock sh -c "$1"\\n' \
              "$PWD" "$PWD" > inside
            """
        ).expectSuccess()
        return place
    }

    private func run(
        _ place: Workplace, _ options: String = "--account ada --host git.example", _ lines: String...
    ) throws -> Outcome {
        try place.run(
            """
            \(Workplace.agent("--socket dev.sock --for dev \(options)", variables: "KEYFOB_KEY_FILE=$PWD/key"))
            inside() { sh inside "$1"; }
            fill() { printf 'protocol=https\\nhost=git.example\\n'; }
            \(lines.joined(separator: "\n"))
            """)
    }

    @Test("gives tokens of its account to the command, to git's helper and to the library, and the log names it")
    func gives() throws {
        let place = try home()
        let outcome = try run(
            place, "--account ada --host git.example", "inside 'keyfob token --url https://git.example/x'",
            "fill | inside 'keyfob helper git get' | grep password",
            "fill | inside 'keyfob helper git store'; echo $?",
            "KEYFOB_KEY_FILE=key keyfob log --json | grep -c '\"socket:dev\"'")
        #expect(outcome.text.hasPrefix("ADA\npassword=ADA\n"), "\(outcome)")
        #expect(outcome.text.hasSuffix("0\n2\n"), "\(outcome)")
        let library = "\(PythonScript.interpreter) \(PythonScript.path("library")) asked given"
        try run(place, "--account ada", "inside '\(library)'").expectSuccess()
    }

    @Test(
        "refuses all else, and tells nothing of it",
        arguments: [
            "token --account bob --url https://git.example/x", "token --url https://other.example/x", "token",
            "token --url https://other.example/x --account ada --allow-host other.example",
            "token --url https://git.example/x --scope admin", "token --url https://git.example/x --login bob",
        ])
    func refuses(line: String) throws {
        let outcome = try run(
            home(), "--account ada --host git.example --scope repo", "inside 'keyfob \(line)'; echo $?")
        #expect(["77\n", "13\n", "64\n"].contains(outcome.text), "\(outcome)")
        #expect(!outcome.text.contains("BOB") && !outcome.errors.contains("bob@"), "\(outcome)")
    }

    @Test("tells of its account alone, and takes no word of the owner's commands")
    func methods() throws {
        let script = """
            import json, socket
            def ask(method):
                s = socket.socket(socket.AF_UNIX); s.connect("dev.sock")
                s.sendall(json.dumps({"method": "io.keyfob.Agent." + method, "parameters": {}}).encode() + b"\\0")
                return s.recv(65536).decode()
            print(ask("Accounts").count("isDefault"), "bob" in ask("Accounts"))
            for method in ["Lock", "Unlock", "Forget", "Monitor", "SignIn", "Select"]: print("NotPermitted" in ask(method))
            print("process" in ask("Status"))
            """
        let place = try home()
        try script.write(toFile: place.path + "/ask.py", atomically: true, encoding: .utf8)
        let outcome = try run(place, "--account ada", "'\(PythonScript.interpreter)' ask.py")
        #expect(outcome.text == "1 False\n" + String(repeating: "True\n", count: 6) + "False\n", "\(outcome)")
    }

    @Test("holds no key between two calls, also while others ask without end")
    func locked() throws {
        let place = try home()
        let outcome = try run(
            place, "--account ada", "(while :; do inside 'keyfob token' > /dev/null 2>&1; done) & a=$!",
            "(while :; do inside 'keyfob token' > /dev/null 2>&1; done) & b=$!", "sleep 1; inside 'keyfob token'",
            "mv key away; sleep 3; inside 'keyfob token'; echo $?", "mv away key; inside 'keyfob token'",
            "kill $a $b; wait $a $b 2> /dev/null; echo end")
        #expect(outcome.text.hasPrefix("ADA\n") && outcome.text.hasSuffix("\nADA\nend\n"), "\(outcome)")
        #expect(outcome.text.split(separator: "\n").count == 4, "\(outcome)")
    }

    @Test("goes on with its vault once that was away, and not with another")
    func vault() throws {
        let place = try home()
        let outcome = try run(
            place, "--account ada",
            "v=$(keyfob status --json --key-file key | grep -o '\"vault\" : \".*\"' | cut -d'\"' -f4)",
            "mv $v $v.away; inside 'keyfob token'; echo $?", "mv $v.away $v; inside 'keyfob token'",
            "mv $v $v.away; keyfob init -q --key-file key --recovery-file recovery2 2> /dev/null",
            "printf EVE | keyfob add -q --key-file key --account ada --host git.example --scope repo 2> /dev/null",
            "inside 'keyfob token'; echo $?")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 3 && lines[1] == "ADA" && lines[0] != "0" && lines[2] != "0", "\(outcome)")
        #expect(!outcome.text.contains("EVE"), "\(outcome)")
    }

    @Test("counts what it refuses again and again")
    func refusals() throws {
        let outcome = try run(
            home(), "--account ada", "for i in $(seq 40); do inside 'keyfob token --account bob' 2> /dev/null; done",
            "kill $agent; wait $agent; KEYFOB_KEY_FILE=key keyfob log --json | grep -E '\"(answer|repeats)\"'")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count { $0.contains("answer") } == 11, "\(outcome)")
        #expect(lines.last?.contains("\"repeats\" : 29") == true, "\(outcome)")
    }

    @Test(
        "is not made where it says too little, or something that cannot be",
        arguments: [
            ("--socket s", "go together"), ("--socket s --for x", "--account"), ("--account ada", "--socket and --for"),
            ("--socket s --for 'a b' --account ada", "64 letters"),
            ("--socket s --for x --account ada --host https://x", "--host takes a host"),
            ("--socket run/keyfob/agent-x --for x --account ada", "agent's own sockets"),
        ])
    func usage(options: String, words: String) throws {
        try home().run("KEYFOB_KEY_FILE=key keyfob agent \(options)").expectError(64, words)
    }

    @Test("an account that is not there ends it at once, and a socket that nobody listens at is named with a way out")
    func missing() throws {
        let place = try home()
        try place.run("KEYFOB_KEY_FILE=key keyfob agent -q --socket s --for x --account eve").expectError(13, "eve")
        try place.run("KEYFOB_AGENT=$PWD/gone keyfob token").expectError(69, "nobody listens", "keyfob agent --socket")
        try place.run("test ! -e s && test ! -e s.lock").expectSuccess()
    }
}
