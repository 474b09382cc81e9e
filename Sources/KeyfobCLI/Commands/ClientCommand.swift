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
            yielding: ["FROM", "SECRET", "DEFAULT", "NAME"])
        for item in clients {
            let from = if case .added(let group) = item.origin { "group '\(group)'" } else { "the provider" }
            table.add([
                item.provider ?? "(\(item.environment))", item.client.id, item.client.name ?? "-",
                item.client.authentication == .none ? "no" : "yes", item.isDefault ? "yes" : "no", from,
            ])
        }
        try StandardOutput.write(lines: table.text)
    }

    private func listWellKnown() throws(KeyringError) {
        let clients = WellKnownClient.all.filter { client in provider.map { client.provider == $0 } ?? true }
        if global.json {
            return try JSONOutput.print(
                WellKnownClientListDocument(clients: clients.map(WellKnownClientListDocument.Client.init)))
        }
        var table = Table(
            header: ["NAME", "PROVIDER", "PROGRAM", "OF", "SIGNS IN", "PUBLISHED AT"],
            yielding: ["PUBLISHED AT", "OF", "SIGNS IN", "PROGRAM"])
        for client in clients {
            table.add([
                client.name, client.provider, client.title, client.publisher, client.ways, client.source,
            ])
        }
        try StandardOutput.write(lines: table.text)
    }
}

extension WellKnownClient {
    /// How people sign in with it, as they read it.
    fileprivate var ways: String { signsInByBrowser ? "browser, device" : "device" }
}

struct ClientAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a client id that a provider gave you.",
        discussion: """
            The first client of a provider is its default. Some providers give even desktop programs a secret: it \
            is read from a descriptor and kept sealed. Say --redirect-uri, once for each, where the provider \
            takes answers only at certain addresses: they are used as they are written, on localhost, 127.0.0.1 or [::1], \
            the next one where somebody else listens at the first; or with a scheme of an app's own, such as \
            com.example.app:/callback, which the desktop brings here ('keyfob setup url-scheme'). Else any free port of this machine is used.

            With --well-known it is the public id of a program that many people use. The provider then takes Keyfob for \
            that program: its name is on the page where you consent and in the log of your organisation, and what its \
            publisher or an administrator forbids it is forbidden here.

            Example:
              keyfob client add --well-known azure-cli
              keyfob client add 0d1e2f3a-aaaa-bbbb-cccc-000011112222 --provider microsoft
              keyfob client add 1234.apps.example --provider google \\
                --secret-fd 3 3< secret.txt
              keyfob client add app --provider contoso \\
                --redirect-uri http://localhost:8400 --default
            """)

    @Argument(help: "The client id.") var id: String?

    @Option(name: .long, help: ArgumentHelp("The provider: its name, issuer or host.", valueName: "name"))
    var provider: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Take the id of this program: \(WellKnownClient.all.map(\.name).joined(separator: ", ")).",
            valueName: "program"))
    var wellKnown: String?

    @Option(name: .long, help: ArgumentHelp("The client's name for people.", valueName: "text")) var name: String?

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp(
            "An address on this machine, or of an app's own scheme, that the provider knows; repeatable.",
            valueName: "uri"))
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
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    enum SecretPlace: String, ExpressibleByArgument, CaseIterable {
        case post, basic
    }

    func validate() throws {
        if wellKnown == nil {
            guard id != nil else { throw ValidationError("name the client id, or a program with --well-known") }
            guard provider != nil else { throw ValidationError("say of which provider, with --provider") }
        } else if id != nil || provider != nil || secretFd != nil || name != nil || !redirectURIs.isEmpty {
            throw ValidationError(
                "--well-known says the id, the provider, the name and the addresses, and has no secret")
        }
    }

    func run() throws {
        let scopes = ScopeSet(scope.flatMap { $0.split(separator: " ").map(String.init) })
        let program = try wellKnown.map(Self.program)
        var client =
            program?.registration ?? ClientRegistration(id: id ?? "", name: name, redirectURIs: redirectURIs)
        if !scopes.isEmpty { client.scopes = scopes }
        let named = program?.provider ?? provider ?? ""
        let keyring: Keyring
        let added: RegisteredClient
        if let secretFd {
            client.authentication = authentication == .post ? .post : .basic
            let secret = try SecretInput.clientSecret(descriptor: secretFd)
            keyring = try global.unlockedKeyring()
            added = try keyring.clients.add(
                client, secret: secret, at: named, isDefault: `default`, replacing: replace, in: global.groups())
        } else {
            keyring = try global.unlockedKeyring()
            added = try keyring.clients.add(
                client, at: named, isDefault: `default`, replacing: replace, in: global.groups())
        }
        global.tellWarnings(of: keyring)
        let words = added.isDefault ? ", the one to take unless another is named" : ""
        let place = added.provider ?? added.environment
        try global.tell(.clientAdded, "added client '\(client.id)' of \(place)\(words)") {
            ($0.client, $0.provider) = (client.id, place)
        }
        if let program { global.say(program.notice) }
    }

    private static func program(_ name: String) throws(KeyringError) -> WellKnownClient {
        guard let client = WellKnownClient.named(name) else {
            throw KeyringError(
                .noSuchClient, "there is no well-known client '\(name)'",
                hint: "'keyfob client list --well-known' lists them")
        }
        return client
    }
}

extension WellKnownClient {
    /// What it means to sign in with it, and how to.
    var notice: String {
        "\(provider) takes Keyfob for \(title), by \(publisher): sign in with 'keyfob login "
            + "\(signsInByBrowser ? "" : "--device ")\(provider)'"
    }
}

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
    @Flag(name: .long, help: "Remove it although it has a secret.") var force = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        // Of a provider that is not there any more all are meant that have the id.
        let clients =
            try (try? keyring.clients.list(of: provider, in: global.groups()))
            ?? keyring.clients.list(in: global.groups())
        let hasSecret = clients.contains { $0.client.id == id && $0.client.authentication != .none }
        if hasSecret, !force {
            try Confirmation.ask(
                "The secret of client '\(id)' goes too. Type 'remove' to remove it: ", "remove", global)
        }
        try keyring.clients.remove(id, at: provider, in: global.groups())
        global.tellWarnings(of: keyring)
        try global.tell(.clientRemoved, "removed client '\(id)'") { ($0.client, $0.provider) = (id, provider) }
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
