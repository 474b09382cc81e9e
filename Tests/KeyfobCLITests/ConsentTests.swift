import KeyfobTestSupport
import Testing

@testable import KeyfobCLI

/// What does a thing without asking has one name in all commands, and the other one that people type works too.
@Suite("Commands that ask take --force and --yes", .waitsForPrograms)
struct ConsentTests {
    @Test("the two stand together, and help shows --force alone")
    func names() throws {
        var found = 0
        for command in try CommandDescription.ofKeyfob().withSubcommands {
            let named = (command.arguments ?? []).filter { argument in
                (argument.names ?? []).contains { $0.text == "--yes" || $0.text == "--force" }
            }
            guard named.contains(where: { $0.names?.first?.text == "--yes" }) else { continue }
            found += 1
            // Its --force means more.
            if command.words.last == "undo" { continue }
            #expect(named.map { $0.names?.map(\.text) } == [["--force"], ["--yes"]], "\(command.words)")
            #expect(named.map(\.shouldDisplay) == [true, false], "\(command.words)")
            #expect(named.first?.abstract == "Do not ask.", "\(command.words)")
        }
        #expect(found > 10)
    }

    @Test("either does it where nobody can be asked", arguments: ["--force", "--yes"])
    func either(option: String) throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "ADA")
        for command in ["account remove ada", "undo", "logout ada", "undo", "logout --all --offline", "undo --clear"] {
            try place.run("keyfob \(command) \(option)").expectSuccess()
        }
    }
}
