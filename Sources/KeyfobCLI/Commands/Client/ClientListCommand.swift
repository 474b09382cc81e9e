internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct ClientListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the clients; their secrets are never shown.",
        discussion: """
            With --well-known it lists the public ids of programs that many people use, which 'keyfob client add \
            --well-known' takes, and needs no vault.

            Example:
              keyfob client list
              keyfob client list --provider google --json
              keyfob client list --well-known
            """)

    @Option(name: .long, help: ArgumentHelp("Only those of this provider.", valueName: "name")) var provider: String?
    @Flag(name: .long, help: "Those of programs that many people use, whether they were added or not.")
    var wellKnown = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        guard !wellKnown else { return try listWellKnown() }
        let keyring = try global.unlockedKeyring()
        let clients = try keyring.clients.list(of: provider, in: global.groups())
        global.tellWarnings(of: keyring)
        if global.json {
            return try JSONOutput.print(ClientListDocument(clients: clients.map(ClientDocument.init)))
        }
        var table = Table(
            header: ["PROVIDER", "CLIENT", "NAME", "SECRET", "DEFAULT", "FROM"],
            yielding: ["FROM", "SECRET", "DEFAULT", "NAME"], wrapping: ["CLIENT"],
            usual: ["FROM": "group '\(AccessGroup.default)'"])
        for item in clients {
            let from = if case .added(let group) = item.origin { "group '\(group)'" } else { "the provider" }
            table.add([
                item.provider ?? "(\(item.environment))", item.client.id, item.client.name ?? "-",
                item.client.authentication == .none ? "no" : "yes", item.isDefault ? "yes" : "no", from,
            ])
        }
        let name = provider.map { ShellWord.inMessage($0) }
        try global.show(
            table,
            orSay:
                "no client\(name.map { " of \($0)" } ?? ""); 'keyfob client add ID --provider \(name ?? "PROVIDER")' adds one"
        )
    }

    private func listWellKnown() throws(KeyringError) {
        let clients = WellKnownClient.all.filter { client in provider.map { client.provider == $0 } ?? true }
        if global.json {
            return try JSONOutput.print(
                WellKnownClientListDocument(clients: clients.map(WellKnownClientListDocument.Client.init)))
        }
        var table = Table(
            header: ["NAME", "PROVIDER", "PROGRAM", "OF", "SIGNS IN", "PUBLISHED AT"],
            yielding: ["PUBLISHED AT", "OF", "SIGNS IN", "PROGRAM"], wrapping: ["PROGRAM", "PUBLISHED AT"])
        for client in clients {
            table.add([
                client.name, client.provider, client.title, client.publisher, client.ways, client.source,
            ])
        }
        try global.show(
            table,
            orSay: "no well-known client signs in there; 'keyfob client list --well-known' lists those of all providers"
        )
    }
}

extension WellKnownClient {
    /// How people sign in with it, as they read it.
    fileprivate var ways: String { signsInByBrowser ? "browser, device" : "device" }
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
    let keyID: String?
    let keyType: String?
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
        keyID = item.client.keyID
        keyType = item.client.keyType
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

/// `Schemas/well-known-client-list.schema.json`.
private struct WellKnownClientListDocument: JSONDocument {
    let formatVersion = 1
    let clients: [Client]

    struct Client: Encodable {
        let name: String
        let title: String
        let publisher: String
        let source: String
        let provider: String
        let environment: String
        let id: String
        let flows: [String]
        let redirectURIs: [String]
        let scopes: [String]
        let isInFamily: Bool

        init(_ client: WellKnownClient) {
            name = client.name
            title = client.title
            publisher = client.publisher
            source = client.source
            provider = client.provider
            environment = client.environment
            id = client.id
            flows = (client.signsInByBrowser ? ["authorizationCode"] : []) + ["deviceAuthorization"]
            redirectURIs = client.redirectURIs
            scopes = client.scopes.scopes
            isInFamily = client.isInFamily
        }
    }
}
