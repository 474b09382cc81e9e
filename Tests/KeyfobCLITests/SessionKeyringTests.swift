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
            "keyfob status | grep ^state", "keyfob lock", "keyfob token --no-input || echo $?", "keyfob lock")
        #expect(outcome.text == "token\ntoken\nstate   unlocked\n12\n", "\(outcome)")
        #expect(
            outcome.errors == """
                unlocked for 1m
                locked
                keyfob: the vault is locked; run 'keyfob unlock', or give a key file
                it was locked already

                """, "\(outcome)")
    }

    @Test("the time runs out")
    func timeout() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        let outcome = try inSession(
            place, "keyfob unlock -q --for 3s --key-file key", "keyfob token",
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

    @Test("without a session keyring of its own unlocking is refused")
    func noSession() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob unlock --for 1m").expectError(69, "no kernel keyring of its own")
        #expect(try place.run("keyfob lock").status == 0)
    }
}
