internal import ArgumentParser
internal import FoundationEssentials
internal import Keyfob
internal import KeyfobAgent

struct BrokerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker", abstract: "Ask another program that is the session's identity broker.",
        discussion: """
            Where Microsoft's broker, or another one, is installed, its accounts and access tokens can be had by these commands. \
            They only read: nothing is stored in the vault, which stays closed, and no sign-in is begun. The bus starts the broker where it is \
            installed and does not run. 'keyfob agent --broker' is something else: it makes Keyfob the broker where there is none.

            Example:
              keyfob broker accounts
              keyfob broker token --scope https://graph.microsoft.com/.default
            """, subcommands: [BrokerAccountsCommand.self, BrokerTokenCommand.self])
}

/// For which client a broker is asked.
struct BrokerOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The OAuth client: its id, or the name of a well-known one.", valueName: "id"))
    var client = usualClient

    static let usualClient = "azure-cli"

    var clientID: String { WellKnownClient.all.first { $0.name == client }?.id ?? client }

    /// The broker of this session.
    ///
    /// - Throws: `unavailable` where there is none.
    func broker() throws(KeyringError) -> SessionBroker {
        try SessionBroker(Environment.current.variables, correlationID: UUID().uuidString.lowercased())
    }

    /// Asks it, and says what to do about what it answers.
    func asking<Answer: ~Copyable>(
        _ body: () throws(KeyringError) -> Answer
    ) throws(KeyringError) -> Answer {
        do throws(KeyringError) {
            return try body()
        } catch {
            let hint: String? =
                switch error.code {
                case .signInNeeded: "sign in with a program that uses the broker"
                case .noSuchAccount: "'keyfob broker accounts' lists those there are"
                case .ambiguous: "say which with --account"
                default: nil
                }
            throw hint.map { KeyringError(error.code, error.message, hint: $0, candidates: error.candidates) } ?? error
        }
    }
}
