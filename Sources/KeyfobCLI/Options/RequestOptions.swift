internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobLookup

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
        help: ArgumentHelp("What the token is for; else the git remote of the directory tells.", valueName: "url"))
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

    func validate() throws {
        if resource != nil, !scope.isEmpty { throw ValidationError("--resource and --scope exclude one another") }
        for (name, value) in [
            ("--account", account), ("--resource", resource), ("--authority", authority), ("--tenant", tenant),
            ("--client", client), ("--tool", tool),
        ] {
            if let value, !Identifier.isAcceptable(value) {
                throw ValidationError("\(name) is blank or holds control characters")
            }
        }
        if scope.contains(where: { !Identifier.isAcceptable($0) }) {
            throw ValidationError("--scope is blank or holds control characters")
        }
    }

    /// The request, with `minimumValidity` in seconds.
    func request(
        minimumValidity: Int64 = TokenRequest.usualMinimumValidity, _ environment: Environment = .current
    ) throws(KeyringError) -> TokenRequest {
        let parsed = try authority.flatMap { text throws(KeyringError) in
            text.contains("://") ? try Authority(option: text) : nil
        }
        let authorityTenant = parsed?.requestTenant
        let tenant = tenant.flatMap(TokenRequest.specificTenant)
        let address = try address()
        if let tenant, let authorityTenant, Identifier.folded(tenant) != Identifier.folded(authorityTenant) {
            throw KeyringError(.usage, "--tenant and the tenant of --authority differ")
        }
        let named = account ?? environment["KEYFOB_ACCOUNT"]
        // With a name, nothing but where the token goes counts.
        var request = TokenRequest(
            account: named, environment: parsed?.host ?? authority, realm: tenant ?? authorityTenant, clientID: client,
            scopes: ScopeSet(words: scope, resource: resource),
            minimumValidity: minimumValidity, context: named == nil ? context(address) : RequestContext(url: address),
            allowedHost: try allowedHost(isNamed: named != nil, address))
        if case .b2c(let policy)? = parsed?.kind { request.policy = policy }
        return request
    }

    /// The host that may have the token all the same.
    private func allowedHost(isNamed: Bool, _ address: ResourceURL?) throws(KeyringError) -> String? {
        guard let allowHost else { return nil }
        guard isNamed else { throw KeyringError(.usage, "--allow-host goes with --account") }
        guard let address else { throw KeyringError(.usage, "--allow-host goes with --url") }
        let allowed = try SubjectOptions.parse(allowHost, "--allow-host")
        guard allowed.path.isEmpty else { throw KeyringError(.usage, "--allow-host takes no path") }
        guard allowed.host == address.host else {
            throw KeyringError(.usage, "--allow-host is not the host of the URL, which is \(address.host)")
        }
        return allowed.host
    }

    /// Where the request comes from.
    ///
    /// - Throws: `usage` for a URL that makes no sense, or that holds a password.
    func context() throws(KeyringError) -> RequestContext { context(try address()) }

    private func context(_ address: ResourceURL?) -> RequestContext {
        RequestContext(workingDirectory: ".", url: address, tool: tool ?? CallingTool.name)
    }

    private func address() throws(KeyringError) -> ResourceURL? {
        guard let url else { return nil }
        return try SubjectOptions.parse(url, "--url")
    }

}

extension Authority {
    /// The tenant that a token must be of; nil where the authority has one alone, or names none in particular.
    fileprivate var requestTenant: String? {
        switch kind {
        case .entra, .other: ownTenant
        case .b2c, .adfs, .ciam: nil
        }
    }
}
