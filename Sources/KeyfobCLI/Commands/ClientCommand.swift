internal import ArgumentParser
internal import Keyfob

struct ClientCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "The OAuth clients to sign in with.",
        discussion: """
            Providers know a program by a client id, which whoever registers the program there is given. \
            Keyfob has none built in.

            Example:
              keyfob client add 0d1e2f3a-aaaa-bbbb-cccc-000011112222 --provider microsoft
              keyfob client list
            """,
        subcommands: [ClientListCommand.self, ClientAddCommand.self, ClientRemoveCommand.self])
}

struct ClientListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the clients; their secrets are never shown.",
        discussion: """
            Example:
              keyfob client list
              keyfob client list --provider google --json
            """)

    @Option(name: .long, help: ArgumentHelp("Only those of this provider.", valueName: "name")) var provider: String?
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let clients = try keyring.clients(of: provider, in: global.groups())
        global.tellWarnings(of: keyring)
        if global.json {
            return try JSONOutput.print(ClientListDocument(clients: clients.map(ClientDocument.init)))
        }
        var table = Table(header: ["PROVIDER", "CLIENT", "NAME", "SECRET", "DEFAULT", "FROM"])
        for item in clients {
            let from = if case .added(let group) = item.origin { "group '\(group)'" } else { "the provider" }
            table.add([
                item.provider ?? "(\(item.environment))", item.client.id, item.client.name ?? "-",
                item.client.authentication == .none ? "no" : "yes", item.isDefault ? "yes" : "no", from,
            ])
        }
        try StandardOutput.write(lines: table.text)
    }
}

struct ClientAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a client id that a provider gave you.",
        discussion: """
            The first client of a provider is its default. Some providers give even desktop programs a secret: it \
            is read from a descriptor and kept sealed. Say --redirect-uri, once for each, where the provider \
            takes answers only at certain addresses: they are used as they are written, on localhost, 127.0.0.1 or [::1], \
            the next one where somebody else listens at the first. Else any free port of this machine is used.

            Example:
              keyfob client add 0d1e2f3a-aaaa-bbbb-cccc-000011112222 --provider microsoft
              keyfob client add 1234.apps.example --provider google --secret-fd 3 3< secret.txt
              keyfob client add app --provider contoso --redirect-uri http://localhost:8400 --default
            """)

    @Argument(help: "The client id.") var id: String

    @Option(name: .long, help: ArgumentHelp("The provider: its name, issuer or host.", valueName: "name"))
    var provider: String

    @Option(name: .long, help: ArgumentHelp("The client's name for people.", valueName: "text")) var name: String?

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("An address on this machine that the provider knows; repeatable.", valueName: "uri"))
    var redirectURIs: [String] = []

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("A scope to ask for where nobody names any; repeatable.", valueName: "scope"))
    var scope: [String] = []

    @Option(name: .long, help: ArgumentHelp("Read the client's secret from this descriptor.", valueName: "n"))
    var secretFd: Int32?

    @Option(name: .long, help: "How the secret is sent: in the body (post) or in a header (basic).")
    var authentication: SecretPlace = .post

    @Flag(name: .long, help: "Take it where nobody names a client.") var `default` = false
    @Flag(name: .long, help: "Put it in the place of the one that has its id.") var replace = false
    @OptionGroup var global: GlobalOptions

    enum SecretPlace: String, ExpressibleByArgument, CaseIterable {
        case post, basic
    }

    func run() throws {
        let scopes = ScopeSet(scope.flatMap { $0.split(separator: " ").map(String.init) })
        var client = ClientRegistration(id: id, name: name, redirectURIs: redirectURIs, scopes: scopes)
        let keyring: Keyring
        let added: RegisteredClient
        if let secretFd {
            client.authentication = authentication == .post ? .post : .basic
            let secret = try SecretInput.clientSecret(descriptor: secretFd)
            keyring = try global.unlockedKeyring()
            added = try keyring.addClient(
                client, secret: secret, at: provider, isDefault: `default`, replacing: replace, in: global.groups())
        } else {
            keyring = try global.unlockedKeyring()
            added = try keyring.addClient(
                client, at: provider, isDefault: `default`, replacing: replace, in: global.groups())
        }
        global.tellWarnings(of: keyring)
        let words = added.isDefault ? ", the one to take unless another is named" : ""
        global.say("added client '\(id)' of \(added.provider ?? added.environment)\(words)")
    }
}

struct ClientRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a client and its secret.",
        discussion: """
            Its accounts and tokens stay.

            Example:
              keyfob client remove 1234.apps.example
              keyfob client remove app --provider contoso
            """)

    @Argument(help: "The client id.") var id: String

    @Option(name: .long, help: ArgumentHelp("Its provider, or its host.", valueName: "name")) var provider: String?
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        try keyring.removeClient(id, at: provider, in: global.groups())
        global.tellWarnings(of: keyring)
        global.say("removed client '\(id)'")
    }
}

/// A client in a document.
private struct ClientDocument: Encodable {
    let id: String
    let name: String?
    let provider: String?
    let environment: String
    let redirectURIs: [String]
    let scopes: [String]
    let authentication: String
    let isDefault: Bool
    let origin: String
    let group: String?

    init(_ item: RegisteredClient) {
        id = item.client.id
        name = item.client.name
        provider = item.provider
        environment = item.environment
        redirectURIs = item.client.redirectURIs
        scopes = item.client.scopes.scopes
        authentication = item.client.authentication.rawValue
        isDefault = item.isDefault
        switch item.origin {
        case .added(let name): (origin, group) = ("added", name.name)
        case .description: (origin, group) = ("provider", nil)
        }
    }
}

/// `Schemas/client-list.schema.json`.
private struct ClientListDocument: JSONDocument {
    let formatVersion = 1
    let clients: [ClientDocument]
}
