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
