internal import ArgumentParser
internal import FoundationEssentials
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobTerminal

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
