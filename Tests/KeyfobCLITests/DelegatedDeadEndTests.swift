import Foundation
import KeyfobTestSupport
import Testing

/// What is said of a vault that the desktop's keyring keeps, where something is in the way, leads on.
@Suite("Ways on with a vault in the desktop's keyring", .waitsForPrograms)
struct DelegatedDeadEndTests {
    private let desktop: DesktopPlace

    init() throws {
        desktop = try DesktopPlace()
        try desktop.run("keyfob init -q --storage secret-service --recovery-file recovery").expectSuccess()
        try desktop.run("printf stored | keyfob add -q ada@git.example").expectSuccess()
    }

    private var token: Outcome { get throws { try desktop.run("keyfob token --no-input --account ada@git.example") } }

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
        #expect(backup.status != 0 && backup.errors.contains("slot add recipient"), "\(backup)")
        #expect(!backup.errors.contains("rekey"), "\(backup)")
        let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
        try desktop.run("keyfob slot add recipient \(recipient)").expectSuccess()
        try desktop.run("keyfob backup --to backups").expectSuccess()
        #expect(!(try desktop.run("keyfob doctor").text).contains("slot add recipient"))
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

    @Test("one that is damaged stays, where the keyring has nothing of the vault")
    func lostVault() throws {
        try desktop.run("secret-tool clear xdg:schema io.keyfob.Vault").expectSuccess()
        try desktop.run("secret-tool clear xdg:schema io.keyfob.Credential").expectSuccess()
        try desktop.run("printf x > data/keyfob/storage").expectSuccess()
        let repaired = try desktop.run("keyfob doctor --repair")
        #expect(repaired.status == 65 && repaired.text.contains("keyfob restore"), "\(repaired)")
        #expect(try desktop.run("cat data/keyfob/storage").text == "x")
    }
}
