internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct HistoryShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show how many choices are remembered.",
        discussion: """
            Example:
              keyfob history show
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let groups = try global.groups() ?? keyring.groups.list().map(\.name)
        var counts: [HistoryDocument.Group] = []
        for group in groups {
            counts.append(.init(group: group.name, choices: try keyring.accounts.rememberedChoices(in: [group])))
        }
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(HistoryDocument(groups: counts)) }
        var table = Table(header: ["GROUP", "CHOICES"])
        for count in counts { table.add([count.group, "\(count.choices)"]) }
        try StandardOutput.write(lines: table.text)
    }
}

/// `Schemas/history.schema.json`.
struct HistoryDocument: JSONDocument {
    let formatVersion = 1
    let groups: [Group]

    struct Group: Encodable {
        let group: String
        let choices: Int
    }
}
