internal import ArgumentParser
internal import Keyfob

struct AccountRefreshCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Get a new token from the provider now.",
        discussion: """
            Redeems the refresh token, whatever is stored, and prints nothing secret: a way to see whether a sign-in \
            still lasts, and to keep it alive where the provider ends those that are not used. Without --client, the \
            refresh token of each client that is signed in, once. Without --scope, for the scopes of the token that came \
            last.

            Example:
              keyfob account refresh ada@contoso.example
              keyfob account refresh ada@contoso.example --scope mail.read
            """)

    @OptionGroup var argument: AccountArgument
    @Option(name: .long, help: ArgumentHelp("The OAuth client id.", valueName: "id")) var client: String?
    @Option(name: .long, help: ArgumentHelp("The tenant.", valueName: "id")) var tenant: String?
    @Option(name: [.short, .long], help: ArgumentHelp("A scope the token must have; repeatable.", valueName: "scope"))
    var scope: [String] = []
    @OptionGroup var networkOptions: NetworkOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if scope.contains(where: { !Identifier.isAcceptable($0) }) {
            throw ValidationError("--scope is blank or holds control characters")
        }
    }

    func run() throws {
        let network = try networkOptions.network()
        let keyring = try global.unlockedKeyring(reaching: .network)
        defer { global.tellWarnings(of: keyring) }
        let groups = try global.groups()
        let candidate = try keyring.account(named: argument.account, in: groups)
        let account = candidate.account
        let clients = try client.map { [$0] } ?? clients(of: candidate, in: keyring)
        let scopes = ScopeSet(scope.flatMap { $0.split(separator: " ").map(String.init) })
        var tokens: [Keyring.FoundToken] = []
        var failures: [KeyringError] = []
        for client in clients.isEmpty ? [nil] : clients.map(Optional.some) {
            let request = TokenRequest(account: account.id.description, realm: tenant, clientID: client, scopes: scopes)
            do throws(KeyringError) {
                let found = try NetworkTask.run { () async throws(KeyringError) in
                    try await keyring.acquireTokenSilently(
                        for: request, options: SilentOptions(forcesRefresh: true), in: [candidate.group],
                        network: network
                    ).found
                }
                tokens.append(found)
            } catch {
                failures.append(error)
            }
        }
        // One that failed keeps no other from its new token, and the first error says what to do.
        guard let first = failures.first else { return try tell(tokens, account) }
        if !tokens.isEmpty { try tell(tokens, account) }
        for failure in failures.dropFirst() { StandardError.write(line: "keyfob: \(failure.message)") }
        throw first
    }

    /// The clients whose refresh token can be used.
    private func clients(of candidate: Candidate, in keyring: Keyring) throws(KeyringError) -> [String] {
        let tokens = try keyring.credentials(of: candidate.account.id, in: candidate.group).filter {
            $0.kind == .refreshToken && ($0.grant ?? Grant()).state == .active
        }
        return Set(tokens.map(\.clientID)).sorted()
    }

    private func tell(_ tokens: [Keyring.FoundToken], _ account: Account) throws {
        if global.json { return try JSONOutput.print(RefreshedDocument(account, tokens)) }
        for token in tokens {
            let client = tokens.count > 1 ? " for client \(token.credential.clientID)" : ""
            let until = token.credential.expiresOn.map { ", valid until \($0.rfc3339)" } ?? ""
            global.say("\(account.name): a new token\(client)\(until)")
        }
    }
}

/// `Schemas/refreshed.schema.json`.
struct RefreshedDocument: JSONDocument {
    let formatVersion = 1
    let account: String
    let tokens: [Token]

    /// A token that has come.
    struct Token: Encodable {
        let clientID: String
        let scopes: [String]
        let expiresOn: String?
    }

    init(_ account: Account, _ tokens: [Keyring.FoundToken]) {
        self.account = account.id.description
        self.tokens = tokens.map {
            Token(
                clientID: $0.credential.clientID, scopes: $0.credential.scopes.scopes,
                expiresOn: $0.credential.expiresOn.map(\.rfc3339))
        }
    }
}
