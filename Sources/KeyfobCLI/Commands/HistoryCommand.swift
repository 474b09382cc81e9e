internal import ArgumentParser
internal import Keyfob

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "The choices that the selection learns from.",
        discussion: """
            A choice is remembered sealed, as hashes of the account and of where it was made, and only on this \
            machine. 'keyfob which' tells what follows from them.

            Example:
              keyfob history show
              keyfob history clear --group work
            """,
        subcommands: [HistoryShowCommand.self, HistoryClearCommand.self])
}

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

struct HistoryClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Forget the choices.",
        discussion: """
            Without --group, those of all groups that the key opens.

            Example:
              keyfob history clear --group work
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        try keyring.accounts.forgetChoices(in: global.groups())
        global.tellWarnings(of: keyring)
        try global.tell(.historyCleared, "forgot the choices")
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
