import Foundation
import KeyfobTestSupport
import Testing

@Suite("New keys, and ways to unlock that go, by the command", .waitsForPrograms)
struct RekeyCommandTests {
    /// A vault with a group that the key file `ci` opens alone, and a backup.
    private func home() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.makeKey("ci")
        try place.run("keyfob group create -q ci && keyfob group grant -q ci key-file ci").expectSuccess()
        try place.add("ada", token: "ada's")
        try place.add("bob", token: "bob's", "--group ci")
        try place.run("keyfob backup -q").expectSuccess()
        return place
    }

    private func opens(_ place: Workplace, _ key: String) throws -> Bool {
        try place.run("env -u KEYFOB_KEY_FILE keyfob verify \(key)").status == 0
    }

    @Test("what would be lost is named and refused; what is kept opens it, and what is old does not")
    func rekeying() throws {
        let place = try home()
        let before = try place.contents(of: "data")
        let refused = try place.run("env -u KEYFOB_KEY_FILE keyfob rekey --identity recovery --recovery-file new")
        refused.expectError(64, "(--keep-key-file FILE keeps it)", "of group 'ci'", "--force")
        #expect(try place.contents(of: "data")["keyfob/keyring.db"] == before["keyfob/keyring.db"])
        #expect(!FileManager.default.fileExists(atPath: place.path + "/new"))
        try place.run("keyfob rekey --recovery-file new --keep-key-file ci").expectError(77, "opens no slot")
        // What has opened the vault goes on opening it, named or not.
        let done = try place.run("keyfob rekey --recovery-file new --force").expectSuccess()
        #expect(done.text.isEmpty, "\(done)")
        #expect(done.errors.contains("to grant it again: keyfob group grant ci key-file FILE"), "\(done)")
        let removal = try #require(done.errors.firstMatch(of: /\n  (rm \S+\.age)/)?.output.1)
        #expect(try opens(place, "--key-file key") && opens(place, "--identity new"))
        #expect(try !opens(place, "--key-file ci") && !opens(place, "--identity recovery"))
        #expect(try place.run("keyfob token --account bob").text == "bob's\n")
        let verify = "keyfob backup --verify $b --bundle-identity new >/dev/null 2>&1"
        let list = "for b in data/keyfob/backups/*; do \(verify); echo $?; done"
        #expect(try place.run(list).text == "77\n0\n")
        try place.run(String(removal)).expectSuccess()
        #expect(try place.run(list).text == "0\n")
        // The command that was printed grants again.
        try place.run("keyfob group grant ci key-file ci").expectSuccess()
        #expect(try place.run("keyfob token --key-file ci").text == "bob's\n")
    }

    @Test("the new recovery key is shown on standard output alone, and the documents follow their schemas")
    func documents() throws {
        let place = try home()
        let shown = try place.run("keyfob rekey --keep-key-file key --force > shown; chmod 600 shown").expectSuccess()
        #expect(!shown.errors.contains("AGE-SECRET-KEY"))
        #expect(try place.run("cat shown").text.wholeMatch(of: /AGE-SECRET-KEY-PQ-1[A-Z0-9]{58}\n/) != nil)
        #expect(try opens(place, "--identity shown"))
        try place.run("keyfob group grant -q ci key-file ci").expectSuccess()
        var documents = Documents()
        documents.add(
            "rekeyed", try place.run("keyfob rekey --keep-key-file key --force --json").text, from: "rekey")
        documents.add(
            "rekeyed", try place.run("keyfob rekey --force --json --recovery-file last").text, from: "rekey")
        try place.run("env -u KEYFOB_KEY_FILE keyfob rekey --json --identity last").expectFailure(64)
        try place.run("keyfob slot add -q key-file ci").expectSuccess()
        documents.add(
            "slot-removed",
            try place.run("keyfob slot remove --json $(keyfob slot list | awk '/key-file/ { print $1 }' | tail -1)")
                .text, from: "slot remove")
        documents.add("slot-list", try place.run("keyfob slot list --json").text, from: "slot list")
        try documents.validate(in: place)
    }

    @Test("on a terminal the passphrase is asked for, and what would be lost is confirmed")
    func terminal() throws {
        let place = try home()
        let add = "keyfob slot add -q passphrase --kdf-memory 64 --new-passphrase-fd 0"
        try place.run("echo horse | \(add)").expectSuccess()
        let steps = [("New passphrase for the vault: ", "house\n"), ("The same again: ", "house\n")]
        let line = "keyfob rekey --recovery-file new"
        let refused = try place.onTerminal(line, steps + [("Type 'rekey' to go on without: ", "yes\n")])
        #expect(refused.status == 15 && refused.screen.contains("nothing was changed"), "\(refused)")
        #expect(refused.screen.contains("would not open the vault any more: key-file"), "\(refused)")
        #expect(refused.screen.contains("of group 'ci'") && !refused.screen.contains("--keep-key-file"), "\(refused)")
        #expect(try opens(place, "--key-file key"))
        let agreed = try place.onTerminal(line, steps + [("Type 'rekey' to go on without: ", "rekey\n")])
        #expect(agreed.status == 0 && agreed.screen.contains("the vault has new keys"), "\(agreed)")
        #expect(try opens(place, "--key-file key"))
        #expect(try place.run("echo house | keyfob verify --passphrase-fd 0").status == 0)
        #expect(try place.run("echo horse | keyfob verify --passphrase-fd 0").status == 77)
    }

    @Test("a passphrase that is given to open the vault goes on opening it")
    func passphraseGiven() throws {
        let place = try home()
        try place.run("echo horse | keyfob slot add -q passphrase --kdf-memory 64 --new-passphrase-fd 0")
            .expectSuccess()
        try place.run("echo horse | keyfob rekey -q --passphrase-fd 0 --keep-key-file key --recovery-file new --force")
            .expectSuccess()
        #expect(try place.run("echo horse | keyfob verify --passphrase-fd 0").status == 0)
        #expect(try opens(place, "--key-file key") && opens(place, "--identity new"))
        let (other, words) = ("keyfob rekey -q --passphrase-fd 3 --new-passphrase-fd 0", "--recovery-file last --force")
        try place.run("echo horse > old; echo house | \(other) \(words) 3< old").expectSuccess()
        #expect(try place.run("echo house | keyfob verify --passphrase-fd 0").status == 0)
        #expect(try place.run("echo horse | keyfob verify --passphrase-fd 0").status == 77)
        #expect(try !opens(place, "--key-file key"))
    }

    @Test("killed at any moment it leaves the old keys or the new ones, and the same command does it")
    func killed() throws {
        let place = try home()
        try place.write("cache.json", SampleCache(people: 40).json())
        try place.run("keyfob import -q cache.json >/dev/null").expectSuccess()
        var (killed, recovery) = (0, "recovery")
        for round in 0..<TestLength.rounds(8, full: 60) {
            let new = "new\(round)"
            let line = "keyfob rekey -q --force --keep-key-file key --recovery-file \(new)"
            let seconds = Double.random(in: 0.02...0.25)
            let outcome = try place.run("timeout -s KILL \(seconds) \(line) >/dev/null 2>&1")
            if outcome.status == 137 { killed += 1 }
            #expect(outcome.status == 137 || outcome.status == 0, "round \(round): \(outcome)")
            let verified = try place.run("keyfob verify").expectSuccess()
            #expect(verified.errors.isEmpty, "\(verified)")
            let isWritten = FileManager.default.fileExists(atPath: place.path + "/" + new)
            let isNew = try isWritten && opens(place, "--identity \(new)")
            #expect(try opens(place, "--identity \(recovery)") != isNew, "round \(round)")
            if outcome.status == 0 { #expect(isNew) }
            if isNew { recovery = new }
        }
        #expect(killed > 0)
        // What is printed when the file is there already leads on.
        let again = try place.run("keyfob rekey --force --keep-key-file key --recovery-file \(recovery)")
        again.expectError(73, "'keyfob verify --identity \(recovery)'")
        try place.run("keyfob rekey -q --force --keep-key-file key --recovery-file last").expectSuccess()
        #expect(try opens(place, "--identity last"))
    }

    @Test("a key that a session kept is forgotten; one in another session leads to the question for the passphrase")
    func keptKey() throws {
        let place = try home()
        try place.write(
            "session",
            """
            unset KEYFOB_KEY_FILE
            keyfob unlock -q --key-file key
            keyfob token --account ada
            keyctl session - keyfob rekey -q --force --key-file key --keep-key-file key --recovery-file new 2>/dev/null
            keyfob token --no-input --account ada
            keyfob unlock -q --key-file key
            keyfob rekey -q --force --keep-key-file key --recovery-file newer
            keyfob status
            """)
        let outcome = try place.run("keyctl session - sh session")
        #expect(outcome.text.hasPrefix("ada's\n") && outcome.text.contains("state   locked"), "\(outcome)")
        #expect(outcome.errors.contains("the keys of the vault were replaced at 2"), "\(outcome)")
        #expect(outcome.errors.contains("what is held opens it no more; run 'keyfob unlock'"), "\(outcome)")
    }

    @Test("the last way in beside the recovery key is taken only when asked, or with --force")
    func lastWay() throws {
        let place = try home()
        try place.makeKey("spare")
        try place.run("keyfob slot add -q key-file spare").expectSuccess()
        let slot = "$(keyfob slot list --identity recovery | awk '/key-file  *the vault/ { print $1 }' | head -1)"
        try place.run("keyfob slot remove \(slot)").expectError(64, "has opened the vault just now", "--force")
        let removed = try place.run("keyfob slot remove \(slot) --force").expectSuccess()
        #expect(removed.errors.contains("may have kept the vault's key; 'keyfob rekey' gives it another"), "\(removed)")
        #expect(removed.errors.contains("still opens with: recovery-key "), "\(removed)")
        try place.run("keyfob slot remove \(slot) --key-file spare").expectError(64, "--force")
        let asked = try place.onTerminal(
            "keyfob slot remove \(slot) --key-file spare",
            [("Type 'remove'", "no\n")])
        #expect(asked.status == 15 && asked.screen.contains("the recovery key alone opens the vault"), "\(asked)")
        #expect(try opens(place, "--key-file spare"))
        try place.run("keyfob slot remove \(slot) --key-file spare --force").expectSuccess()
        #expect(try !opens(place, "--key-file spare") && opens(place, "--identity recovery"))
        // The recovery key alone is enough to go on.
        try place.run("keyfob rekey -q --identity recovery --recovery-file new --force").expectSuccess()
        #expect(try opens(place, "--identity new") && !opens(place, "--identity recovery"))
    }
}

extension Outcome {
    /// Expects a status, whatever the form of the error.
    fileprivate func expectFailure(_ status: Int32) {
        #expect(self.status == status, "\(self)")
    }
}
