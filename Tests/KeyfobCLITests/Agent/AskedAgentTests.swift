import Foundation
import KeyfobTestSupport
import Testing

/// `keyfob token`, the helpers and the library where the vault is locked for them and an agent has it open.
@Suite("What asks an agent while the vault is locked", .waitsForPrograms)
struct AskedAgentTests {
    /// A vault of two accounts that a key file opens, which no variable names, and one permission for keyfob.
    private func home(allowing account: String? = "ada") throws -> Workplace {
        let place = try Workplace(LibraryFile.variables)
        try place.makeKey("key")
        try place.run("keyfob init -q --key-file key --recovery-file recovery").expectSuccess()
        for (name, token) in [("ada", "ADA"), ("bob", "B\"\\B")] {
            try place.run(
                "keyfob add -q --key-file key --account \(name) --host git.example --scope repo", text: token
            ).expectSuccess()
        }
        if let account {
            try place.run("keyfob program allow -q keyfob --account \(account) --key-file key").expectSuccess()
        }
        return place
    }

    /// Types lines beside an agent that has the vault open.
    private func run(_ place: Workplace, isOpen: Bool = true, _ lines: String...) throws -> Outcome {
        try place.run(
            """
            \(Workplace.agent(variables: isOpen ? "KEYFOB_KEY_FILE=$PWD/key" : "KEYFOB_KEY_FILE="))
            \(lines.joined(separator: "\n"))
            """)
    }

    @Test("a token comes in each form, and says whose it is; keyfob log names the command")
    func token() throws {
        let place = try home()
        let outcome = try run(
            place, "keyfob token -a ada --url https://git.example/x", "keyfob token --header --no-input",
            "keyfob token --json | grep -E '\"(token|username|source)\"'",
            "keyfob token --sasl xoauth2 | base64 -d | tr '\\1' '|'",
            "keyfob log --json --key-file key | grep -c 'executable:.*keyfob'")
        #expect(outcome.text.hasPrefix("ADA\nAuthorization: Bearer ADA\n"), "\(outcome)")
        #expect(
            outcome.text.contains("\"username\" : \"ada\"") && outcome.text.contains("auth=Bearer ADA"), "\(outcome)")
        #expect(outcome.text.hasSuffix("4\n") && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("without a permission there is no token, and the next command is named, which helps")
    func refused() throws {
        let place = try home(allowing: nil)
        let outcome = try run(
            place, "keyfob token -a ada", "echo $?", "keyfob token -a nobody", "echo $?",
            "echo | keyfob token -a ada --url https://elsewhere.example; echo $?")
        #expect(outcome.text == "77\n77\n77\n", "\(outcome)")
        let hint = try #require(
            outcome.errors.firstMatch(
                of: /keyfob: the agent says: .*; to let it: (keyfob program allow .*) --account NAME/))
        #expect(!outcome.errors.contains("bob"), "\(outcome)")
        try place.run("\(hint.1) --account ada --key-file key").expectSuccess()
        #expect(try run(place, "keyfob token -a ada").text == "ADA\n")
    }

    @Test("bindings of the directory choose the account, as they do for who has the vault open")
    func directory() throws {
        let place = try home()
        try place.run("keyfob program allow -q keyfob --account bob --key-file key").expectSuccess()
        try place.run("mkdir work && cd work && keyfob bind -q --here bob --key-file ../key").expectSuccess()
        let outcome = try run(place, "cd work && keyfob token && cd .. && keyfob token; echo $?")
        #expect(outcome.text == "B\"\\B\n11\n", "\(outcome)")
    }

    @Test("an agent that has no key leaves all as it was, and --offline asks none")
    func locked() throws {
        let place = try home()
        let without = try place.run("keyfob token -a ada --no-input")
        let beside = try run(place, isOpen: false, "keyfob token -a ada --no-input")
        #expect(without.status == 12 && (beside.status, beside.errors) == (12, without.errors), "\(beside) \(without)")
        #expect(try run(place, "keyfob token -a ada --offline").status == 12)
    }

    @Test("the helpers for git, docker and kubectl answer, and pass by what is not for them")
    func helpers() throws {
        let place = try home()
        for host in ["registry.example", "git.example"] {
            try place.run("keyfob bind -q --host \(host) ada --key-file key").expectSuccess()
        }
        let cluster = #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":"#
        let server = #"{"cluster":{"server":"https://registry.example"},"interactive":false}}"#
        let outcome = try run(
            place, "printf 'protocol=https\\nhost=git.example\\n\\n' | keyfob helper git get | grep password",
            "printf 'protocol=https\\nhost=other.example\\n\\n' | keyfob helper git get; echo $?",
            "echo registry.example | keyfob helper docker get | grep -o '\"Secret\":\"ADA\"'",
            "KUBERNETES_EXEC_INFO='\(cluster)\(server)' keyfob helper kubectl | grep -o '\"token\":\"ADA\"'")
        #expect(outcome.text == "password=ADA\n0\n\"Secret\":\"ADA\"\n\"token\":\"ADA\"\n", "\(outcome)")
    }

    @Test("the library asks it as the script that loaded it, for what that may have")
    func library() throws {
        let place = try home(allowing: nil)
        let script = PythonScript.path("library")
        let line = "\(PythonScript.ofNoFolder) '\(script)' asked"
        try run(place, "\(line) refused").expectSuccess()
        try place.run("keyfob program allow -q \(script) --account ada --key-file key").expectSuccess()
        try run(place, "\(line) given").expectSuccess()
    }

    @Test("what listens in an agent's place and answers nonsense is told in one line")
    func hostile() throws {
        let place = try home()
        for answer in [
            #"nonsense"#, #"{}"#, #"{"parameters":[]}"#, #"{"parameters":{"token":"X"}}"#,
            #"{"parameters":{"token":"a\nb","account":"ada@git.example","group":"default","client":"c","origin":"stored"}}"#,
            #"{"error":"io.keyfob.Agent.Failed","parameters":{"message":"\u001b[31mred","code":"none"}}"#,
        ] {
            try place.write("answer", answer)
            let outcome = try place.run(
                """
                mkdir -p -m 700 run/keyfob
                '\(PythonScript.interpreter)' '\(PythonScript.path("impostor"))' run/keyfob/agent answer > /dev/null 2>&1 & other=$!
                until test -S run/keyfob/agent; do sleep 0.01; done
                keyfob token -a ada --no-input; s=$?
                kill $other; rm run/keyfob/agent; exit $s
                """)
            #expect([65, 69].contains(outcome.status) && outcome.text.isEmpty, "\(answer): \(outcome)")
            #expect(outcome.errors.wholeMatch(of: /keyfob: [^\n\u{1b}]*\n/) != nil, "\(answer): \(outcome)")
        }
    }
}
