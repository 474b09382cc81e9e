import Foundation
import KeyfobTestSupport
import Testing

/// What is said of the ways back: which backup, what does not come, and what a damage is.
@Suite("Ways back", .waitsForPrograms)
struct WaysBackTests {
    @Test("the newest backup is none that was made before a restore, and what is gone by one is told")
    func newest() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "t")
        let first = try place.run("keyfob backup -q").expectSuccess().text.trimmingCharacters(in: .newlines)
        try place.run("keyfob bind -q --tool gh ada").expectSuccess()
        let restored = try place.run("keyfob restore \(first) --bundle-identity recovery --force").expectSuccess()
        #expect(
            restored.errors.contains("the backup does not have, and here is gone: binding of tool gh"), "\(restored)")
        #expect(try place.run("keyfob backup --list").text.contains("before a restore"))
        let told = try place.run("keyfob restore")
        #expect(told.status == 64 && told.errors.contains("the newest is \(first), made "), "\(told)")
        try place.run("truncate -s 0 data/keyfob/keyring.db").expectSuccess()
        let doctor = try place.run("keyfob doctor").text
        #expect(doctor.contains("'keyfob restore \(first) --bundle-identity FILE' makes a vault"), "\(doctor)")
    }

    @Test("a group that comes back has a new key, which is told, and so is what no backup holds")
    func grants() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob group create -q work && keyfob group grant -q work key-file --new other").expectSuccess()
        try place.run("keyfob group remove -q work --force").expectSuccess()
        let backup = try place.run("ls -t data/keyfob/backups/*").text.trimmingCharacters(in: .newlines)
        let back = try place.run("keyfob restore \(backup) --group work --bundle-identity recovery").expectSuccess()
        #expect(
            back.errors.contains("made the group 'work', with a new key: 'keyfob group grant work KIND'"), "\(back)")
        let new = try place.run(
            "keyfob restore \(backup) --bundle-identity recovery --vault new --recovery-file new.txt"
        ).expectSuccess()
        #expect(new.errors.contains("other ways to unlock, and keys of single groups, have to be made again"), "\(new)")
    }

    @Test("a damage is told once, and no repair is advised that has just failed")
    func once() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "t")
        let bytes = "\"$PYTHON\" \(PythonScript.path("vault_bytes")) data/keyfob "
        try place.run("cp -a data/keyfob whole && " + bytes + "flip-token").expectSuccess()
        let found = try place.run("keyfob doctor").text.split(separator: "\n").filter { $0.hasPrefix("failure ") }
        #expect(found.count == 1 && found.allSatisfy { $0.contains("an access token of ada") }, "\(found)")
        try place.run("rm -r data/keyfob && cp -a whole data/keyfob && " + bytes + "flip-records").expectSuccess()
        let failed = try place.run("keyfob doctor --repair")
        let failures = failed.text.split(separator: "\n").filter { $0.contains("keyring.db is damaged") }
        #expect(failed.status == 65 && failures.count == 1 && !failed.text.contains("doctor --repair"), "\(failed)")
    }

    @Test("the repair of a vault that is whole changes nothing, and a copy that was used since is named")
    func copies() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "t")
        try place.run("cp -a data/keyfob copy").expectSuccess()
        let before = try place.contents(of: "copy").filter { $0.key != "vault.lock" }
        try place.run("keyfob doctor --repair --vault copy").expectSuccess()
        #expect(try place.contents(of: "copy").filter { $0.key != "vault.lock" } == before)
        try place.run("keyfob doctor").expectSuccess()
        try place.run("keyfob account label -q ada Ada --vault copy").expectSuccess()
        let doctor = try place.run("keyfob doctor")
        #expect(doctor.status == 65, "\(doctor)")
        #expect(doctor.text.contains("a copy of this vault at \(place.path)/copy may be the newer one"), "\(doctor)")
        #expect(!doctor.text.contains("T0") && !doctor.text.contains("Z)"), "times are local: \(doctor)")
    }
}
