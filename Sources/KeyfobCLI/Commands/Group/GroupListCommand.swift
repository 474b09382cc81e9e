internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct GroupListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the groups that the key opens.",
        discussion: """
            Example:
              keyfob group list
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let groups = try keyring.groups.list()
        global.tellWarnings(of: keyring)
        if global.json {
            try JSONOutput.print(GroupListDocument(groups: groups.map(GroupDocument.init)))
        } else {
            try StandardOutput.write(lines: Self.table(groups))
        }
    }

    static func table(_ groups: [Keyring.GroupSummary]) -> String {
        var table = Table(
            header: ["GROUP", "ACCOUNTS", "TOKENS", "GRANTS", "KEY"], yielding: ["KEY", "GRANTS", "TOKENS"])
        for group in groups {
            table.add([
                group.name.name, "\(group.accounts)", "\(group.credentials)", "\(group.grants)", "#\(group.epoch)",
            ])
        }
        return table.text
    }
}

/// A group in a document.
struct GroupDocument: Encodable {
    let name: String
    let accounts: Int
    let credentials: Int
    let keyEpoch: Int
    let grants: Int

    init(_ group: Keyring.GroupSummary) {
        name = group.name.name
        accounts = group.accounts
        credentials = group.credentials
        keyEpoch = group.epoch
        grants = group.grants
    }
}

/// `Schemas/group-list.schema.json`.
struct GroupListDocument: JSONDocument {
    let formatVersion = 1
    let groups: [GroupDocument]
}
