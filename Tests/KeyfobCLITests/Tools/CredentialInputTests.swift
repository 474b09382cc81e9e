import Foundation
import KeyfobTestSupport
import Testing

/// What the helpers make of input that no tool sends, or that somebody hostile has made up.
@Suite("What helpers are asked", .waitsForPrograms)
struct CredentialInputTests {
    private let place: Workplace

    init() throws {
        place = try Workplace.withVault()
        try place.add("octo", token: "gho_octo", "--host github.com --label work")
        try place.run("ln -s keyfob bin/git-credential-keyfob").expectSuccess()
    }

    /// Expects an answer of nothing, without a word.
    private func expectNothing(_ line: String, _ text: String, location: SourceLocation = #_sourceLocation) throws {
        let outcome = try place.run(line, text: text)
        #expect(
            outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty,
            "\(text.debugDescription): \(outcome)",
            sourceLocation: location)
    }

    @Test(
        "git gets nothing, and no word, for what is nobody's",
        arguments: [
            "protocol=https\nhost=evil.example\n", "protocol=https\nhost=github.com.evil.example\n",
            "protocol=https\nhost=evil.example\npath=github.com/x\n", "protocol=http\nhost=github.com\n",
            "protocol=https\nhost=github.com:8443\n", "protocol=https\nhost=github.com@evil.example\n",
            "protocol=smtp\nhost=github.com\n", "protocol=cert\nhost=github.com\n", "protocol=\nhost=github.com\n",
            "protocol=https\nhost=github.com\npath=a/../b\n", "protocol=https\nhost=github.com\nusername=nobody\n",
            "protocol=https\nhost=github.com\nusername=oct\n",
            "protocol=https\nhost=github.com\npath=contoso/a\nusername=contoso\n",
            "protocol=https\nhost=github.com\nusername= \n",
            "protocol=https\nhost=github.com\nwwwauth[]=Negotiate\n", "", "\n",
            "protocol=https\nhost=gist.github.com\n",
        ])
    func nothing(text: String) throws {
        try expectNothing("keyfob helper git get", text)
        // What a challenge says is nothing to somebody who has the token to show.
        if !text.contains("wwwauth") { try expectNothing("keyfob helper git erase", text + "password=gho_octo\n") }
    }

    @Test(
        "git gets the token for what is its account's",
        arguments: [
            "", "username=octo\n", "username=WORK\n", "path=octo/app.git\nusername=octo\n",
            "username=x-access-token\n", "state[]=keyfob:nobody@github.com\n", "unknown[]=\n",
            "wwwauth[]=Basic realm=\"x\"\n",
        ])
    func token(lines: String) throws {
        let outcome = try place.run("keyfob helper git get", text: "protocol=https\nhost=github.com\n\(lines)\n")
        #expect(outcome.expectSuccess().text.hasSuffix("\npassword=gho_octo\n") && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test(
        "what is no request is one line and a status, and nothing is lost",
        arguments: [
            (Data("protocol=https\nnonsense\n".utf8), "line 2 is not key=value"),
            (Data("protocol=https\nhost=a\0b\n".utf8), "line 2 holds a control character"),
            (Data("protocol=https\nhost=".utf8) + Data([0xFF, 0xFE, 0x0A]), "line 2 holds a control character"),
            (Data(repeating: 0x61, count: 10 << 20), "more than 1048576 bytes"),
            (Data("a=".utf8) + Data(repeating: 0x61, count: 70_000), "line 1 is longer than 65535 bytes"),
        ] as [(Data, String)])
    func bad(input: Data, words: String) throws {
        for operation in ["get", "erase"] {
            try place.run("keyfob helper git \(operation)", input: input).expectError(65, words)
        }
        for operation in ["store", "list"] {
            let outcome = try place.run("keyfob helper git \(operation)", input: input).expectSuccess()
            #expect(outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
        }
        #expect(try place.run("keyfob token --account octo").text == "gho_octo\n")
    }

    @Test("what stands open after the empty line is not waited for")
    func open() throws {
        let line =
            "(printf 'protocol=https\\nhost=github.com\\n\\n'; sleep 30) | git credential-keyfob get & pid=$!; wait $pid"
        let outcome = try place.run(line, deadline: 20)
        #expect(outcome.text.hasSuffix("password=gho_octo\n"), "\(outcome)")
    }

    @Test("an output that is closed or full is told, and nobody to read it is no crash")
    func output() throws {
        try place.write("asked", "protocol=https\nhost=github.com\n")
        try place.run("keyfob helper git get < asked >&-").expectError(74, "standard output is closed")
        try place.run("keyfob helper git get < asked > /dev/full").expectError(74, "standard output")
        let outcome = try place.run("(keyfob helper git get < asked; echo $? > status) | true; cat status")
        #expect(["0\n", "74\n"].contains(outcome.text), "\(outcome)")
    }

    @Test("nobody is asked: a vault that is locked, or not there, is told in a line")
    func locked() throws {
        let text = "protocol=https\nhost=github.com\n"
        try place.run("unset KEYFOB_KEY_FILE; keyfob helper git get", text: text).expectError(12)
        try place.run("keyfob --vault nowhere helper git get", text: text).expectError(66)
        // What is nobody's needs no vault.
        try expectNothing("keyfob --vault nowhere helper git get", "protocol=ssh\nhost=github.com\n")
        try expectNothing("keyfob --vault nowhere helper git store", text)
        #expect(try place.run("keyfob --vault nowhere helper git capability").text.hasPrefix("version 0\n"))
    }

    @Test("the user in the address comes before KEYFOB_ACCOUNT, and must be the one that --account means")
    func named() throws {
        try place.add("bob", token: "gho_bob", "--host github.com")
        let text = "protocol=https\nhost=github.com\n"
        for line in ["KEYFOB_ACCOUNT=bob git credential-keyfob get", "git credential-keyfob --account bob get"] {
            #expect(try place.run(line, text: text).text.hasSuffix("password=gho_bob\n"))
            #expect(try place.run(line, text: text + "username=bob\n").text.hasSuffix("password=gho_bob\n"))
            try expectNothing(line, "protocol=https\nhost=evil.example\n")
        }
        let other = text + "username=octo\n"
        let outcome = try place.run("KEYFOB_ACCOUNT=bob git credential-keyfob get", text: other)
        #expect(outcome.text.hasSuffix("password=gho_octo\n"), "\(outcome)")
        try place.run("git credential-keyfob --account bob get", text: other).expectError(
            64, "'bob' is not the account")
        for (line, status, words) in [
            ("--account carol get", 13, "no account 'carol'"), ("get", 11, "fits 2 accounts"),
        ] {
            let outcome = try place.run("git credential-keyfob \(line)", text: text)
            #expect(outcome.status == Int32(status) && outcome.errors.contains(words), "\(outcome)")
            #expect(outcome.text == "quit=1\n", "git would ask for a password")
        }
        try place.run("git credential-keyfob --url https://github.com get", text: text).expectError(64, "--url")
        #expect(try place.run("git credential-keyfob --json get", text: text).status == 64)
    }

    @Test("a name or a token of several lines adds no line")
    func lines() throws {
        for name in ["eve\npassword=x", "eve\u{2028}password=x"] {
            try place.run("keyfob add --account eve --host gitlab.com --label '\(name)'", text: "glpat").expectError(
                64, "--label")
        }
        try place.run("keyfob add --account eve --host gitlab.com", text: "glp\nat").expectError(65, "line ends")
        try place.run("keyfob add -q --account eve --host gitlab.com", text: "glpat").expectSuccess()
        let outcome = try place.run(
            "keyfob helper git get", text: "protocol=https\nhost=gitlab.com\ncapability[]=state\n")
        #expect(
            outcome.text
                == "capability[]=state\nusername=eve\npassword=glpat\nstate[]=keyfob:eve@gitlab.com\n", "\(outcome)")
    }

    @Test("the name by which it is called says which helper it is, and no token is printed in its place")
    func name() throws {
        try place.run("ln -s keyfob bin/keyfob-of-mine").expectSuccess()
        #expect(try place.run("git-credential-keyfob token", text: "\n").expectSuccess().output.isEmpty)
        #expect(try place.run("keyfob-of-mine token --account octo").text == "gho_octo\n")
    }
}
