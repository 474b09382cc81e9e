import Foundation
import KeyfobTestSupport
import Testing

@Suite("keyfob migrate", .waitsForPrograms)
struct MigrateCommandTests {
    private let desktop: DesktopPlace
    private var place: Workplace { desktop.place }

    init() throws {
        desktop = try DesktopPlace()
        try place.makeKey("key")
        try place.run("keyfob init -q --key-file key --recovery-file recovery").expectSuccess()
        try place.run("keyfob group create work -q --key-file key").expectSuccess()
        try place.add("ada", token: "token-of-ada", "--key-file key")
        try place.add("bob", token: "token-of-bob", "--key-file key --group work")
    }

    /// The files of the vault that are no locks.
    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place.vault).filter {
            !$0.hasSuffix(".lock") && $0 != "uses"
        }
        .sorted()
    }

    @Test("it moves everything there and back, and says what")
    func thereAndBack() throws {
        let table = [
            "GROUP    ACCOUNTS  ACCESS  REFRESH  ID  CLIENTS  SETTINGS  OTHER  NEW  THERE  CHANGED",
            "default  1         1       0        0   0        0         0      2    0      0",
            // That it was made can be undone there too.
            "work     1         1       0        0   0        0         1      3    0      0", "",
        ].joined(separator: "\n")
        let plan = try place.run("keyfob migrate --to secret-service --dry-run --key-file key").expectSuccess()
        #expect(plan.text == table && plan.errors.contains("would move 5 records of 2 groups"), "\(plan)")
        #expect(try files() == ["header.copy", "keyring.db"])
        let moved = try place.run("keyfob migrate --to secret-service --key-file key").expectSuccess()
        #expect(moved.text == table, "\(moved)")
        #expect(moved.errors.contains("moved 5 records of 2 groups into the desktop's keyring"), "\(moved)")
        #expect(try files() == ["header.copy", "keyring.db", "storage"])
        #expect(try place.run("keyfob token --account ada").expectSuccess().text == "token-of-ada\n")
        try place.run("keyfob verify").expectSuccess()
        try place.run("keyfob migrate --to embedded --dry-run").expectSuccess()
        #expect(try files() == ["header.copy", "keyring.db", "storage"])
        let back = try place.run("keyfob migrate --to embedded").expectSuccess()
        #expect(back.text == table, "\(back)")
        #expect(try place.run("keyfob token --account bob --key-file key").expectSuccess().text == "token-of-bob\n")
        let verified = try place.run("keyfob verify --key-file key").expectSuccess()
        #expect(verified.errors.isEmpty, "\(verified)")
        let doctor = try place.run("keyfob doctor --key-file key").expectSuccess()
        #expect(doctor.text.contains("still has the items from before"), "\(doctor)")
    }

    @Test("where the desktop's keyring has lost everything, the file from before can be used again")
    func lost() throws {
        try place.run("keyfob migrate --to secret-service --key-file key").expectSuccess()
        let id = "$(sed -n 's/^vault //p' '\(place.vault)/storage')"
        try place.run("secret-tool clear keyfob \(id) && secret-tool clear vault \(id)").expectSuccess()
        let refused = try place.run("keyfob token --account ada")
        #expect(refused.status == 66 && refused.errors.contains("keyring.db"), "\(refused)")
        #expect(refused.errors.contains("keyfob migrate --to embedded"), "\(refused)")
        try place.run("keyfob migrate --to embedded --dry-run").expectSuccess()
        try place.run("keyfob migrate --to embedded --no-input").expectError(64)
        #expect(try files().contains("storage"))
        try place.run("keyfob migrate --to embedded --force").expectSuccess()
        try place.run("keyfob doctor --accept-rollback --key-file key").expectSuccess()
        #expect(try place.run("keyfob token --account ada --key-file key").expectSuccess().text == "token-of-ada\n")
        try place.run("keyfob verify --key-file key").expectSuccess()
    }

    @Test("its documents follow their schema")
    func documents() throws {
        var documents = Documents()
        for line in [
            "--to secret-service --dry-run --key-file key", "--to secret-service --key-file key", "--to secret-service",
            "--remove-old --dry-run", "--remove-old --force", "--to embedded --dry-run",
            "--to embedded --remove-old --force", "--remove-old --key-file key",
        ] {
            let outcome = try place.run("keyfob migrate --json \(line)").expectSuccess()
            documents.add("migration", outcome.text, from: outcome.line)
        }
        try documents.validate(in: place)
        #expect(try files() == ["header.copy", "keyring.db"])
    }

    @Test("what was in use before is removed after a question, or without one by --force")
    func removingOld() throws {
        try place.run("keyfob migrate -q --to secret-service --remove-old --key-file key").expectError(64, "--force")
        #expect(try files() == ["header.copy", "keyring.db"])
        try place.run("keyfob migrate -q --to secret-service --key-file key").expectSuccess()
        try place.run("keyfob migrate --remove-old").expectError(64, "--force")
        let no = try place.onTerminal("keyfob migrate --remove-old", [("Type 'remove' to remove", "no\n")])
        #expect(no.status == 15, "\(no)")
        #expect(try files() == ["header.copy", "keyring.db", "storage"])
        let yes = try place.onTerminal("keyfob migrate --remove-old", [("Type 'remove' to remove", "remove\n")])
        #expect(yes.status == 0 && yes.screen.contains("keyring.db"), "\(yes)")
        #expect(try files() == ["storage"])
        try place.run("keyfob migrate -q --to embedded --remove-old --force").expectSuccess()
        #expect(try files() == ["header.copy", "keyring.db"])
        let none = try place.run("keyfob migrate --remove-old --key-file key").expectSuccess()
        #expect(none.errors == "there is nothing that is not in use\n")
        try place.run("keyfob verify --key-file key").expectSuccess()
    }

    @Test("a vault that only its recovery key opens needs another way to unlock it")
    func recoveryKeyAlone() throws {
        let list = try place.run("keyfob slot list --key-file key").expectSuccess().text
        let slot = try #require(
            list.split(separator: "\n").first { $0.contains("key-file") }?.split(separator: " ").first)
        try place.run("keyfob slot remove \(slot) --force -q --key-file key").expectSuccess()
        try place.run("keyfob migrate -q --to secret-service --identity recovery").expectSuccess()
        try place.run("keyfob migrate --to embedded --no-input").expectError(64, "--key-file", "--passphrase-fd")
        #expect(try files().contains("storage"))
        try place.write("words", "correct horse\n")
        try place.run("keyfob migrate -q --to embedded --passphrase-fd 3 --kdf-memory 64 3< words").expectSuccess()
        try place.run("keyfob verify --passphrase-fd 3 3< words").expectSuccess()
        try place.run("keyfob migrate -q --to secret-service --identity recovery").expectSuccess()
        // It has one now.
        try place.run("keyfob migrate -q --to embedded --no-input").expectSuccess()
        try place.run("keyfob verify --passphrase-fd 3 3< words").expectSuccess()
    }

    @Test("a passphrase is asked for where a way to unlock is missing and somebody is there")
    func askedPassphrase() throws {
        let list = try place.run("keyfob slot list --key-file key").expectSuccess().text
        let slot = try #require(
            list.split(separator: "\n").first { $0.contains("key-file") }?.split(separator: " ").first)
        try place.run("keyfob slot remove \(slot) --force -q --key-file key").expectSuccess()
        try place.run("keyfob migrate -q --to secret-service --identity recovery").expectSuccess()
        let run = try place.onTerminal(
            "keyfob migrate --to embedded --kdf-memory 64",
            [("New passphrase: ", "correct horse\n"), ("The same again: ", "correct horse\n")])
        #expect(run.status == 0 && !run.screen.contains("correct"), "\(run)")
        try place.write("words", "correct horse\n")
        try place.run("keyfob verify --passphrase-fd 3 3< words").expectSuccess()
    }

    @Test("the statuses say what keeps it from moving")
    func statuses() throws {
        try place.makeKey("work.key")
        try place.run("keyfob group grant work key-file work.key -q --key-file key").expectSuccess()
        try place.run("keyfob migrate --to secret-service --key-file work.key").expectError(77)
        let plan = try place.run("keyfob migrate --to secret-service --dry-run --key-file key").expectSuccess()
        #expect(plan.errors.contains("1 slot for group 'work' alone open"), "\(plan)")
        try desktop.session.lock()
        try place.run("keyfob migrate --to secret-service --key-file key").expectError(12, "Seahorse")
        try desktop.session.stopService()
        try place.run("keyfob migrate --to secret-service --key-file key").expectError(69)
        try desktop.session.restartService()
        try place.run("keyfob migrate -q --to secret-service --key-file key").expectSuccess()
        try place.add("eve", token: "newer")
        try FileManager.default.removeItem(atPath: place.vault + "/storage")
        let told = try place.run("keyfob account list --key-file key").expectSuccess()
        #expect(told.errors.contains("has been taken back to an earlier state"), "\(told)")
        try place.run("keyfob migrate --to secret-service --key-file key").expectError(65, "--accept-rollback")
        try place.run("keyfob doctor -q --accept-rollback --key-file key").expectSuccess()
        try place.run("keyfob migrate --to secret-service --key-file key").expectError(73, "--force")
        try place.run("keyfob migrate -q --to secret-service --force --key-file key").expectSuccess()
        try place.run("keyfob verify").expectSuccess()
    }

    @Test("the doctor tells of a migration that was stopped, and removes what it has left")
    func doctor() throws {
        try place.run("keyfob migrate -q --to secret-service --key-file key").expectSuccess()
        try place.run("keyfob migrate -q --to embedded").expectSuccess()
        try place.write("\(place.vault)/migration", "keyfob-migration 1\nitems begun\n")
        try FileManager.default.createDirectory(
            atPath: place.vault + "/.migrating", withIntermediateDirectories: false)
        let found = try place.run("keyfob doctor --key-file key").expectSuccess().text
        #expect(found.contains("a migration was stopped and has left"), "\(found)")
        #expect(found.contains("may have left items"), "\(found)")
        let mended = try place.run("keyfob doctor --repair --key-file key").expectSuccess().text
        #expect(mended.contains("removed what a migration that was stopped had left"), "\(mended)")
        #expect(try !files().contains(".migrating") && !files().contains("migration"))
        let plan = try place.run("keyfob migrate --to secret-service --dry-run --key-file key").expectSuccess().text
        #expect(plan.contains("2    0      0"), "\(plan)")
    }
}
