import Foundation
import KeyfobTestSupport
import Testing

@Suite("Vaults for the desktop's keyring", .waitsForPrograms)
struct DesktopKeyringMakingTests {
    private static let question = "Unlock with your desktop's keyring (Secret Service)? [Y/n] "

    @Test("a person at a terminal of a desktop is offered it", arguments: ["\n", "y\n", "Yes\n"])
    func offered(answer: String) throws {
        let desktop = try DesktopPlace()
        let run = try desktop.place.onTerminal("keyfob init --recovery-file recovery", [(Self.question, answer)])
        #expect(run.status == 0 && !run.screen.contains("passphrase"), "\(run)")
        try desktop.run("keyfob verify --no-input").expectSuccess()
        #expect(try desktop.items("count") == "1\n")
    }

    @Test("whoever says no is asked for a passphrase", arguments: ["n\n", "No\n", "what?\n"])
    func declined(answer: String) throws {
        let desktop = try DesktopPlace()
        let run = try desktop.place.onTerminal(
            "keyfob init --kdf-memory 64 --recovery-file recovery",
            [(Self.question, answer), ("New passphrase: ", "correct horse\n"), ("The same again: ", "correct horse\n")])
        #expect(run.status == 0, "\(run)")
        #expect(try desktop.items("count") == "0\n")
        try desktop.run("keyfob token --no-input").expectError(12, "the vault is locked")
    }

    @Test("nobody is offered it who has said how, may not be asked, or has none")
    func notOffered() throws {
        let desktop = try DesktopPlace()
        try desktop.place.makeKey("key")
        let given = try desktop.place.onTerminal("keyfob init --key-file key --recovery-file recovery", [])
        #expect(given.status == 0 && !given.screen.contains("[Y/n]"), "\(given)")
        let silent = try desktop.place.onTerminal("keyfob init --no-input --vault second", [])
        #expect(silent.status == 12 && !silent.screen.contains("[Y/n]"), "\(silent)")
        try desktop.run("keyfob init --vault third").expectError(12)
        try desktop.session.stopService()
        let without = try desktop.place.onTerminal("keyfob init --vault fourth", [("New passphrase: ", "\u{3}")])
        #expect(without.status == 15 && !without.screen.contains("[Y/n]"), "\(without)")
    }

    @Test("beside a passphrase or a key file it is a second way to unlock")
    func beside() throws {
        let desktop = try DesktopPlace()
        try desktop.place.makeKey("key")
        try desktop.place.write("words", "correct horse\n")
        try desktop.run("keyfob init -q --secret-service --key-file key --recovery-file r1").expectSuccess()
        try desktop.run("keyfob verify --key-file key").expectSuccess()
        try desktop.run("keyfob verify --no-input").expectSuccess()
        let second = "--vault second --secret-service --passphrase-fd 3 --kdf-memory 64 --recovery-file r2 3< words"
        try desktop.run("keyfob init -q \(second)").expectSuccess()
        try desktop.run("keyfob verify --vault second --passphrase-fd 3 3< words").expectSuccess()
        let slots = try desktop.run("keyfob slot list --vault second --no-input").expectSuccess().text
        #expect(slots.contains("passphrase (64 MiB)") && slots.contains("secret-service"), "\(slots)")
    }

    @Test("where it is locked, or not there, no vault is made and no item")
    func refused() throws {
        let desktop = try DesktopPlace.withVault()
        try desktop.session.lock()
        try desktop.run("keyfob init --vault second --secret-service").expectError(12, "is locked")
        try desktop.run("keyfob slot add secret-service --identity recovery").expectError(12, "is locked")
        let without = "env -u DBUS_SESSION_BUS_ADDRESS keyfob"
        try desktop.run("\(without) init --vault second --secret-service").expectError(69, "no session bus")
        try desktop.run("\(without) slot add secret-service --identity recovery").expectError(69, "no session bus")
        try desktop.run("keyfob status --vault second").expectError(66)
        try desktop.session.unlock()
        #expect(try desktop.items("count") == "1\n")
        #expect(try desktop.run("keyfob slot list | grep -c secret-service").text == "1\n")
    }

    @Test("a keyring that asks first makes the vault when the person says yes")
    func asking() throws {
        let desktop = try DesktopPlace(.misbehaving(["locked", "accept"]))
        try desktop.run("keyfob init --secret-service --recovery-file recovery").expectError(12, "is locked")
        try desktop.run("DISPLAY=:99 keyfob init -q --secret-service --recovery-file recovery").expectSuccess()
        try desktop.run("keyfob verify --no-input").expectSuccess()
    }

    @Test("it is added to a vault, and to one that is made from a backup, but not to a group")
    func added() throws {
        let desktop = try DesktopPlace()
        try desktop.place.makeKey("key")
        try desktop.run("keyfob init -q --key-file key --recovery-file recovery").expectSuccess()
        var documents = Documents()
        let added = try desktop.run("keyfob slot add secret-service --key-file key --json").expectSuccess()
        documents.add("slot-added", added.text, from: "\(added)")
        try documents.validate(in: desktop.place)
        try desktop.run("keyfob verify --no-input").expectSuccess()
        try desktop.run("keyfob group grant default secret-service").expectError(64, "not one group")
        try desktop.run("keyfob slot add secret-service extra").expectError(64, "nothing more")
        try desktop.run("keyfob backup --to backup.age").expectSuccess()
        let restored = "keyfob restore -q backup.age --bundle-identity recovery --recovery-file new-recovery"
        try desktop.run("\(restored) --vault second --secret-service").expectSuccess()
        try desktop.run("keyfob verify --vault second --no-input").expectSuccess()
        #expect(try desktop.items("labels") == "Keyfob: unlocks keyfob\nKeyfob: unlocks second\n")
        try desktop.run("keyfob restore backup.age --bundle-identity recovery --secret-service --force")
            .expectError(64, "is for a new one")
    }
}
