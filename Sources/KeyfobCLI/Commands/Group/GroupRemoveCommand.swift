internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct GroupRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a group and everything in it.",
        discussion: """
            A group that holds accounts is removed only with --force, or after the question on the terminal.
            \(UndoOptions.discussion)
            The group comes back under a new key: who had been given the old one is given the new one with 'keyfob group grant'.

            'keyfob undo' does not undo this. The backup is what brings the group back.

            Example:
              keyfob group remove old --force
            """)

    @Argument(help: "The group's name.") var name: String
    @OptionGroup var consent: ConsentOptions
    @OptionGroup var undo: UndoOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let group = try AccessGroup(named: name)
        let keyring = try global.unlockedKeyring()
        let summary = try keyring.groups.list().first { $0.name == group }
        let (isThere, accounts) = (summary != nil, summary?.accounts ?? 0)
        if accounts > 0, !consent.isGiven {
            if Terminal.isThere, !global.noInput {
                StandardError.write(
                    line: undo.noBackup
                        ? UndoOptions.gone : "a backup is made first, from which the recovery key brings it back")
            }
            try Confirmation.ask(
                "Group '\(group)' holds \(Quantity.of(accounts, "account")). Type its name to remove it: ", group.name,
                global,
                to: "this removes group '\(group)' and everything in it (\(Quantity.of(accounts, "account")))")
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
