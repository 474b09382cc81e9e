import Foundation
import KeyfobTestSupport
import Testing

@Suite("The copy of the header that cannot be written", .waitsForPrograms)
struct HeaderCopyCommandTests {
    private let place: Workplace
    private let copy = "data/keyfob/header.copy"

    /// Where the copy would go there is a folder, which no file can replace.
    init() throws {
        place = try Workplace.withVault()
        try place.run("rm \(copy) && mkdir -p \(copy)/inside").expectSuccess()
    }

    @Test(
        "is told at once by the command that has changed the header, which is done all the same",
        arguments: [
            "group create work", "group rename default home", "group rotate default", "slot add key-file other",
            "group grant default key-file other", "rekey --keep-key-file key --force --recovery-file new",
        ])
    func told(command: String) throws {
        try place.makeKey("other")
        let outcome = try place.run("keyfob \(command)").expectSuccess()
        #expect(
            outcome.errors.contains(
                "keyfob: warning: the copy of the header, \(place.vault)/header.copy, could not be written: Is a directory; "
                    + "what was done is done; take away what is in its way"), "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count { $0.contains("warning") } == 1, "\(outcome)")
        // What changes no header says nothing of it.
        #expect(try place.run("keyfob account list -q").expectSuccess().errors.isEmpty)
    }

    @Test("stays a finding until what opens the vault can write it")
    func finding() throws {
        try place.run("keyfob group create work").expectSuccess()
        let words = "header.copy, the copy of the header in keyring.db, cannot be read"
        #expect(try place.run("keyfob status").expectSuccess().text.contains(words))
        #expect(try place.document("keyfob status --json")["headerProblems"] as? [String] != [])
        let verify = try place.run("keyfob verify")
        #expect(verify.status == 65 && verify.text.contains(words), "\(verify)")
        let doctor = try place.run("keyfob doctor")
        #expect(doctor.status == 65 && doctor.text.contains("failure header: \(place.vault)/\(words)"), "\(doctor)")
        try place.run("rm -r \(copy) && keyfob account list && keyfob verify").expectSuccess()
        #expect(try place.read(copy).count > 500)
    }

    @Test("is put aside by a repair, which writes the copy")
    func repaired() throws {
        try place.run("keyfob group create work").expectSuccess()
        try place.run("keyfob doctor --repair").expectSuccess()
        try place.run("keyfob verify").expectSuccess()
        #expect(try place.run("test -d \(copy).put-aside/inside && test -f \(copy)").status == 0)
    }

    @Test("loses no group when the header in the database is damaged too, and a repair works in that state")
    func damagedToo() throws {
        try place.run("keyfob group create work").expectSuccess()
        try place.add("ada", token: "token", "--group work")
        try place.python("vault_bytes", place.vault, "flip-header")
        #expect(try place.run("keyfob token --account ada").expectSuccess().text == "token\n")
        try place.run("keyfob doctor --repair").expectSuccess()
        #expect(try place.run("keyfob token --account ada").expectSuccess().errors.isEmpty)
        try place.run("keyfob verify").expectSuccess()
    }

    @Test("an earlier header in the place of the copy is no way back to it")
    func earlier() throws {
        try place.run("rm -r \(copy) && keyfob account list && cp \(copy) earlier && keyfob group create work")
            .expectSuccess()
        try place.add("ada", token: "token", "--group work")
        try place.run("cp earlier \(copy)").expectSuccess()
        // Without a header of its own the database shows how far it had come, and nothing is written beside that.
        try place.run(
            """
            "$PYTHON" -c "import sqlite3; d = sqlite3.connect('data/keyfob/keyring.db'); \
            [d.execute(f'UPDATE {t} SET bytes = zeroblob(9)') for t in ('header', 'second_header')]; d.commit()"
            """
        ).expectSuccess()
        let add = try place.run("keyfob add --account eve --host git.example", text: "x")
        #expect(add.status == 65 && add.errors.contains("run 'keyfob doctor'; nothing has been changed"), "\(add)")
        let repaired = try place.run("keyfob doctor --repair")
        #expect(!repaired.text.contains("put aside:"), "\(repaired)")
        // The group's key is gone; what it holds is kept, and told.
        let verify = try place.run("keyfob verify")
        #expect(verify.status == 65 && verify.text.contains("records belong to no group"), "\(verify)")
        #expect(verify.text.contains("taken back to an earlier state"), "\(verify)")
    }
}
