internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles

/// What a token is asked for.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The account: id, user name, label, or the beginning of one (KEYFOB_ACCOUNT).", valueName: "name"))
    var account: String?

    @Option(name: [.short, .long], help: ArgumentHelp("A scope the token must have; repeatable.", valueName: "scope"))
    var scope: [String] = []

    @Option(name: .long, help: ArgumentHelp("A resource: stands for the scope <resource>/.default.", valueName: "url"))
    var resource: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The authority, as MSAL takes it: https://host/tenant (or policy), or a host.", valueName: "url")
    )
    var authority: String?

    @Option(name: .long, help: ArgumentHelp("The tenant.", valueName: "id")) var tenant: String?

    @Option(name: .long, help: ArgumentHelp("The OAuth client id.", valueName: "id")) var client: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "What the token is for; else the git remote of the directory tells. A user in it names the account.",
            valueName: "url"))
    var url: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --account: a host to which the token may go although it is not its provider's.", valueName: "host"))
    var allowHost: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The program that wants the token, when it is not the calling one.", valueName: "name"))
    var tool: String?

    /// The user that a tool found in the URL; nobody types it.
    var login: String?
    /// The folder of the repository with which git works; nobody types it.
    var gitFolder: String?

    private enum CodingKeys: String, CodingKey {
        case account, scope, resource, authority, tenant, client, url, allowHost, tool
    }

    func validate() throws {
        if let flaw = words.flaw { throw ValidationError(flaw) }
    }

    /// The request, with `minimumValidity` in seconds; nil for as long as usual.
    func request(
        minimumValidity: Int64? = nil, _ environment: Environment = .current
    ) throws(KeyringError) -> TokenRequest {
        try words.request(
            usualAccount: environment["KEYFOB_ACCOUNT"], usualTool: CallingTool.name, person: environment.person,
            minimumValidity: minimumValidity)
    }

    /// Where the request comes from.
    ///
    /// - Throws: `usage` for a URL that makes no sense, or that holds a password.
    func context(_ environment: Environment = .current) throws(KeyringError) -> RequestContext {
        try words.context(usualTool: CallingTool.name, person: environment.person)
    }

    private var words: RequestWords {
        RequestWords(
            account: account, scopes: scope, resource: resource, authority: authority, tenant: tenant, client: client,
            url: url, login: login, allowedHost: allowHost, tool: tool, gitFolder: gitFolder)
    }
}
