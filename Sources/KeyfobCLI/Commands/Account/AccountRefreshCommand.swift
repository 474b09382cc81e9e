internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct AccountRefreshCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Get a new token from the provider now.",
        discussion: """
            Redeems the refresh token, whatever is stored, and prints nothing secret: a way to see whether a sign-in \
            still lasts, and to keep it alive where the provider ends those that are not used. Without --client, the \
            refresh token of each client that is signed in, once. Without --scope, for the scopes of the token that came \
            last.

            With --all, the refresh tokens of all accounts, or of those in --group, one after the other: a line for each \
            on standard output, and the failures do not stop it. Accounts that have none are left out.

            Exit status: 0 when each has a new token; 10 when anybody has to sign in; else that of the first failure, such as \
            75 when a provider cannot be reached.

            'keyfob undo' does not undo this.

            Example:
              keyfob account refresh ada@contoso.example
              keyfob account refresh --all
              keyfob account refresh ada@contoso.example --scope mail.read
            """)

    @Argument(help: "The account: its id, user name or label, or the beginning of one.") var account: String?
    @Flag(name: .long, help: "Of all accounts.") var all = false
    @Option(name: .long, help: ArgumentHelp("The OAuth client id.", valueName: "id")) var client: String?
    @Option(name: .long, help: ArgumentHelp("The tenant.", valueName: "id")) var tenant: String?
    @Option(name: [.short, .long], help: ArgumentHelp("A scope the token must have; repeatable.", valueName: "scope"))
    var scope: [String] = []
    @OptionGroup(visibility: .hidden) var networkOptions: NetworkOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if all == (account != nil) { throw ValidationError("name an account, or say --all") }
        if all, client != nil || tenant != nil || !scope.isEmpty {
            throw ValidationError("--all goes with none of --client, --tenant and --scope")
        }
        if scope.contains(where: { !Identifier.isAcceptable($0) }) {
            throw ValidationError("--scope is blank or holds control characters")
        }
    }

    func run() throws {
        let network = try networkOptions.network()
        let keyring = try global.unlockedKeyring(reaching: .network)
        defer { global.tellWarnings(of: keyring) }
        let groups = try global.groups()
        guard let name = account else { return try refreshAll(in: groups, keyring, network) }
        let candidate = try keyring.accounts.named(name, in: groups)
        let account = candidate.account
        let clients = try client.map { [$0] } ?? clients(of: candidate, in: keyring)
        let scopes = ScopeSet(scope.flatMap { $0.split(separator: " ").map(String.init) })
        var tokens: [Keyring.FoundToken] = []
        var failures: [KeyringError] = []
        for client in clients.isEmpty ? [nil] : clients.map(Optional.some) {
            let request = TokenRequest(account: account.id.description, realm: tenant, clientID: client, scopes: scopes)
            do throws(KeyringError) {
                tokens.append(try refreshed(request, in: candidate.group, keyring, network))
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

    /// A new token for a request, whatever is stored.
    private func refreshed(
        _ request: TokenRequest, in group: AccessGroup, _ keyring: Keyring, _ network: Network
    ) throws(KeyringError) -> Keyring.FoundToken {
        var request = request
        // Nobody gets it here.
        (request.takesProofs, request.takesCertificates) = (true, true)
        let acquisition = TokenAcquisition(
            request, in: [group], options: SilentOptions(forcesRefresh: true), network: { network })
        return try RefreshProcess.token(for: acquisition, of: keyring, isVerbose: networkOptions.verbose, global).found
    }

    /// Redeems the refresh token of each client of each account, and tells of each.
    private func refreshAll(in groups: [AccessGroup]?, _ keyring: Keyring, _ network: Network) throws {
        var grants: [RefreshedAllDocument.Grant] = []
        var failures: [KeyringError] = []
        for candidate in AccountListCommand.sorted(try keyring.accounts.list(in: groups)) {
            for client in try clients(of: candidate, in: keyring) {
                let request = TokenRequest(account: candidate.account.id.description, clientID: client)
                var (expiry, failure): (Timestamp?, KeyringError?)
                do throws(KeyringError) {
                    expiry = try refreshed(request, in: candidate.group, keyring, network).credential.expiresOn
                } catch {
                    failure = error
                    failures.append(error)
                }
                grants.append(RefreshedAllDocument.Grant(candidate, client, expiry, failure))
                guard !global.json else { continue }
                let words =
                    failure.map { "failed: \($0.message)" + ($0.hint.map { "; \($0)" } ?? "") }
                    ?? "a new token" + (expiry.map { ", valid until \(TimeText.moment($0))" } ?? "")
                try StandardOutput.write(
                    line: "\(candidate.account.name) (group \(candidate.group), client \(client)): \(words)")
            }
        }
        if global.json {
            try JSONOutput.print(RefreshedAllDocument(grants: grants))
        } else if grants.isEmpty {
            global.say("no account has a refresh token")
        }
        guard let first = failures.first else { return }
        let needsPerson = failures.contains { $0.code == .signInNeeded }
        throw ReportedFailure(status: needsPerson ? .signInNeeded : ExitStatus(first.code))
    }

    /// The clients whose refresh token can be used.
    private func clients(of candidate: Candidate, in keyring: Keyring) throws(KeyringError) -> [String] {
        let tokens = try keyring.accounts.credentials(of: candidate.account.id, in: candidate.group).filter {
            $0.kind == .refreshToken && ($0.grant ?? Grant()).state == .active
        }
        return Set(tokens.map(\.clientID)).sorted()
    }

    private func tell(_ tokens: [Keyring.FoundToken], _ account: Account) throws {
        if global.json { return try JSONOutput.print(RefreshedDocument(account, tokens)) }
        for token in tokens {
            let client = tokens.count > 1 ? " for client \(token.credential.clientID)" : ""
            let until = token.credential.expiresOn.map { ", valid until \(TimeText.moment($0))" } ?? ""
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

/// `Schemas/refreshed-all.schema.json`.
struct RefreshedAllDocument: JSONDocument {
    let formatVersion = 1
    let grants: [Grant]

    /// A refresh token, and what came of it.
    struct Grant: Encodable {
        let account: String
        let group: String
        let clientID: String
        /// When the new access token expires, where that is known.
        let expiresOn: String?
        /// Why there is no new token.
        let error: Failure?

        init(_ candidate: Candidate, _ clientID: String, _ expiry: Timestamp?, _ failure: KeyringError?) {
            account = candidate.account.id.description
            group = candidate.group.name
            self.clientID = clientID
            expiresOn = expiry.map(\.rfc3339)
            error = failure.map {
                Failure(
                    code: $0.code.rawValue, message: $0.message, hint: $0.hint,
                    continuation: $0.continuation.map(ContinuationDocument.init))
            }
        }
    }

    struct Failure: Encodable {
        let code: String
        let message: String
        let hint: String?
        let continuation: ContinuationDocument?
    }
}
