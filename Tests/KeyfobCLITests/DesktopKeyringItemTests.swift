import Foundation
import KeyfobTestSupport
import Testing

@Suite("Items of the desktop's keyring", .waitsForPrograms)
struct DesktopKeyringItemTests {
    /// The id of the slot that the keyring opens.
    private func slot(_ desktop: DesktopPlace) throws -> String {
        let line = "keyfob slot list --identity recovery | awk '/secret-service/ { print $1 }'"
        return try desktop.run(line).expectSuccess().text.trimmingCharacters(in: .newlines)
    }

    /// Makes the slot anew, as the doctor says.
    private func mend(_ desktop: DesktopPlace) throws {
        let old = try slot(desktop)
        try desktop.run("keyfob slot add secret-service --identity recovery").expectSuccess()
        try desktop.run("keyfob slot remove \(old) --identity recovery").expectSuccess()
        #expect(try desktop.items("count") == "1\n")
        #expect(try desktop.run("keyfob token --no-input").expectSuccess().text == "token\n")
    }

    @Test("one that was deleted is told, and made anew as the doctor says")
    func deleted() throws {
        let desktop = try DesktopPlace.withVault()
        try desktop.items("delete")
        try desktop.run("keyfob token --no-input").expectError(12, "does not hold the key of this vault", "doctor")
        let doctor = try desktop.run("keyfob doctor").expectSuccess().text
        #expect(doctor.contains("warning secret service: the desktop's keyring does not hold the key"), "\(doctor)")
        #expect(doctor.contains("'keyfob slot add secret-service --identity FILE'"), "\(doctor)")
        let status = try desktop.run("keyfob status").expectSuccess().text
        #expect(status.contains("desktop keyring does not hold the key of slot \(try slot(desktop))"), "\(status)")
        try mend(desktop)
    }

    @Test("one that is there twice opens the vault with a warning, until it is mended")
    func doubled() throws {
        let desktop = try DesktopPlace.withVault()
        try desktop.items("double")
        let outcome = try desktop.run("keyfob token").expectSuccess()
        #expect(outcome.text == "token\n" && outcome.errors.hasPrefix("keyfob: warning: "), "\(outcome)")
        #expect(outcome.errors.contains("2 items for slot \(try slot(desktop))"), "\(outcome)")
        let doctor = try desktop.run("keyfob doctor").expectSuccess().text
        #expect(doctor.contains("opens the vault with one of 2 items"), "\(doctor)")
        try mend(desktop)
        #expect(try desktop.run("keyfob token").expectSuccess().errors == "")
    }

    @Test("one beside it that another program made does not hide it", arguments: ["hunter2", "{TITLE}", "AAAA"])
    func foreignBeside(text: String) throws {
        let desktop = try DesktopPlace.withVault()
        try desktop.items("add '\(text)'")
        let outcome = try desktop.run("keyfob token").expectSuccess()
        #expect(outcome.text == "token\n" && outcome.errors.contains("2 items"), "\(outcome)")
        try mend(desktop)
    }

    @Test(
        "one that was changed is told from a wrong passphrase",
        arguments: ["hunter2", "{TITLE}", String(repeating: "A", count: 43), String(repeating: "A", count: 5_000)])
    func changed(text: String) throws {
        let desktop = try DesktopPlace.withVault()
        try desktop.items("replace '\(text)'")
        let refused = try desktop.run("keyfob token --no-input")
        refused.expectError(77, "slot \(try slot(desktop)) does not open the vault", "it was changed")
        #expect(!refused.errors.contains("hunter2") && !refused.errors.contains("passphrase"), "\(refused)")
        let status = try desktop.run("keyfob status").expectSuccess().text
        #expect(status.contains("state   locked") && status.contains("an item that does not open"), "\(status)")
        let doctor = try desktop.run("keyfob doctor").expectSuccess().text
        #expect(doctor.contains("warning secret service: ") && doctor.contains("does not open the vault"), "\(doctor)")
        try mend(desktop)
    }

    @Test("two vaults share the keyring, and removing the slot of one leaves the other's")
    func twoVaults() throws {
        let desktop = try DesktopPlace.withVault()
        let other = "KEYFOB_VAULT=$PWD/other keyfob"
        try desktop.run("\(other) init -q --secret-service --recovery-file other-recovery").expectSuccess()
        try desktop.run("printf other | \(other) add -q --account bob --host git.example").expectSuccess()
        #expect(try desktop.items("labels") == "Keyfob: unlocks keyfob\nKeyfob: unlocks other\n")
        #expect(try desktop.run("\(other) token").expectSuccess().text == "other\n")
        #expect(try desktop.run("keyfob token").expectSuccess().text == "token\n")
        try desktop.run("keyfob slot remove --force \(try slot(desktop))").expectSuccess()
        try desktop.run("keyfob token --no-input").expectError(12, "the vault is locked")
        #expect(try desktop.items("labels") == "Keyfob: unlocks other\n")
        #expect(try desktop.run("\(other) token").expectSuccess().text == "other\n")
    }

    @Test("a keyring that was renamed, or restarted, still opens the vault")
    func renamed() throws {
        let desktop = try DesktopPlace.withVault()
        try desktop.session.rename(to: "Anmeldung")
        #expect(try desktop.run("keyfob token").expectSuccess().text == "token\n")
        try desktop.session.restartService()
        #expect(try desktop.run("keyfob token").expectSuccess().text == "token\n")
    }

    @Test("an item that cannot be removed with its slot is told")
    func notRemoved() throws {
        let desktop = try DesktopPlace.withVault()
        let line = "env -u DBUS_SESSION_BUS_ADDRESS keyfob slot remove --force \(try slot(desktop)) --identity recovery"
        let outcome = try desktop.run(line).expectSuccess()
        #expect(outcome.errors.contains("keyfob: warning: the slot is removed, but its item"), "\(outcome)")
        #expect(outcome.errors.contains("removed slot"), "\(outcome)")
        #expect(try desktop.items("count") == "1\n")
    }

    @Test("its documents follow their schemas, whatever became of the items")
    func documents() throws {
        let desktop = try DesktopPlace.withVault()
        var documents = Documents()
        func look(_ expected: String) throws {
            for (schema, line) in [("status", "status"), ("doctor", "doctor"), ("slot-list", "slot list")] {
                let outcome = try desktop.run("keyfob \(line) --json")
                if outcome.status == 0 { documents.add(schema, outcome.text, from: "\(outcome)") }
            }
            let status = try desktop.place.document("keyfob status --json")
            let items = status["secretService"] as? [[String: Any]] ?? []
            #expect(items.map { $0["state"] as? String } == [expected], "\(items)")
        }
        try look("opens")
        try desktop.items("double")
        try look("opens")
        try desktop.items("replace x")
        try look("foreign")
        try desktop.session.lock()
        try look("locked")
        try desktop.session.unlock()
        try desktop.items("delete")
        try look("missing")
        try desktop.session.stopService()
        try look("unavailable")
        #expect(documents.count >= 14)
        try documents.validate(in: desktop.place)
    }
}
