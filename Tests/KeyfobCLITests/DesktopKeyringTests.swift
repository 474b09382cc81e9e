import Foundation
import KeyfobTestSupport
import Testing

@Suite("The desktop's keyring", .waitsForPrograms)
struct DesktopKeyringTests {
    @Test("where it opens the vault, nothing is asked and nothing has to be given")
    func nothingAsked() throws {
        let desktop = try DesktopPlace.withVault()
        #expect(try desktop.run("keyfob token --no-input").expectSuccess().text == "token\n")
        #expect(try desktop.run("keyfob token").expectSuccess().errors == "")
        let status = try desktop.run("keyfob status").expectSuccess().text
        #expect(status.contains("state   unlocked by the desktop's keyring (Secret Service)\n"), "\(status)")
        #expect(status.contains(/\ndesktop keyring opens the vault \(slot [0-9a-f]{8}\)\n/), "\(status)")
        let slots = try desktop.run("keyfob slot list").expectSuccess().text
        #expect(slots.contains("secret-service  the vault") && slots.contains("recovery-key    the vault"), "\(slots)")
        let doctor = try desktop.run("keyfob doctor").expectSuccess().text
        #expect(doctor.contains("ok      secret service: the desktop's keyring opens the vault"), "\(doctor)")
        #expect(try desktop.items("labels") == "Keyfob: unlocks keyfob\n")
        #expect(try desktop.run("keyfob token --identity recovery").expectSuccess().text == "token\n")
    }

    @Test("what is given comes before it")
    func givenFirst() throws {
        let desktop = try DesktopPlace.withPassphrase()
        #expect(try desktop.run("keyfob token --passphrase-fd 3 3< words").expectSuccess().text == "token\n")
        try desktop.place.write("wrong", "battery staple\n")
        try desktop.run("keyfob token --passphrase-fd 3 3< wrong").expectError(77)
        try desktop.place.makeKey("other")
        try desktop.run("keyfob token --key-file other").expectError(77)
        try desktop.run("KEYFOB_KEY_FILE=other keyfob token").expectError(77)
    }

    @Test(
        "a session that is unlocked needs it no more; locking it leaves the keyring, says so, and locks that too if told"
    )
    func sessionKeyring() throws {
        let desktop = try DesktopPlace.withVault()
        try desktop.place.write(
            "session",
            """
            keyfob unlock --for 1m
            env -u DBUS_SESSION_BUS_ADDRESS keyfob token
            keyfob lock || echo $?
            keyfob token --no-input
            env -u DBUS_SESSION_BUS_ADDRESS keyfob lock || echo $?
            keyfob lock --desktop
            keyfob token --no-input || echo $?
            keyfob lock

            """)
        let outcome = try desktop.run("keyctl session - sh session 2> messages; grep -v '^Joined session' messages >&2")
        #expect(outcome.text == "token\n69\ntoken\n69\n12\n", "\(outcome)")
        let still =
            "keyfob: locked, but the desktop's keyring (Secret Service) still opens the vault; 'keyfob lock --desktop' "
            + "locks it too, for all programs"
        let lines = outcome.errors.split(separator: "\n").map(String.init)
        let done = "locked, with the desktop's keyring (Secret Service), for all programs"
        let doubt = "keyfob: it was locked already, but whether the desktop's keyring (Secret Service) opens the vault"
        #expect(lines.count >= 4 && [lines[0], lines[1], lines[3]] == ["unlocked for 1m", still, done], "\(outcome)")
        #expect(lines.count >= 4 && lines[2].hasPrefix(doubt), "\(outcome)")
        #expect(lines.last == "it was locked already", "\(outcome)")
    }

    @Test("of a vault that cannot be looked at it is not said that nothing opens it")
    func lockingUnseen() throws {
        let desktop = try DesktopPlace.withVault()
        try desktop.run("chmod 755 '\(desktop.place.vault)'").expectSuccess()
        try desktop.run("keyfob lock").expectError(69, "opens the vault cannot be told", "open to others")
        try desktop.run("chmod 700 '\(desktop.place.vault)'; keyfob token").expectSuccess()
        // Nor of one that has gone, and may lie elsewhere.
        try desktop.run("\(Workplace.agent())\nmv '\(desktop.place.vault)' away\nkeyfob lock").expectError(
            69, "opens the vault cannot be told", "there is no vault at")
    }

    @Test("where it keeps the records, locking says so, and locks it if told")
    func lockingRecords() throws {
        let desktop = try DesktopPlace.withRecords()
        try desktop.run("keyfob lock").expectError(
            69, "it was locked already, but the desktop's keyring (Secret Service) still keeps the vault",
            "'keyfob lock --desktop' locks it too")
        try desktop.run("keyfob account list").expectSuccess()
        try desktop.run("keyfob lock --desktop").expectSuccess()
        try desktop.run("keyfob account list --no-input").expectError(12, "(Secret Service) is locked")
        try desktop.run("keyfob lock").expectSuccess()
    }

    @Test("while it is locked that is the error, and another key opens the vault")
    func locked() throws {
        let desktop = try DesktopPlace.withPassphrase()
        try desktop.session.lock()
        try desktop.run("keyfob token --no-input").expectError(12, "(Secret Service) is locked", "in your session")
        try desktop.run("keyfob token").expectError(12, "(Secret Service) is locked")
        // Where the key would be kept is looked at before the desktop's keyring is.
        try desktop.run(
            "keyctl session - keyfob unlock 2> messages; s=$?; grep -v '^Joined session' messages >&2; (exit $s)"
        ).expectError(12, "(Secret Service) is locked")
        let status = try desktop.run("keyfob status").expectSuccess().text
        #expect(status.contains("state   locked") && status.contains("desktop keyring is locked (slot "), "\(status)")
        let doctor = try desktop.run("keyfob doctor").expectSuccess().text
        #expect(doctor.contains("warning secret service: the desktop's keyring is locked"), "\(doctor)")
        #expect(try desktop.run("keyfob lock").expectSuccess().errors == "it was locked already\n")
        #expect(try desktop.run("keyfob token --passphrase-fd 3 3< words").expectSuccess().text == "token\n")
        try desktop.session.unlock()
        #expect(try desktop.run("keyfob token --no-input").expectSuccess().text == "token\n")
    }

    @Test("without a session bus, or a keyring on it, that is the error, and another key opens the vault")
    func nobodyThere() throws {
        let desktop = try DesktopPlace.withVault()
        let without = "env -u DBUS_SESSION_BUS_ADDRESS keyfob"
        try desktop.run("\(without) token --no-input").expectError(69, "there is no session bus")
        try desktop.run("\(without) token").expectError(69, "there is no session bus")
        #expect(try desktop.run("\(without) token --identity recovery").expectSuccess().text == "token\n")
        let status = try desktop.run("\(without) status").expectSuccess().text
        #expect(status.contains("state   locked") && status.contains("keyring cannot be asked"), "\(status)")
        let doctor = try desktop.run("\(without) doctor").expectSuccess().text
        #expect(doctor.contains("warning secret service: ") && doctor.contains("no session bus"), "\(doctor)")
        try desktop.session.stopService()
        try desktop.run("keyfob token --no-input").expectError(69, "no Secret Service")
    }

    @Test("a keyring that answers nothing is given up")
    func frozen() throws {
        let desktop = try DesktopPlace.withVault()
        try desktop.session.freezeService()
        try desktop.run("keyfob token --no-input").expectError(69, "has not answered in time")
    }

    @Test("on a terminal the passphrase is asked for instead, after a word of why")
    func passphraseInstead() throws {
        let desktop = try DesktopPlace.withPassphrase()
        let steps = [("Passphrase for", "correct horse\n")]
        let gone = try desktop.place.onTerminal("env -u DBUS_SESSION_BUS_ADDRESS keyfob token 2> err", steps)
        #expect(gone.status == 0 && gone.screen.hasSuffix("token\r\n"), "\(gone)")
        let warning = String(decoding: try desktop.place.read("err"), as: UTF8.self)
        #expect(warning.hasPrefix("keyfob: warning: the Secret Service cannot be reached"), "\(warning)")
        #expect(warning.split(separator: "\n").count == 1, "\(warning)")
        try desktop.items("delete")
        let deleted = try desktop.place.onTerminal("keyfob token", steps)
        #expect(deleted.status == 0 && deleted.screen.contains("does not hold the key of this vault"), "\(deleted)")
        let silent = try desktop.place.onTerminal("keyfob token --no-input", [])
        #expect(silent.status == 12, "\(silent)")
    }

    @Test("on a terminal nobody is asked for a passphrase that the vault does not have")
    func noPassphrase() throws {
        let desktop = try DesktopPlace.withVault()
        let run = try desktop.place.onTerminal("env -u DBUS_SESSION_BUS_ADDRESS keyfob token", [])
        #expect(run.status == 69 && !run.screen.contains("Passphrase"), "\(run)")
    }

    @Test("a question of the keyring that is dismissed is an error of its own; nobody is asked where nobody is")
    func dismissed() throws {
        let desktop = try DesktopPlace.withPassphrase()
        try desktop.session.misbehave(["locked", "dismiss"])
        try desktop.run("DISPLAY=:99 keyfob token").expectError(15, "was dismissed, or could not be shown")
        try desktop.run("WAYLAND_DISPLAY=wayland-9 keyfob token").expectError(15, "was dismissed")
        try desktop.run("DISPLAY=:99 keyfob token --no-input").expectError(12, "is locked")
        try desktop.run("keyfob token").expectError(12, "is locked")
        let run = try desktop.place.onTerminal("keyfob token", [("Passphrase for", "correct horse\n")])
        #expect(run.status == 0 && run.screen.contains("keyfob: warning: "), "\(run)")
        #expect(run.screen.contains("was dismissed"), "\(run)")
        #expect(try desktop.run("DISPLAY=:99 keyfob status").expectSuccess().text.contains("keyring is locked"))
    }

    @Test("a vault without such a slot sends nobody to the session bus, one with it does")
    func bus() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        for line in ["token", "status", "doctor", "lock", "slot list", "account list", "init --vault other -q"] {
            let outcome = try place.python("watched_bus", "keyfob \(line)")
            #expect(outcome.text == "0\n", "\(outcome)")
        }
        let desktop = try DesktopPlace.withVault()
        let script = PythonScript.path("watched_bus")
        let outcome = try desktop.run("'\(PythonScript.interpreter)' '\(script)' 'keyfob token --no-input'")
        #expect(outcome.status == 69 && outcome.text != "0\n", "\(outcome)")
    }
}
