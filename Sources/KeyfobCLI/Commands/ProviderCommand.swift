internal import ArgumentParser
internal import Keyfob

struct ProviderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider", abstract: "Identity providers: those built in, and those you add.",
        discussion: """
            Example:
              keyfob provider list
              keyfob provider add --issuer https://sso.contoso.example --name contoso
            """,
        subcommands: [
            ProviderListCommand.self, ProviderShowCommand.self, ProviderAddCommand.self, ProviderRenameCommand.self,
            ProviderRemoveCommand.self,
        ])
}

struct ProviderListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the providers.",
        discussion: """
            Example:
              keyfob provider list
              keyfob provider list --json
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let providers = try keyring.providers.list(in: global.groups())
        global.tellWarnings(of: keyring)
        if global.json {
            return try JSONOutput.print(ProviderListDocument(providers: providers.map(ProviderDocument.init)))
        }
        var table = Table(header: ["NAME", "TITLE", "ENVIRONMENT", "FROM"], yielding: ["FROM", "TITLE"])
        for provider in providers {
            table.add([provider.name, provider.title, provider.environment, provider.originText])
        }
        try StandardOutput.write(lines: table.text)
    }
}

struct ProviderShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what is known of a provider.",
        discussion: """
            With --json it prints a document that 'keyfob provider add' reads. A provider answers to its name, \
            its issuer and its host; the address of a tenant, https://login.microsoftonline.com/<tenant>, gives \
            Microsoft for that tenant.

            Example:
              keyfob provider show google
              keyfob provider show --json gitlab > own.json
            """)

    @Argument(help: "The provider: its name, issuer or host.") var name: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let groups = try global.groups()
        let provider = try keyring.providers.named(name, in: groups)
        if global.json {
            global.tellWarnings(of: keyring)
            return try StandardOutput.write(
                data: TerminalText.json(String(decoding: provider.document, as: UTF8.self)) + "\n")
        }
        let clients = try keyring.clients.list(of: provider.name, in: groups)
        global.tellWarnings(of: keyring)
        var rows = [
            ("name", provider.name), ("title", provider.title), ("from", provider.originText),
            ("issuer", provider.issuer ?? "none, plain OAuth"), ("environment", provider.environment),
            ("API hosts", provider.apiHosts.isEmpty ? "none" : provider.apiHosts.map(\.text).joined(separator: " ")),
            ("discovery", provider.hasDiscovery ? "yes" : "no"),
        ]
        rows += provider.endpoints.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        rows += [
            ("flows", provider.flows.joined(separator: ", ")), ("rotation", provider.rotation),
            ("quirks", provider.quirks.isEmpty ? "none" : provider.quirks.joined(separator: ", ")),
            ("default scopes", provider.defaultScopes.isEmpty ? "none" : provider.defaultScopes.spaceSeparated),
        ]
        if let file = provider.certificateFile { rows.append(("certificates", file)) }
        for client in clients {
            rows.append(("client", client.client.id + (client.isDefault ? " (default)" : "")))
        }
        if clients.isEmpty { rows.append(("client", "none; add one with 'keyfob client add'")) }
        let known = WellKnownClient.at(provider.environment).map(\.name)
        if !known.isEmpty {
            rows.append(("well-known", known.joined(separator: ", ") + " ('keyfob client add --well-known')"))
        }
        if let page = RegistrationPage.of(provider.environment) {
            rows.append(("register", page.url))
            rows += page.steps.map { ("", $0) }
        }
        var table = Table(header: [])
        for (name, value) in rows { table.add([name, value]) }
        try StandardOutput.write(lines: table.text)
    }
}

struct ProviderRenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a provider that was added another name.",
        discussion: """
            Accounts, tokens, clients and bindings belong to the provider's host, not to its name: they stay as they are, \
            and nobody has to sign in again.

            Example:
              keyfob provider rename sso.contoso.example contoso
            """)

    @Argument(help: "The provider's name.") var name: String
    @Argument(help: "Its new name.") var newName: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let provider = try keyring.providers.rename(name, to: newName, in: global.groups())
        global.tellWarnings(of: keyring)
        let old = Identifier.folded(name)
        try global.tell(.providerRenamed, "provider '\(old)' is called '\(provider.name)' now") {
            ($0.provider, $0.to) = (old, provider.name)
        }
    }
}

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
    @Flag(name: .long, help: "Remove it although it has accounts or clients.") var force = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let groups = try global.groups()
        if !force { try confirm(try keyring.providers.remove(name, in: groups, isDryRun: true)) }
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
        try Confirmation.ask(
            "\((clients + accounts).joined(separator: ", and ")). Type '\(removal.provider.name)' to remove it: ",
            removal.provider.name, global)
    }
}

extension IdentityProvider {
    /// Where it comes from, as people read it.
    var originText: String {
        guard case .added(let group) = origin else { return "built in" }
        return "group '\(group)'" + (writer == .group ? ", by a key of the group" : "")
    }
}

/// A provider in a list.
private struct ProviderDocument: Encodable {
    let name: String
    let title: String
    let issuer: String?
    let environment: String
    let flows: [String]
    let origin: String
    let group: String?
    let writer: String?

    init(_ provider: IdentityProvider) {
        name = provider.name
        title = provider.title
        issuer = provider.issuer
        environment = provider.environment
        flows = provider.flows
        switch provider.origin {
        case .builtIn: (origin, group) = ("builtIn", nil)
        case .added(let name): (origin, group) = ("added", name.name)
        }
        writer = provider.writer?.rawValue
    }
}

/// `Schemas/provider-list.schema.json`.
private struct ProviderListDocument: JSONDocument {
    let formatVersion = 1
    let providers: [ProviderDocument]
}
