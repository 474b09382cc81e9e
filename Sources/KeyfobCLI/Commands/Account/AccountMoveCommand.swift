internal import ArgumentParser
internal import Keyfob

struct AccountMoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move an account with its tokens into another group.",
        discussion: """
            The tokens are sealed again under the other group's key, in one transaction. What 'keyfob undo' keeps of its \
            earlier tokens in the group that it leaves goes for good.

            Example:
              keyfob account move ada@contoso.example --to work
            """)

    @OptionGroup var target: AccountArgument
    @Option(name: .long, help: ArgumentHelp("The group to move it to.", valueName: "group")) var to: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let group = try AccessGroup(named: to)
        let keyring = try global.unlockedKeyring()
        let candidate = try keyring.accounts.named(target.account, in: global.groups())
        let name = keyring.accounts.shownName(of: candidate.account)
        let count = try keyring.accounts.move(candidate.account.id, from: candidate.group, to: group)
        global.tellWarnings(of: keyring)
        let words = "\(name) with \(Quantity.of(count, "record"))"
        try global.tell(.accountMoved, "moved \(words) from group '\(candidate.group)' to '\(group)'") {
            ($0.account, $0.group) = (candidate.account.id.description, candidate.group.name)
            ($0.to, $0.count) = (group.name, count)
        }
    }
}
