internal import ArgumentParser
internal import Keyfob

struct ClientRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a client and its secret.",
        discussion: """
            Its accounts and tokens stay, and 'keyfob login --account' takes another client then. One with a secret, \
            which nothing brings back, is removed only with --force, or after the question on the terminal.

            Example:
              keyfob client remove 1234.apps.example
              keyfob client remove app --provider contoso
            """)

    @Argument(help: "The client id.") var id: String

    @Option(name: .long, help: ArgumentHelp("Its provider, or its host.", valueName: "name")) var provider: String?
    @OptionGroup var consent: ConsentOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        // Of a provider that is not there any more all are meant that have the id.
        let clients =
            try (try? keyring.clients.list(of: provider, in: global.groups()))
            ?? keyring.clients.list(in: global.groups())
        let hasSecret = clients.contains { $0.client.id == id && $0.client.authentication != .none }
        if hasSecret, !consent.isGiven {
            try Confirmation.ask(
                "The secret of client '\(id)' goes too. Type 'remove' to remove it: ", "remove", global,
                to: "this removes client '\(id)' with its secret")
        }
        try keyring.clients.remove(id, at: provider, in: global.groups())
        global.tellWarnings(of: keyring)
        try global.tell(.clientRemoved, "removed client '\(id)'") { ($0.client, $0.provider) = (id, provider) }
    }
}
