internal import ArgumentParser
internal import Keyfob

struct AccountRefreshCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Get a new token from the provider now.",
        discussion: """
            Redeems the refresh token, whatever is stored, and prints nothing secret: a way to see whether a sign-in \
            still lasts, and to keep it alive where the provider ends those that are not used.

            Example:
              keyfob account refresh ada@contoso.example
            """)

    @OptionGroup var argument: AccountArgument
    @Option(name: .long, help: ArgumentHelp("The OAuth client id.", valueName: "id")) var client: String?
    @Option(name: .long, help: ArgumentHelp("The tenant.", valueName: "id")) var tenant: String?
    @OptionGroup var networkOptions: NetworkOptions
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let network = try networkOptions.network()
        let keyring = try global.unlockedKeyring(reaching: .network)
        defer { global.tellWarnings(of: keyring) }
        let request = TokenRequest(account: argument.account, realm: tenant, clientID: client)
        let groups = try global.groups()
        let found = try NetworkTask.run { () async throws(KeyringError) in
            try await keyring.acquireTokenSilently(
                for: request, options: SilentOptions(forcesRefresh: true), in: groups, network: network
            ).found
        }
        if global.json { return try JSONOutput.print(RefreshedDocument(found)) }
        let until = found.credential.expiresOn.map { ", valid until \($0.rfc3339)" } ?? ""
        global.say("\(found.account.name): a new token\(until)")
    }
}

/// `Schemas/refreshed.schema.json`.
struct RefreshedDocument: JSONDocument {
    let formatVersion = 1
    let account: String
    let clientID: String
    let scopes: [String]
    let expiresOn: String?

    init(_ found: Keyring.FoundToken) {
        account = found.account.id.description
        clientID = found.credential.clientID
        scopes = found.credential.scopes.scopes
        expiresOn = found.credential.expiresOn.map(\.rfc3339)
    }
}
