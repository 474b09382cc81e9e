internal import ArgumentParser
internal import Keyfob

struct ClientCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "The OAuth clients to sign in with.",
        discussion: """
            Providers know a program by a client id, which whoever registers the program there is given. \
            Keyfob has none of its own. 'keyfob provider show' says where to get one, and 'keyfob client list \
            --well-known' lists programs whose public ids can be used instead.

            Example:
              keyfob client add --well-known azure-cli
              keyfob client add 0d1e2f3a-aaaa-bbbb-cccc-000011112222 --provider microsoft
              keyfob client list
            """,
        subcommands: [ClientListCommand.self, ClientAddCommand.self, ClientRemoveCommand.self])
}
