import Foundation
import KeyfobTestSupport
import Testing

@Suite("Choices that are remembered", .waitsForPrograms)
struct RememberedChoiceTests {
    /// A home with two accounts, between which nothing decides.
    private func home() throws -> Workplace {
        let place = try Workplace.withVault()
        for name in ["ada", "bob"] { try place.add(name, token: "token-of-\(name)") }
        return place
    }

    /// Runs `line` on a terminal and answers the picker.
    private func answer(_ place: Workplace, _ line: String, _ keys: String) throws -> TerminalRun {
        try place.onTerminal("\(line) > out 2> err", [("2/2", keys)])
    }

    private func choices(_ place: Workplace) throws -> Int {
        let groups = try place.document("keyfob history show --json")["groups"] as? [[String: Any]]
        return groups?.first?["choices"] as? Int ?? -1
    }

    private func text(_ place: Workplace, _ name: String) throws -> String {
        String(decoding: try place.read(name), as: UTF8.self)
    }

    /// A home in which bob was chosen.
    private func learnedHome() throws -> Workplace {
        let place = try home()
        let run = try answer(place, "keyfob token", "bob\r")
        #expect(run.status == 0, "\(run)")
        try #require(try choices(place) == 1)
        return place
    }

    @Test("a person at a terminal is asked once, and the answer is remembered")
    func asked() throws {
        let place = try home()
        let run = try answer(place, "keyfob token", "bob\r")
        #expect(run.status == 0, "\(run)")
        #expect(try text(place, "out") == "token-of-bob\n")
        #expect(try text(place, "err").isEmpty)
        #expect(try choices(place) == 1)
        // From now on nobody has to be there.
        #expect(try place.run("keyfob token --no-input").expectSuccess().text == "token-of-bob\n")
        let document = try place.document("keyfob which --json")
        let first = try #require((document["verdicts"] as? [[String: Any]])?.first)
        #expect(first["account"] as? String == "bob@git.example")
        #expect(first["reason"] as? String == "learned")
        #expect(first["probability"] as? Double ?? 0 >= 0.9)
        let uses = first["uses"] as? [String: Any]
        let count = try #require(uses?["count"] as? Int)
        #expect(count > 0 && uses?["total"] as? Int == count && uses?["scope"] as? String == "place")
        var documents = Documents()
        documents.add("selection", try place.run("keyfob which --json").text, from: "which")
        try documents.validate(in: place)
    }

    @Test("answers for several programs in one directory add up, and 'which' tells of them")
    func several() throws {
        let place = try home()
        for tool in ["one", "two", "three"] {
            let run = try answer(place, "keyfob pick --tool \(tool)", "ada\r")
            #expect(run.status == 0, "\(run)")
            #expect(try text(place, "out") == "ada@git.example\n")
        }
        #expect(try choices(place) == 3)
        let which = try place.run("keyfob which").expectSuccess()
        #expect(which.text.contains("chosen: used all of the last 3 times here"), "\(which)")
        #expect(which.text.contains("rejected: not among the last 3 used here"), "\(which)")
    }

    @Test("whoever leaves the question open gets no token, and nothing is remembered", arguments: ["\u{1B}", "\u{3}"])
    func cancelled(keys: String) throws {
        let place = try home()
        let run = try answer(place, "keyfob token", keys)
        #expect(run.status == 15, "\(run)")
        #expect(try text(place, "out").isEmpty)
        #expect(try text(place, "err") == "keyfob: cancelled; no account was chosen\n")
        #expect(try choices(place) == 0)
    }

    @Test("with --no-input and with --json nobody is asked, even on a terminal", arguments: ["--no-input", "--json"])
    func notAsked(option: String) throws {
        let place = try home()
        let run = try place.onTerminal("keyfob token \(option) > out 2> err", [])
        #expect(run.status == 11 && run.screen.isEmpty, "\(run)")
        #expect(try choices(place) == 0)
    }

    @Test("an account that a person names at a terminal is remembered, one that a script names is not")
    func named() throws {
        let place = try home()
        try place.run("keyfob token --account ada").expectSuccess()
        #expect(try choices(place) == 0)
        let run = try place.onTerminal("keyfob token --account ada > out", [])
        #expect(run.status == 0, "\(run)")
        // The test's own interpreter is a program that calls, and no person.
        #expect(try choices(place) == 0)
        let script = try place.onTerminal("sh -c 'keyfob token --account ada > out; true'", [])
        #expect(script.status == 0, "\(script)")
        #expect(try choices(place) == 0)
        // With job control, as at a prompt.
        let shell = try place.onTerminal("sh -m -c 'keyfob token --account ada > out; true'", [])
        #expect(shell.status == 0, "\(shell)")
        #expect(try choices(place) == 1)
    }

    @Test("clearing forgets, and the question is open again")
    func clearing() throws {
        let place = try learnedHome()
        try place.run("keyfob history clear").expectSuccess()
        #expect(try choices(place) == 0)
        try place.run("keyfob token --no-input").expectError(11)
    }

    @Test(
        "a damaged history is told once, and the token comes",
        arguments: [
            "head -c 9000 /dev/urandom > data/keyfob/usage.db", "truncate -s 5000 data/keyfob/usage.db",
            "truncate -s 100 data/keyfob/usage.db", "head -c 4096 /dev/zero > data/keyfob/usage.db",
        ])
    func damaged(line: String) throws {
        let place = try learnedHome()
        try place.run("keyfob account default -q ada").expectSuccess()
        try place.run(line).expectSuccess()
        let outcome = try place.run("keyfob token --no-input").expectSuccess()
        #expect(outcome.text == "token-of-ada\n", "\(outcome)")
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].hasPrefix("keyfob: warning: the history of accounts"), "\(outcome)")
        let again = try place.run("keyfob token --no-input").expectSuccess()
        #expect(again.text == "token-of-ada\n" && again.errors.isEmpty, "\(again)")
        try place.run("keyfob verify").expectSuccess()
    }

    @Test(
        "a history that others can reach is left alone, and the token comes",
        arguments: [
            "chmod 644 data/keyfob/usage.db", "mv data/keyfob/usage.db x && ln -s ../../x data/keyfob/usage.db",
            "rm data/keyfob/usage.db && mkdir data/keyfob/usage.db",
        ])
    func untrusted(line: String) throws {
        let place = try learnedHome()
        try place.run("keyfob account default -q ada").expectSuccess()
        try place.run(line).expectSuccess()
        let outcome = try place.run("keyfob token --no-input").expectSuccess()
        #expect(outcome.text == "token-of-ada\n", "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
    }

    @Test("a history that another process holds neither stops nor changes a token")
    func locked() throws {
        let place = try learnedHome()
        try place.run("keyfob account default -q ada").expectSuccess()
        try place.write(
            "hold.py",
            """
            import sqlite3, subprocess, sys
            database = sqlite3.connect("data/keyfob/usage.db", isolation_level=None)
            database.execute("BEGIN EXCLUSIVE")
            for line in sys.argv[1:]:
                print(subprocess.run(["sh", "-c", line], capture_output=True, text=True))
            """)
        let outcome = try place.run(
            "\"$PYTHON\" hold.py 'keyfob token --account bob' 'keyfob token --no-input'"
        ).expectSuccess()
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 2, "\(outcome)")
        #expect(lines.first?.contains("returncode=0, stdout='token-of-bob\\n', stderr=''") == true, "\(outcome)")
        #expect(lines.last?.contains("returncode=0, stdout='token-of-ada\\n', stderr=''") == true, "\(outcome)")
        // What was held is whole.
        #expect(try choices(place) == 1)
    }

    @Test(
        "on a full disk, and on one that may only be read, the token comes, and that nothing is remembered is told once",
        .enabled(if: Privileges.canMount, Privileges.whyNoMount),
        arguments: ["dd if=/dev/zero of=disk/filling bs=1k 2>/dev/null || true", "mount -o remount,ro disk"])
    func unwritable(line: String) throws {
        let place = try learnedHome()
        try place.write(
            "script",
            """
            set -e
            mkdir disk && mount -t tmpfs -o size=400k,mode=700 none disk
            cp -a data/keyfob disk/vault
            export KEYFOB_VAULT=$PWD/disk/vault
            \(line)
            keyfob token --no-input --tool one
            """)
        let outcome = try place.run("unshare --mount sh script").expectSuccess()
        #expect(outcome.text == "token-of-bob\n", "\(outcome)")
        let warnings = outcome.errors.split(separator: "\n").filter { $0.contains("history") }
        #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("cannot be written") }, "\(outcome)")
    }
}
