internal import ArgumentParser
internal import Keyfob

struct AddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Store a token that came from elsewhere.",
        discussion: """
            Reads the token from standard input, or from --token-fd; at a terminal it is typed or pasted without being shown, \
            and ends with Enter. When the command ends with 0 the token \
            is durable; where the desktop's keyring keeps the records, as soon as that has saved it, and KeePassXC \
            answers before it does.

            Example:
              keyfob add --account ada --host git.example --scope repo < token.txt
            """)

    @Option(
        name: [.short, .long], help: ArgumentHelp("Whose token it is, as its provider names them.", valueName: "id"))
    var account: String

    @Option(name: .long, help: ArgumentHelp("The provider's host.", valueName: "host")) var host: String

    @Option(name: .long, help: ArgumentHelp("The user name to show; the id unless given.", valueName: "name"))
    var username: String?

    @Option(name: .long, help: ArgumentHelp("A label for the account.", valueName: "text")) var label: String?

    @Option(name: .long, help: ArgumentHelp("The OAuth client id.", valueName: "id"))
    var client = Credential.noClient

    @Option(name: .long, help: ArgumentHelp("The tenant.", valueName: "id")) var tenant: String?

    @Option(name: [.short, .long], help: ArgumentHelp("A scope the token has; repeatable.", valueName: "scope"))
    var scope: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("For how many seconds it is valid; for ever unless given.", valueName: "seconds"))
    var expiresIn: Int64?

    @Option(name: .long, help: ArgumentHelp("Read the token from this descriptor.", valueName: "n")) var tokenFd:
        Int32 = 0
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        for (name, value) in [
            ("--account", account), ("--host", host), ("--client", client), ("--tenant", tenant ?? "x"),
            ("--username", username ?? "x"), ("--label", label ?? "x"),
        ] where !Identifier.isAcceptable(value) {
            throw ValidationError("\(name) is blank, too long, or holds control characters")
        }
        if scope.contains(where: { !Identifier.isAcceptable($0) }) {
            throw ValidationError("--scope is blank or holds control characters")
        }
        if let expiresIn, !(1...3_153_600_000).contains(expiresIn) {
            throw ValidationError("--expires-in is a number of seconds, at least 1")
        }
    }

    func run() throws {
        guard let id = AccountID(homeAccountID: account, environment: host) else {
            throw KeyringError(.usage, "--account and --host name no account")
        }
        let keyring = try global.unlockedKeyring()
        let secret = try SecretInput.token(descriptor: tokenFd, mayAsk: !global.noInput)
        let now = WallClock.system.now
        let credential = Credential(
            kind: .accessToken, account: id, clientID: client, realm: tenant ?? "",
            scopes: ScopeSet(scope.flatMap { $0.split(separator: " ").map(String.init) }), cachedAt: now,
            expiresOn: expiresIn.map(now.advanced(by:)))
        let profile = TenantProfile(
            realm: tenant ?? "", localAccountID: account, environment: host, username: username ?? account)
        let newAccount = Account(id: id, username: username ?? account, label: label, tenantProfiles: [profile])
        let outcome = try keyring.store(credential, secret: secret, for: newAccount, in: global.groups())
        global.tellWarnings(of: keyring)
        if global.json {
            try JSONOutput.print(StoredDocument(account: id.description, outcome: outcome.rawValue))
        } else {
            global.say("\(id): \(outcome.words)")
        }
    }
}

extension Keyring.StoreOutcome {
    /// The outcome as people read it.
    var words: String {
        switch self {
        case .added: "stored"
        case .changed: "stored in place of an older one"
        case .unchanged: "stored already"
        case .kept: "not stored, the one in the keyring is newer"
        }
    }
}

/// `Schemas/stored.schema.json`.
struct StoredDocument: JSONDocument {
    let formatVersion = 1
    let account: String
    let outcome: String
}
