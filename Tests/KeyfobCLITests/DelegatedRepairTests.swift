import Foundation
import KeyfobTestSupport
import Testing

/// What a repair does to items of the desktop's keyring that others have changed, and what is said of it.
@Suite("Repairs of items of the desktop's keyring", .waitsForPrograms)
struct DelegatedRepairTests {
    private let desktop: DesktopPlace

    init() throws {
        desktop = try DesktopPlace.withRecords()
        try desktop.run("printf stored | keyfob add -q ada@git.example").expectSuccess()
        try desktop.run("printf other | keyfob add -q bob@git.example").expectSuccess()
    }

    @Test(
        "an item that does not open is told by its attributes, put aside under a name, and noted as lost until accepted"
    )
    func lost() throws {
        try desktop.items("attribute record garbage account=ada@git.example")
        let whose = "an access token of ada@git.example"
        for line in ["keyfob verify", "keyfob doctor"] {
            let before = try desktop.run(line)
            #expect(before.status == 65 && before.text.contains(whose), "\(before)")
        }
        let json = try desktop.run("keyfob verify --json").text
        #expect(json.contains("\"account\" : \"ada@git.example\""), "\(json)")
        let repaired = try desktop.run("keyfob doctor --repair").expectSuccess().text
        #expect(repaired.contains("put aside: /org/freedesktop/secrets/"), "\(repaired)")
        #expect(repaired.contains("(\(whose))"), "\(repaired)")
        #expect(repaired.contains("noted what is lost") && !repaired.contains("nothing is lost"), "\(repaired)")
        for line in ["keyfob verify", "keyfob doctor", "keyfob status"] {
            let after = try desktop.run(line).expectSuccess().text
            #expect(after.contains("\(whose) did not open and was put aside as /org/freedesktop/"), "\(line): \(after)")
        }
        let aside = try desktop.run("secret-tool search --all xdg:schema io.keyfob.Aside of ada@git.example 2>&1").text
        #expect(aside.contains("label = Keyfob: put aside: \(whose)") && aside.contains("secret = stored"), "\(aside)")
        #expect(try desktop.run("secret-tool lookup account ada@git.example").text == "")
        // A second one notes nothing twice.
        try desktop.run("keyfob doctor --repair").expectSuccess()
        let told = try desktop.run("keyfob verify").expectSuccess().text
        #expect(told.components(separatedBy: whose).count == 2, "\(told)")
        try desktop.run("keyfob doctor --accept-loss").expectSuccess()
        #expect(try desktop.run("keyfob verify").expectSuccess().text.hasPrefix("all is well"))
        try desktop.run("printf again | keyfob add -q ada@git.example").expectSuccess()
        #expect(try desktop.run("keyfob token --account ada@git.example").expectSuccess().text == "again\n")
    }

    @Test("a header of garbage is no loss, and what the doctor names makes it again")
    func garbageHeader() throws {
        try desktop.items("secret garbage xdg:schema=io.keyfob.Vault")
        try desktop.run("keyfob token --account ada@git.example").expectError(65, "'keyfob doctor'")
        let doctor = try desktop.run("keyfob doctor")
        #expect(doctor.status == 65 && doctor.text.contains("'keyfob doctor --repair' makes it again"), "\(doctor)")
        #expect(!doctor.text.contains("restore"), "\(doctor)")
        try desktop.run("keyfob doctor --repair").expectSuccess()
        #expect(try desktop.run("keyfob token --account ada@git.example").expectSuccess().text == "stored\n")
        try desktop.run("keyfob verify").expectSuccess()
    }

    @Test(
        "a header whose attributes another program has changed is found again by the next command that searches",
        arguments: ["account list", "doctor", "doctor --repair", "verify", "migrate --to embedded --dry-run", "status"])
    func mislaidHeader(command: String) throws {
        try desktop.items("attribute vault 0123 xdg:schema=io.keyfob.Vault")
        #expect(try desktop.run("keyfob token --account ada@git.example").expectSuccess().text == "stored\n")
        let ran = try desktop.run("keyfob \(command)").expectSuccess()
        #expect(!ran.errors.contains("made again"), "\(ran)")
        let found = try desktop.run("secret-tool search --all xdg:schema io.keyfob.Vault 2>&1").text
        #expect(found.components(separatedBy: "attribute.vault").count == 2 && !found.contains("0123\n"), "\(found)")
        try desktop.run("keyfob verify").expectSuccess()
        #expect(!(try desktop.run("keyfob status").text).contains("no recovery key"), "its header is the one it was")
    }

    @Test("a token that another program has changed is told once, by whose it is, and is theirs after the repair")
    func changed() throws {
        try desktop.items("secret changed account=ada@git.example")
        let whose = "an access token of ada@git.example"
        let verified = try desktop.run("keyfob verify")
        #expect(verified.status == 65 && verified.text.split(separator: "\n").count == 2, "\(verified)")
        #expect(verified.text.contains("changed \(whose)") && verified.text.contains("takes it over"), "\(verified)")
        #expect(!verified.text.contains("personal-access-token"), "\(verified)")
        let json = try desktop.place.document("keyfob verify --json || true")
        let replaced = json["replacedTokens"] as? [[String: Any]] ?? []
        #expect(replaced.map { $0["account"] as? String } == ["ada@git.example"], "\(json)")
        #expect((json["losses"] as? [Any])?.isEmpty == true, "\(json)")
        let doctor = try desktop.run("keyfob doctor").text
        #expect(doctor.contains(whose) && !doctor.contains("what does not open stays"), "\(doctor)")
        let repaired = try desktop.run("keyfob doctor --repair").expectSuccess().text
        #expect(repaired.contains("took over") && repaired.contains(whose), "\(repaired)")
        #expect(!repaired.contains("nothing had to be put aside"), "\(repaired)")
        #expect(try desktop.run("keyfob token --account ada@git.example").expectSuccess().text == "changed\n")
        #expect(try desktop.run("keyfob verify").expectSuccess().text.hasPrefix("all is well"))
    }
}
