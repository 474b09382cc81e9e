internal import ArgumentParser
internal import Foundation
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

struct BrokerAccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "List the accounts that the broker has.",
        discussion: """
            They are the broker's own, and no accounts of the vault.

            Example:
              keyfob broker accounts --json

            Exit status: 0 done, 65 an answer that cannot be read, 69 no other broker.
            """)

    @OptionGroup var options: BrokerOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let broker = try options.broker()
        let accounts = try options.asking { () throws(KeyringError) in
            try broker.accounts(clientID: options.clientID)
        }
        if global.json {
            return try JSONOutput.print(BrokerAccountsDocument(accounts, version: broker.version()))
        }
        guard !accounts.isEmpty else { return global.say("nobody is signed in at the identity broker") }
        var table = Table(header: ["ACCOUNT", "NAME", "ID"], yielding: ["NAME", "ID"])
        for account in accounts { table.add([account.name, account.displayName ?? "-", account.id.description]) }
        try StandardOutput.write(lines: table.text)
    }
}

struct BrokerTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print an access token that the broker gives.",
        discussion: """
            It is asked silently: where somebody has to sign in, it ends with 10, and a program that uses the broker has to do it. The \
            token is printed and not stored. One that is another account's than was asked for, has expired, or is bound to a key is refused.

            Example:
              keyfob broker token --account ada@contoso.example \\
                --scope https://graph.microsoft.com/.default

            Exit status: 0 done, 10 sign-in needed, 11 ambiguous, 13 no such account, 65 an answer that cannot be used, \
            69 no other broker, 75 try again.
            """)

    @Option(name: [.short, .long], help: ArgumentHelp("The broker's account: user name or id.", valueName: "name"))
    var account: String?
    @Option(name: [.short, .long], help: ArgumentHelp("What the token is for; repeatable.", valueName: "scope"))
    var scope: [String] = []
    @Option(name: .long, help: ArgumentHelp("The tenant, where it is not the account's own.", valueName: "id"))
    var tenant: String?
    @OptionGroup var options: BrokerOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        guard !scope.isEmpty else { throw ValidationError("say what the token is for with --scope") }
        if let tenant, tenant.isEmpty || !tenant.utf8.allSatisfy(Self.isOfTenant) {
            throw ValidationError("--tenant is an id or a domain")
        }
    }

    private static func isOfTenant(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    func run() throws {
        let broker = try options.broker()
        let token = try options.asking { () throws(KeyringError) in
            let known = try broker.accounts(clientID: options.clientID)
            return try broker.token(
                of: SessionBrokerAccount.named(account, among: known), clientID: options.clientID,
                scopes: ScopeSet(scope), tenant: tenant)
        }
        guard !global.json else {
            let document = BrokerTokenDocument(token, clientID: options.clientID)
            return try SecretInJSON(document, at: "token").write(token.secret) { (piece) throws(KeyringError) in
                try StandardOutput.write(bytes: piece)
            }
        }
        try token.secret.withBytes { (bytes) throws(KeyringError) in try StandardOutput.write(bytes: bytes) }
        try StandardOutput.write(data: "\n")
    }
}

/// `Schemas/broker-accounts.schema.json`.
private struct BrokerAccountsDocument: JSONDocument {
    let formatVersion = 1
    let version: String?
    let accounts: [Account]

    struct Account: Encodable {
        let id: String
        let username: String?
        let name: String?
        let tenant: String?
    }

    init(_ accounts: [SessionBrokerAccount], version: String?) {
        self.version = version
        self.accounts = accounts.map {
            Account(id: $0.id.description, username: $0.username, name: $0.displayName, tenant: $0.realm)
        }
    }
}

/// `Schemas/broker-token.schema.json`.
private struct BrokerTokenDocument: JSONDocument {
    let formatVersion = 1
    /// Stands for the token.
    let token = ""
    let tokenType = "Bearer"
    let expiresOn: String
    let scopes: [String]
    let account: String
    let username: String?
    let clientID: String
    let source = "broker"

    init(_ token: borrowing SessionBrokerToken, clientID: String) {
        expiresOn = token.expiresOn.rfc3339
        scopes = token.scopes.scopes
        account = token.account.id.description
        username = token.account.username
        self.clientID = clientID
    }
}
