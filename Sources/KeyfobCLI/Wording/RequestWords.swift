internal import Keyfob
internal import KeyfobLookup
internal import KeyfobSodium

/// What a token is asked for, in the words of options.
struct RequestWords {
    var account: String?
    var scopes: [String] = []
    var resource: String?
    var authority: String?
    var tenant: String?
    var client: String?
    var url: String?
    /// The user that a tool found in the URL.
    var login: String?
    var allowedHost: String?
    var tool: String?
    /// That of the repository with which git works, where git asks.
    var gitFolder: String?

    /// What nobody can mean; nil where all is well.
    var flaw: String? {
        if resource != nil, !scopes.isEmpty { return "--resource and --scope exclude one another" }
        let single = [
            ("--account", account), ("--resource", resource), ("--authority", authority), ("--tenant", tenant),
            ("--client", client), ("--tool", tool),
        ]
        for (name, value) in single + scopes.map({ ("--scope", $0) }) {
            if let value, !Identifier.isAcceptable(value) { return "\(name) is blank or holds control characters" }
        }
        return tenant.flatMap(Self.flaw(ofTenant:))
    }

    /// Why a text names no tenant; nil where it may.
    static func flaw(ofTenant text: String) -> String? {
        TokenRequest.isTenant(text) ? nil : "--tenant takes an id or a domain, such as contoso.example"
    }

    /// The request.
    ///
    /// - Parameters:
    ///   - usualAccount: The account where none is named: what `KEYFOB_ACCOUNT` is.
    ///   - usualTool: The program that wants the token where none is named.
    ///   - person: Whose own git configuration counts.
    ///   - minimumValidity: For how many seconds the token must still be valid; nil for as long as usual.
    func request(
        usualAccount: String?, usualTool: @autoclosure () -> String?, person: PersonalGit,
        minimumValidity: Int64? = nil
    ) throws(KeyringError) -> TokenRequest {
        let parsed = try authority.flatMap { text throws(KeyringError) in
            text.contains("://") ? try Authority(option: text) : nil
        }
        let authorityTenant = parsed?.requestTenant
        let tenant = tenant.flatMap(TokenRequest.specificTenant)
        let (address, user) = try address()
        if let url, let error = KeyringError(insecureDestination: url) { throw error }
        if let tenant, let authorityTenant, Identifier.folded(tenant) != Identifier.folded(authorityTenant) {
            throw KeyringError(.usage, "--tenant and the tenant of --authority differ")
        }
        var request = TokenRequest(
            environment: parsed?.host ?? authority, realm: tenant ?? authorityTenant, clientID: client,
            scopes: ScopeSet(words: scopes, resource: resource), minimumValidity: minimumValidity)
        request.name(asked: account, login: address?.login(login ?? user), usual: usualAccount)
        // With a name, nothing but where the token goes counts.
        request.context = request.isNamed ? RequestContext(url: address) : context(address, usualTool(), person)
        (request.purpose, request.namedTool) = (ToolCall.purpose(ofTool: tool), tool)
        request.allowedHost = try allowedHost(isNamed: request.account != nil, address)
        if case .b2c(let policy)? = parsed?.kind { request.policy = policy }
        return request
    }

    /// Where the request comes from.
    ///
    /// - Throws: `usage` for a URL that makes no sense, or that holds a password.
    func context(usualTool: String?, person: PersonalGit) throws(KeyringError) -> RequestContext {
        context(try address().url, usualTool, person)
    }

    private func context(_ address: ResourceURL?, _ usualTool: String?, _ person: PersonalGit) -> RequestContext {
        RequestContext(
            workingDirectory: ".", gitFolder: gitFolder, url: address, tool: tool ?? usualTool, person: person)
    }

    /// The URL, and the user that it names.
    private func address() throws(KeyringError) -> (url: ResourceURL?, user: String?) {
        guard let url else { return (nil, nil) }
        let (text, user) = ResourceURL.withoutUser(url)
        return (try ResourceURL(text, option: "--url"), user)
    }

    /// The host that may have the token all the same.
    private func allowedHost(isNamed: Bool, _ address: ResourceURL?) throws(KeyringError) -> String? {
        guard let allowedHost else { return nil }
        guard isNamed else { throw KeyringError(.usage, "--allow-host goes with --account") }
        guard let address else { throw KeyringError(.usage, "--allow-host goes with --url") }
        let allowed = try ResourceURL(allowedHost, option: "--allow-host")
        guard allowed.path.isEmpty else { throw KeyringError(.usage, "--allow-host takes no path") }
        guard allowed.host == address.host else {
            throw KeyringError(.usage, "--allow-host is not the host of the URL, which is \(address.host)")
        }
        return allowed.host
    }
}

extension Authority {
    /// The authority that an option's value is.
    ///
    /// - Throws: `usage`.
    init(option text: String) throws(KeyringError) {
        do {
            try self.init(text)
        } catch {
            throw KeyringError(.usage, "--authority \(error)")
        }
    }

    /// The tenant that a token must be of; nil where the authority has one alone, or names none in particular.
    fileprivate var requestTenant: String? {
        switch kind {
        case .entra, .other: ownTenant
        case .b2c, .adfs, .ciam: nil
        }
    }
}

extension ResourceURL {
    /// The URL that an option's value is, which is not repeated: it may hold a password.
    init(_ text: String, option: String) throws(KeyringError) {
        do {
            try self.init(parsing: text)
        } catch {
            // Of a host the flaw is told as such: nobody has typed a URL.
            let flaw =
                switch (option, error) {
                case ("--host", .badHost): "that is no host"
                case ("--host", _): "\(error)".replacing("the URL's", with: "its").replacing("the URL", with: "it")
                default: "\(error)"
                }
            throw KeyringError(
                .usage, "\(option): \(flaw)",
                advice: error == .credentials ? .omitCredentials(rest: Self.withoutSecrets(text)) : nil)
        }
    }
}

extension AccessGroup {
    /// The group called `name`, which a person typed.
    init(named name: String) throws(KeyringError) {
        do {
            try self.init(name)
        } catch {
            throw KeyringError(.usage, "\(error)")
        }
    }
}

extension [AccessGroup] {
    /// The groups of these names, or the usual one, each once; nil where none is named.
    static func named(_ names: [String], usual: String?) throws(KeyringError) -> [AccessGroup]? {
        let names = names.isEmpty ? [usual].compactMap(\.self) : names
        guard !names.isEmpty else { return nil }
        var groups: [AccessGroup] = []
        for name in names {
            let group = try AccessGroup(named: name)
            if !groups.contains(group) { groups.append(group) }
        }
        return groups
    }
}

/// The text of `--claims`.
enum ClaimsText {
    /// What is wrong with it; nil where all is well.
    static func flaw(_ text: String?) -> String? {
        SilentOptions(claims: text).areClaimsUsable ? nil : "--claims is not a JSON object, or longer than 16 KiB"
    }
}

extension Keyring.TokenAnswer {
    /// - Throws: `damaged` for a token with which a line, or a terminal, would be another.
    borrowing func requirePrintable() throws(KeyringError) {
        guard secret.isHeaderValue else {
            throw KeyringError(
                .damaged, "the token of \(found.account.name) holds control characters and is not printed",
                advice: .storeAgain)
        }
    }
}
