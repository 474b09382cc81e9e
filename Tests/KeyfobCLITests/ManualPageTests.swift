import Foundation
import KeyfobTestSupport
import Testing

@Suite("The page of the manual", .waitsForPrograms)
struct ManualPageTests {
    private let page: [Substring]

    init() throws {
        page = try Workplace().run("keyfob man").expectSuccess().text.split(separator: "\n")
    }

    /// The lines of a section.
    private func section(_ name: String) -> [Substring] {
        Array(page.drop { $0 != ".SH \(name)" }.dropFirst().prefix { !$0.hasPrefix(".SH ") })
    }

    @Test("it explains every exit status that an error can have")
    func statuses() throws {
        let file = ProjectFolder.root.appending(path: "Schemas/error.schema.json")
        let schema = try String(contentsOf: file, encoding: .utf8)
        let list = try #require(schema.firstMatch(of: /"exitStatus": \{[^}]*"enum": \[([0-9,\s]*)\]/)?.output.1)
        let statuses = list.matches(of: /[0-9]+/).compactMap { Int($0.output) }
        #expect(statuses.count > 10)
        let explained = section("EXIT STATUS").compactMap {
            $0.firstMatch(of: /^ *([0-9]+)  \S/).flatMap { Int($0.output.1) }
        }
        #expect(explained == [0] + statuses)
    }

    @Test(
        "it explains what the environment says",
        arguments: [
            "KEYFOB_VAULT", "KEYFOB_GROUP", "KEYFOB_KEY_FILE", "KEYFOB_ACCOUNT", "KEYFOB_CA_FILE",
            "KEYFOB_ETCD_PASSWORD_FILE", "BROWSER",
            "DBUS_SESSION_BUS_ADDRESS", "HTTPS_PROXY", "NO_PROXY",
        ])
    func environment(name: String) {
        #expect(section("ENVIRONMENT").contains { $0.hasPrefix(name + " ") })
    }

    @Test("it names the files", arguments: ["keyring.db", "header.copy", "usage.db", "refresh.lock"])
    func files(name: String) {
        #expect(section("FILES").contains { $0.hasPrefix("$XDG_DATA_HOME/keyfob/\(name) ") })
    }
}
