internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct ProviderRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a provider that was added.",
        discussion: """
            Its accounts and their tokens stay, but nothing renews the tokens; its clients go. One that has accounts or \
            clients is removed only with --force, or after the question on the terminal.

            Example:
              keyfob provider remove contoso
            """)

    @Argument(help: "The provider's name.") var name: String
    @OptionGroup var consent: ConsentOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let groups = try global.groups()
        if !consent.isGiven { try confirm(try keyring.providers.remove(name, in: groups, isDryRun: true)) }
        let removal = try keyring.providers.remove(name, in: groups)
        global.tellWarnings(of: keyring)
        let provider = removal.provider
        if removal.orphanedAccounts > 0 {
            let accounts = Quantity.of(removal.orphanedAccounts, "account")
            StandardError.write(
                line: "keyfob: warning: nothing renews the tokens of \(accounts) at \(provider.environment) any more")
        }
        let clients = removal.clients > 0 ? " and \(Quantity.of(removal.clients, "client"))" : ""
        let place = provider.origin == .builtIn ? ", of which the built-in one took no notice" : ""
        try global.tell(.providerRemoved, "removed provider '\(provider.name)'\(clients)\(place)") {
            ($0.provider, $0.count) = (provider.name, removal.clients)
        }
    }
}

extension ProviderRemoveCommand {
    private func confirm(_ removal: Keyring.ProviderRemoval) throws(KeyringError) {
        guard removal.clients + removal.orphanedAccounts > 0 else { return }
        let clients = removal.clients > 0 ? ["\(Quantity.of(removal.clients, "client")) will go with it"] : []
        let accounts =
            removal.orphanedAccounts > 0
            ? ["nothing will renew the tokens of \(Quantity.of(removal.orphanedAccounts, "account"))"] : []
        let (name, consequence) = (removal.provider.name, (clients + accounts).joined(separator: ", and "))
        try Confirmation.ask(
            "\(consequence). Type '\(name)' to remove it: ", name, global,
            to: "this removes provider '\(name)': \(consequence)")
    }
}
