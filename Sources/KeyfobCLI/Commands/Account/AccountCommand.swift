internal import ArgumentParser
internal import Keyfob

struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "The accounts in the keyring.",
        discussion: """
            Example:
              keyfob account list --group work
              keyfob account show ada@contoso.example
            """,
        subcommands: [
            AccountListCommand.self, AccountShowCommand.self, AccountLabelCommand.self, AccountMoveCommand.self,
            AccountRemoveCommand.self, AccountDefaultCommand.self, AccountRefreshCommand.self,
        ])
}

/// An account as it is typed.
struct AccountArgument: ParsableArguments {
    @Argument(help: "The account: its id, user name or label, or the beginning of one.")
    var account: String
}
