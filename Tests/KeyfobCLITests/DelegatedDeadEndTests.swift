import Foundation
import KeyfobTestSupport
import Testing

/// What is said of a vault that the desktop's keyring keeps, where something is in the way, leads on.
@Suite("Ways on with a vault in the desktop's keyring", .waitsForPrograms)
struct DelegatedDeadEndTests {
    private let desktop: DesktopPlace

    init() throws {
        desktop = try DesktopPlace.withRecords()
        try desktop.run("printf stored | keyfob add -q ada@git.example").expectSuccess()
    }

    private var token: Outcome { get throws { try desktop.run("keyfob token --no-input --account ada@git.example") } }

    @Test("'status' names the program that keeps the records, and since when")
    func service() throws {
        let status = try desktop.run("keyfob status").expectSuccess().text
        #expect(status.contains("storage with the desktop's keyring (GNOME Keyring) since 2"), "\(status)")
        let json = try desktop.run("keyfob status --json").expectSuccess().text
        #expect(json.contains("\"storageService\"") && json.contains("\"GNOME Keyring\""), "\(json)")
        #expect(json.contains("\"storageSince\" : \"2"), "\(json)")
    }

    @Test("a vault that is there is not taken for what is left of one")
    func secondVault() throws {
        for line in ["keyfob init --recovery-file other", "keyfob init --storage secret-service --recovery-file other"]
        {
            try desktop.run(line).expectError(73, "there is a vault at")
        }
        #expect(try token.expectSuccess().text == "stored\n")
    }

    @Test("where the recipients of backups are lost, nothing is advised that such a vault can't do")
    func recipients() throws {
        try desktop.run("secret-tool clear xdg:schema io.keyfob.Vault").expectSuccess()
        let told = try token.expectSuccess().errors
        #expect(
            told.contains("made again") && told.contains("slot add recipient") && !told.contains("rekey"), "\(told)")
        let doctor = try desktop.run("keyfob doctor").text
        #expect(doctor.contains("slot add recipient") && !doctor.contains("rekey"), "\(doctor)")
        try desktop.run("mkdir backups").expectSuccess()
        let backup = try desktop.run("keyfob backup --to backups")
        #expect(backup.status == 78 && backup.errors.contains("'keyfob slot add recovery-key FILE'"), "\(backup)")
        #expect(!backup.errors.contains("rekey"), "\(backup)")
        let status = try desktop.run("keyfob status").expectSuccess().text
        #expect(status.contains("warning the vault has no recovery key"), "\(status)")
        #expect(status.contains("'keyfob slot add recovery-key FILE'"), "\(status)")
        let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
        try desktop.run("keyfob slot add recipient \(recipient)").expectSuccess()
        try desktop.run("keyfob backup --to backups").expectSuccess()
        #expect(!(try desktop.run("keyfob doctor").text).contains("slot add recipient"))
    }

    @Test("a recovery key that is there only as its file is put back by it, and opens the backups after that")
    func recoveryKeyPutBack() throws {
        try desktop.run("secret-tool clear xdg:schema io.keyfob.Vault").expectSuccess()
        try token.expectSuccess()
        try desktop.run("keyfob slot add recovery-key recovery").expectSuccess()
        #expect(!(try desktop.run("keyfob status").text).contains("no recovery key"))
        try desktop.run("mkdir backups && keyfob backup --to backups").expectSuccess()
        let restored = "KEYFOB_VAULT=$PWD/other keyfob"
        try desktop.run(
            "\(restored) restore -q backups/* --bundle-identity recovery --new-key-file key --recovery-file r2"
        )
        .expectSuccess()
        #expect(try desktop.run("\(restored) token --key-file key").expectSuccess().text == "stored\n")
        try desktop.run("keyfob slot add recovery-key").expectError(64, "recovery-key FILE")
        try desktop.run("cat recovery r2 > both && chmod 600 both").expectSuccess()
        try desktop.run("keyfob slot add recovery-key both").expectError(64, "several identities")
        let group = "\(restored) group grant default recovery-key recovery --key-file key"
        try desktop.run(group).expectError(64, "opens a whole vault")
    }

    @Test(
        "a damaged note of where the records are is written anew by a repair", arguments: ["", "keyfob-storage 9\\n"])
    func damagedPlace(text: String) throws {
        let file = "data/keyfob/storage"
        let before = try desktop.run("cat \(file)").text
        try desktop.run("printf '\(text)' > \(file)").expectSuccess()
        let refused = try token
        #expect(refused.status == 65 && refused.errors.contains("keyfob doctor"), "\(refused)")
        let doctor = try desktop.run("keyfob doctor")
        #expect(doctor.status == 65 && doctor.text.contains("'keyfob doctor --repair' writes it anew"), "\(doctor)")
        try desktop.run("keyfob init --recovery-file other").expectError(73, "run 'keyfob doctor'")
        let repaired = try desktop.run("keyfob doctor --repair").expectSuccess().text
        #expect(repaired.contains("is written anew") && repaired.contains("quarantine/storage"), "\(repaired)")
        #expect(try desktop.run("cat \(file)").text == before)
        #expect(try token.expectSuccess().text == "stored\n")
        try desktop.run("keyfob verify").expectSuccess()
    }

    @Test("where the note of where the records are is gone, what is said leads back to them")
    func lostPlace() throws {
        let file = "data/keyfob/storage"
        let before = try desktop.run("cat \(file)").text
        for folder in [file, "data/keyfob"] {
            try desktop.run("rm -r \(folder)").expectSuccess()
            let refused = try token
            #expect(refused.errors.contains("storage is gone, which says that the Secret Service"), "\(refused)")
            #expect(
                refused.errors.contains("'keyfob doctor --repair'") && !refused.errors.contains("init"), "\(refused)")
            #expect(try desktop.run("keyfob doctor").errors.contains("'keyfob doctor --repair'"))
            let repaired = try desktop.run("keyfob doctor --repair").expectSuccess().text
            #expect(repaired.contains("was gone, and is written again"), "\(repaired)")
            #expect(try desktop.run("cat \(file)").text == before)
            #expect(try token.expectSuccess().text == "stored\n")
        }
        // While nobody can say whether the records are there, nothing is forgotten.
        try desktop.run("rm \(file)").expectSuccess()
        try desktop.session.lock()
        #expect(try desktop.run("keyfob doctor --repair --no-input").status != 0)
        try desktop.session.unlock()
        #expect(try token.errors.contains("'keyfob doctor --repair'"))
        try desktop.run("secret-tool clear xdg:schema io.keyfob.Vault").expectSuccess()
        try desktop.run("secret-tool clear xdg:schema io.keyfob.AccessToken").expectSuccess()
        #expect(try desktop.run("keyfob doctor --repair --no-input").status != 0)
        #expect(!(try token.errors.contains("doctor --repair")))
    }

    @Test(
        "no vault is made where the note is gone, unless somewhere else",
        arguments: ["data/keyfob/storage", "data/keyfob"])
    func madeAnew(gone: String) throws {
        try desktop.run("rm -r \(gone)").expectSuccess()
        for options in ["--storage secret-service --recovery-file r2", "--new-key-file key --recovery-file r2", ""] {
            let refused = try desktop.run("keyfob init \(options)")
            refused.expectError(73, "storage is gone, which says that the Secret Service", "'keyfob doctor --repair'")
            #expect(refused.errors.contains("--vault FOLDER makes another"), "\(refused)")
        }
        #expect(try desktop.run("ls r2 key data/keyfob/keyring.db").status != 0, "nothing was made")
        try desktop.run("keyfob init -q --vault other --storage secret-service --recovery-file r2").expectSuccess()
        try desktop.run("printf new | keyfob add -q --vault other ada@git.example").expectSuccess()
        #expect(try desktop.run("keyfob token --vault other").expectSuccess().text == "new\n")
        try desktop.run("keyfob doctor --repair").expectSuccess()
        #expect(try token.expectSuccess().text == "stored\n")
    }

    @Test("where the keyring has nothing left of it either, a vault can be made again in its place")
    func madeAgain() throws {
        try desktop.run("rm -r data/keyfob").expectSuccess()
        try desktop.run("secret-tool clear xdg:schema io.keyfob.Vault").expectSuccess()
        try desktop.run("secret-tool clear xdg:schema io.keyfob.AccessToken").expectSuccess()
        try desktop.run("keyfob init --recovery-file r2").expectError(73, "'keyfob doctor --repair'")
        #expect(try desktop.run("keyfob doctor --repair").status != 0)
        try desktop.run("keyfob init -q --storage secret-service --recovery-file r2").expectSuccess()
    }

    @Test("where another program has removed the default account, nobody else's token is given")
    func lostDefault() throws {
        try desktop.run("printf other | keyfob add -q bob@git.example --scope repo").expectSuccess()
        try desktop.run("printf far | keyfob add -q eve@far.example").expectSuccess()
        // So that it has an item of its own.
        try desktop.run("keyfob account label ada@git.example boss").expectSuccess()
        try desktop.run("keyfob account default ada@git.example").expectSuccess()
        let line = "keyfob token --no-input --url https://git.example/x"
        #expect(try desktop.run(line).expectSuccess().errors == "")
        let clear = "secret-tool clear account ada@git.example"
        try desktop.run("\(clear) xdg:schema io.keyfob.AccessToken").expectSuccess()
        // The default is asked for still where nothing else decides.
        try desktop.run(line).expectError(10, "no access token of boss")
        let empty = try desktop.run("\(line) --scope repo").expectSuccess()
        #expect(empty.text == "other\n" && empty.errors.contains("ada@git.example, has no tokens any more"), "\(empty)")
        try desktop.run(clear).expectSuccess()
        try desktop.run(line).expectError(13, "it is the default of its group")
        for quiet in ["\(line) --account bob@git.example", "keyfob token --no-input --url https://far.example/x"] {
            #expect(try desktop.run(quiet).expectSuccess().errors == "")
        }
        try desktop.run("keyfob account default bob@git.example").expectSuccess()
        #expect(try desktop.run(line).expectSuccess().errors == "")
    }

    @Test("where somebody can be asked, the doctor has the keyring ask, and 'status' names it")
    func askingDoctor() throws {
        try desktop.session.lock()
        // Nobody answers: what it says shows that the question was asked.
        #expect(try desktop.run("DISPLAY=:99 keyfob doctor").text.contains("was dismissed"))
        for line in ["DISPLAY=:99 keyfob doctor --no-input", "keyfob doctor", "DISPLAY=:99 keyfob status"] {
            let silent = try desktop.run(line).text
            #expect(silent.contains("(Secret Service) is locked") && silent.contains("KeePassXC"), "\(line): \(silent)")
        }
    }

    @Test(
        "KeePassXC, which asks for each new program, is asked by the doctor",
        .enabled(if: TestLength.isFull, "KeePassXC on a screen; make test-full"))
    func askingKeePassXC() throws {
        let desktop = try DesktopPlace(.keePassXCOnScreen(asking: true))
        let screen = "DISPLAY=:0 keyfob"
        try desktop.run("\(screen) init -q --storage secret-service --recovery-file recovery").expectSuccess()
        try desktop.run("printf stored | \(screen) add -q ada@git.example").expectSuccess()
        let status = try desktop.run("\(screen) status").expectSuccess().text
        #expect(status.contains("'keyfob doctor' lets it ask") && status.contains("Confirm when"), "\(status)")
        #expect(try desktop.run("\(screen) doctor --no-input").text.contains("Confirm when passwords"))
        let doctor = try desktop.run("\(screen) doctor").expectSuccess().text
        #expect(doctor.contains(" opens\n") && !doctor.contains("not looked at"), "\(doctor)")
    }

    @Test("where the keyring cannot be reached, no folder is made, and the way that is named works")
    func noService() throws {
        for (option, way) in [
            ("--secret-service", "--new-key-file"), ("--storage secret-service", "leave out --storage"),
        ] {
            let line = "env -u DBUS_SESSION_BUS_ADDRESS keyfob init --vault fresh --recovery-file r2"
            let refused = try desktop.run("\(line) \(option)")
            refused.expectError(69, way)
            #expect(!refused.errors.contains("--identity"), "\(refused)")
            #expect(try desktop.run("ls fresh r2").status != 0)
        }
        try desktop.run("keyfob init -q --vault fresh --new-key-file key --recovery-file r2").expectSuccess()
    }

    @Test("one that is damaged stays, where the keyring has nothing of the vault")
    func lostVault() throws {
        try desktop.run("secret-tool clear xdg:schema io.keyfob.Vault").expectSuccess()
        try desktop.run("secret-tool clear xdg:schema io.keyfob.AccessToken").expectSuccess()
        try desktop.run("printf x > data/keyfob/storage").expectSuccess()
        let repaired = try desktop.run("keyfob doctor --repair")
        #expect(repaired.status == 65 && repaired.text.contains("keyfob restore"), "\(repaired)")
        #expect(try desktop.run("cat data/keyfob/storage").text == "x")
    }
}
