import Foundation
import KeyfobTestSupport
import Testing

@Suite("The timer's backups", .waitsForPrograms)
struct BackupTimerTests {
    private static let units = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Packaging")

    @Test("the unit's command makes a backup when something has changed, and keeps as many as it says")
    func unit() throws {
        let service = try String(contentsOf: Self.units.appending(path: "keyfob-backup@.service"), encoding: .utf8)
        let command = try #require(service.firstMatch(of: /ExecStart="@BIN@\/keyfob"(.*)/)).output.1
        let place = try Workplace.withVault()
        try place.add("ada", token: "t")
        try place.run("mkdir 'my stick'").expectSuccess()
        let line = "keyfob" + String(command).replacing("%f", with: "my stick")
        func count() throws -> Int {
            try #require(place.document("keyfob backup --list 'my stick' --json")["backups"] as? [Any]).count
        }
        try place.run(line).expectSuccess()
        try place.run(line).expectSuccess()
        #expect(try count() == 1)
        try place.run("keyfob account label -q ada new").expectSuccess()
        #expect(try place.run(line).expectSuccess().errors.isEmpty)
        #expect(try count() == 2)
        let list = try place.run("keyfob backup --list 'my stick'")
        #expect(list.text.contains("there were changes"), "\(list)")
        // Without a key that it may use it fails, and asks nothing.
        try place.run("env -u KEYFOB_KEY_FILE \(line)").expectError(12)
    }

    @Test("a vault that holds something and has no young backup is warned of, wherever the last one went")
    func warnings() throws {
        let place = try Workplace.withVault()
        func backups() throws -> [String: Any] {
            try #require(place.document("keyfob status --json")["backups"] as? [String: Any])
        }
        #expect(try backups()["warning"] == nil)
        try place.add("ada", token: "t")
        #expect(try backups()["warning"] as? String == "none")
        #expect(try place.run("keyfob doctor").text.contains("warning backups: there is no complete backup"))
        try place.run("keyfob backup -q --to there.age").expectSuccess()
        #expect(try backups()["warning"] == nil)
        #expect(try place.run("keyfob status").text.contains("backups one "))
        try place.run("sed -i 's/^[0-9]*/1000000000/' state/keyfob/*.backup").expectSuccess()
        #expect(try backups()["warning"] as? String == "old")
        let doctor = try place.run("keyfob doctor")
        #expect(doctor.text.contains("warning backups: the last complete backup was made "), "\(doctor)")
        var documents = Documents()
        documents.add("status", try place.run("keyfob status --json").text, from: "status")
        try documents.validate(in: place)
    }
}
