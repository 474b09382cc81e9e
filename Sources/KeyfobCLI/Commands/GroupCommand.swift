internal import ArgumentParser
internal import Keyfob

struct GroupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Access groups, each under a key of its own.",
        discussion: """
            Example:
              keyfob group create work
              keyfob account move ada@contoso.example --to work
            """,
        subcommands: [
            GroupListCommand.self, GroupCurrentCommand.self, GroupCreateCommand.self, GroupRenameCommand.self,
            GroupRemoveCommand.self,
            GroupGrantCommand.self, GroupRevokeCommand.self, GroupRotateCommand.self,
        ])
}

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

struct GroupCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a group.",
        discussion: """
            A name has 1 to 255 bytes; case matters.

            Example:
              keyfob group create work
            """)

    @Argument(help: "The group's name.") var name: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let group = try AccessGroup(named: name)
        let keyring = try global.unlockedKeyring()
        try keyring.groups.create(group)
        global.tellWarnings(of: keyring)
        try global.tell(.groupCreated, "made group '\(group)'") { $0.group = group.name }
    }
}

struct GroupRenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a group another name.",
        discussion: """
            Example:
              keyfob group rename work com.contoso.tools
            """)

    @Argument(help: "The group's name.") var name: String
    @Argument(help: "The new name.") var newName: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let (group, new) = (try AccessGroup(named: name), try AccessGroup(named: newName))
        let keyring = try global.unlockedKeyring()
        try keyring.groups.rename(group, to: new)
        global.tellWarnings(of: keyring)
        try global.tell(.groupRenamed, "group '\(group)' is called '\(new)' now") {
            ($0.group, $0.to) = (group.name, new.name)
        }
    }
}

struct GroupRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a group and everything in it.",
        discussion: """
            A group that holds accounts is removed only with --force, or after the question on the terminal.
            \(UndoOptions.discussion)
            The group comes back under a new key: who had been given the old one is given the new one with 'keyfob group grant'.

            Example:
              keyfob group remove old --force
            """)

    @Argument(help: "The group's name.") var name: String
    @Flag(name: .long, help: "Remove it although it holds accounts.") var force = false
    @OptionGroup var undo: UndoOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let group = try AccessGroup(named: name)
        let keyring = try global.unlockedKeyring()
        let summary = try keyring.groups.list().first { $0.name == group }
        let (isThere, accounts) = (summary != nil, summary?.accounts ?? 0)
        if accounts > 0, !force {
            try Confirmation.ask(
                "Group '\(group)' holds \(Quantity.of(accounts, "account")). Type its name to remove it: ", group.name,
                global)
        }
        let backup = isThere ? try undo.backUp(keyring) : nil
        let count = try keyring.groups.remove(group)
        global.tellWarnings(of: keyring)
        try global.tell(.groupRemoved, "removed group '\(group)' and \(Quantity.of(count, "record"))") {
            ($0.group, $0.count, $0.backup) = (group.name, count, backup)
        }
        undo.tell(backup, ["--group", group.name], global)
    }
}

struct GroupRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Give a group a new key and seal its records again.",
        discussion: """
            Slots that were removed, and copies of the old key, open nothing that is written from then on. \
            The slots that are left get the new key. A backup is made first; where that is not possible, nothing is \
            changed, unless --no-backup says not to.

            Example:
              keyfob group rotate work
            """)

    @Argument(help: "The group's name.") var name: String
    @Flag(name: .long, help: "Make no backup first.") var noBackup = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let group = try AccessGroup(named: name)
        let keyring = try global.unlockedKeyring()
        let progress = Progress("sealing", isQuiet: global.quiet)
        defer { progress.finish() }
        let count = try keyring.groups.rotate(group, backsUp: !noBackup, progress: progress.update)
        global.tellWarnings(of: keyring)
        let words = "\(Quantity.of(count, "record was", "records were")) sealed again"
        try global.tell(.groupRotated, "group '\(group)' has a new key; \(words)") {
            ($0.group, $0.count) = (group.name, count)
        }
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
