import Foundation
import KeyfobTestSupport
import Testing

@Suite("The session's kernel keyring", .waitsForPrograms)
struct SessionKeyringTests {
    /// Runs lines in a session of its own.
    private func inSession(_ place: Workplace, _ lines: String...) throws -> Outcome {
        try place.write("session", "set -e\nunset KEYFOB_KEY_FILE\n" + lines.joined(separator: "\n") + "\n")
        let outcome = try place.run(
            "keyctl session - sh session 2>messages; status=$?; grep -v '^Joined session' messages >&2; exit $status")
        #expect(!outcome.errors.contains("keyctl:"), "needs the package keyutils and a kernel that lets it: \(outcome)")
        return outcome
    }

    @Test("unlocked once, a session needs no key until it is locked")
    func unlocking() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        let outcome = try inSession(
            place, "keyfob unlock --for 1m --key-file key", "keyfob token", "keyfob token --no-input",
            "keyfob status | grep -o '^state .*keyring'", "keyfob lock", "keyfob token --no-input || echo $?",
            "keyfob lock")
        #expect(
            outcome.text == "token\ntoken\nstate   unlocked by the key in this session's kernel keyring\n12\n",
            "\(outcome)")
        #expect(
            outcome.errors == """
                unlocked for 1m
                locked
                keyfob: the vault is locked; it opens with a key file (--key-file FILE), or the recovery key or \
                another identity (--identity FILE)
                it was locked already

                """, "\(outcome)")
    }

    @Test("the time runs out")
    func timeout() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        let outcome = try inSession(
            place, "keyfob unlock -q --for 10s --key-file key", "keyfob token",
            "while keyfob token --no-input >/dev/null 2>&1; do sleep 0.1; done", "keyfob token --no-input || echo $?")
        #expect(outcome.text == "token\n12\n", "\(outcome)")
    }

    @Test("another session has no part in it")
    func otherSession() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        let outcome = try inSession(
            place, "keyfob unlock -q --for 1m --key-file key",
            "keyctl session - keyfob token --no-input 2>/dev/null || echo $?",
            "keyfob token")
        #expect(outcome.text == "12\ntoken\n", "\(outcome)")
    }

    @Test("status tells how many other sessions keep it")
    func keptElsewhere() throws {
        let place = try Workplace.withVault()
        let outcome = try inSession(
            place, "keyfob unlock -q --for 1m --key-file key",
            "keyctl session - keyfob status 2>/dev/null | grep '^key .* other'",
            "keyfob status --json --key-file key | grep keysElsewhere", "keyfob lock -q",
            "keyctl session - keyfob status --json 2>/dev/null | grep keysElsewhere")
        #expect(
            outcome.text == """
                key     in the kernel keyring of 1 other session
                  "keysElsewhere" : 0,
                  "keysElsewhere" : 0,

                """, "\(outcome)")
    }

    @Test("a group's key stays one group's")
    func groupKey() throws {
        let place = try Workplace.withVault()
        try place.makeKey("ci")
        try place.add("ada", token: "token")
        try place.run("keyfob group create work -q && keyfob group grant -q work key-file ci").expectSuccess()
        let outcome = try inSession(
            place, "keyfob unlock --for 1m --key-file ci", "keyfob group list --json | grep name",
            "keyfob token --group default || echo $?", "keyfob group rotate work --key-file key -q",
            "keyfob status | grep ^state")
        #expect(outcome.text.contains("\"work\"") && outcome.text.contains("77\n"), "\(outcome)")
        #expect(outcome.text.contains("state   unlocked for one group"), "\(outcome)")
    }

    @Test("the key of a vault opens no other")
    func otherVault() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob init -q --vault second").expectSuccess()
        let outcome = try inSession(
            place, "keyfob unlock -q --for 1m --key-file key", "keyfob status --vault second | grep ^state",
            "keyfob verify --vault second --no-input || echo $?")
        #expect(outcome.text.hasSuffix("12\n") && outcome.text.contains("state   locked"), "\(outcome)")
    }

    @Test("without a session keyring of its own unlocking is refused, and --user is the way out")
    func noSession() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob unlock --for 1m").expectError(69, "no kernel keyring of its own", "--user")
        #expect(try place.run("keyfob lock").status == 0)
    }

    @Test("the user's keyring serves every session, only when asked, until it is locked anywhere")
    func userKeyring() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        let without = "env -u KEYFOB_KEY_FILE keyfob"
        try place.run("keyfob unlock --for 1m --user 2> said").expectSuccess()
        #expect(
            String(decoding: try place.read("said"), as: UTF8.self) == "unlocked for 1m (in every session of yours)\n")
        defer { _ = try? place.run("keyfob lock") }
        #expect(try place.run("\(without) token").text == "token\n")
        let outcome = try inSession(
            place, "keyfob token", "keyfob status | grep ^key | sed 's/until .*//'",
            "keyfob unlock -q --for 1m", "keyfob status | grep -c ^key", "keyfob lock", "keyfob status | grep ^state")
        #expect(
            outcome.text
                == "token\nkey     in your kernel keyring \n2\nstate   locked\n",
            "\(outcome)")
        try place.run("\(without) token --no-input").expectError(12)
    }

    @Test("the key is kept in the session's keyring alone unless --user asks for more, and never for longer")
    func nowhereElse() throws {
        let place = try Workplace.withVault()
        let id = try #require(try place.document("keyfob status --json")["id"] as? String)
        let outcome = try inSession(
            place, "keyfob unlock -q --for 1m --key-file key",
            "keyctl search @s user keyfob:\(id):$(id -u) > /dev/null && echo 1",
            "for keyring in @u @us @p @t $(keyctl get_persistent @t 2>/dev/null); do",
            "keyctl search $keyring user keyfob:\(id):$(id -u) 2>/dev/null && echo $keyring", "done; true")
        #expect(outcome.text == "1\n", "\(outcome)")
    }

    @Test("status says until when, and the doctor which of them works")
    func telling() throws {
        let place = try Workplace.withVault()
        let outcome = try inSession(
            place, "keyfob unlock -q --for 1h --key-file key", "keyfob status --json > status.json",
            "keyfob doctor | grep keyring")
        #expect(
            outcome.text == """
                ok      session keyring: 'keyfob unlock' can keep the key
                ok      user keyring: 'keyfob unlock --user' can keep the key

                """, "\(outcome)")
        let document = try JSONSerialization.jsonObject(with: place.read("status.json")) as? [String: Any]
        let kept = document?["keptKeys"] as? [[String: String]]
        #expect(kept?.count == 1 && kept?.first?["keyring"] == "session", "\(kept ?? [])")
        let until = try Date(kept?.first?["until"] ?? "", strategy: .iso8601)
        #expect(abs(until.timeIntervalSinceNow - 3_600) < 60)
        let doctor = try place.run("keyfob doctor").expectSuccess()
        #expect(
            doctor.text.contains("warning session keyring: 'keyfob unlock' keeps no key: this session has no"),
            "\(doctor)")
    }
}
