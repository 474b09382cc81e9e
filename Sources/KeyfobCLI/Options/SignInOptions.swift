internal import ArgumentParser
internal import Keyfob
internal import KeyfobSodium

/// What a person signs in to.
struct SignInOptions: ParsableArguments {
    @Argument(help: "The provider (its name, issuer or host), or a resource's address; that of --account unless given.")
    var provider: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Who is to sign in again: id, user name, label, or the beginning of one.", valueName: "name")
    )
    var account: String?

    @Option(
        name: .long,
        help: ArgumentHelp("What to call the account if the provider does not say who signs in.", valueName: "name"))
    var name: String?

    @Option(name: .long, help: ArgumentHelp("The OAuth client id; else the provider's default.", valueName: "id"))
    var client: String?

    @Option(name: [.short, .long], help: ArgumentHelp("A scope of the token; repeatable.", valueName: "scope"))
    var scope: [String] = []

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "What the token is for, in place of its scopes; repeatable: git, packages, api, read.", valueName: "what"))
    var purposes: [Purpose] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Which of a resource's authorization servers, where it names several.", valueName: "url"))
    var issuer: String?

    @Option(name: .long, help: ArgumentHelp("A resource: stands for the scope <resource>/.default.", valueName: "url"))
    var resource: String?

    @Option(
        name: .long,
        help: ArgumentHelp("A scope to consent to now, for later tokens; repeatable.", valueName: "scope"))
    var extraScope: [String] = []

    @Option(name: .long, help: ArgumentHelp("The tenant.", valueName: "id")) var tenant: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where to sign in, as MSAL takes it: https://login.microsoftonline.com/TENANT, or one of Azure AD B2C, AD FS or "
                + "External ID, which is added as a provider if it is new.", valueName: "url"))
    var authority: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "What the provider shows: \(SignInPrompt.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "what"))
    var prompt: Prompt?

    @Option(name: .long, help: ArgumentHelp("The user name to fill in.", valueName: "name")) var loginHint: String?

    @Option(
        name: .long, help: ArgumentHelp("The organisation whose sign-in page to go to.", valueName: "domain"))
    var domainHint: String?

    @Option(
        name: .long,
        help: ArgumentHelp("A claims request (OpenID Connect Core, 5.5): a JSON object.", valueName: "json"))
    var claims: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A field of the provider's own in the sign-in, kept for the account; repeatable, '' for none any more.",
            valueName: "name=value"))
    var parameter: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("How to sign in, as a service's challenge has it (RFC 9470).", valueName: "values"))
    var acrValues: String?

    @Option(
        name: .long,
        help: ArgumentHelp("How many seconds ago you may have signed in at most.", valueName: "seconds"))
    var maxAge: Int64?

    @Option(
        name: .customLong("continue"),
        help: ArgumentHelp(
            "Continue a refused request: with its account, tenant, client, scopes and claims.",
            valueName: "id"))
    var continuation: String?

    /// Whether nothing says where to sign in.
    var namesNothing: Bool { provider == nil && account == nil && authority == nil && continuation == nil }

    /// What is said then.
    static let nowhere =
        "say where to sign in, for example 'keyfob login github', or --account; 'keyfob provider list' shows all"

    func validate() throws {
        if name != nil, account != nil { throw ValidationError("--account says what the account is called") }
        if resource != nil, !purposes.isEmpty { throw ValidationError("--resource and --for exclude one another") }
        if continuation != nil {
            let others: [String?] = [provider, account, name, client, issuer, resource, tenant, authority, claims]
            guard others.allSatisfy({ $0 == nil }), (scope + extraScope).isEmpty, purposes.isEmpty else {
                throw ValidationError("--continue says whom to sign in, and for what")
            }
        }
        if resource != nil, !scope.isEmpty { throw ValidationError("--resource and --scope exclude one another") }
        if authority != nil, provider != nil || tenant != nil {
            throw ValidationError("--authority says the provider and the tenant")
        }
        for (name, value) in [
            ("the provider", provider), ("--account", account), ("--name", name), ("--client", client),
            ("--resource", resource), ("--tenant", tenant), ("--continue", continuation),
            ("--login-hint", loginHint), ("--domain-hint", domainHint), ("--issuer", issuer),
        ] {
            if let value, !Identifier.isAcceptable(value) {
                throw ValidationError("\(name) is blank, too long, or holds control characters")
            }
        }
        if let flaw = tenant.flatMap(RequestWords.flaw(ofTenant:)) { throw ValidationError(flaw) }
        if (scope + extraScope).contains(where: { !Identifier.isAcceptable($0) }) {
            throw ValidationError("a scope is blank or holds control characters")
        }
        if let flaw = ParameterText.flaw(parameter, mayBeEmpty: true) { throw ValidationError(flaw) }
        if let acrValues, !Identifier.isAcceptable(acrValues) {
            throw ValidationError("--acr-values is blank, too long, or holds control characters")
        }
        if let maxAge, maxAge < 0 { throw ValidationError("--max-age is a number of seconds") }
        if let flaw = ClaimsText.flaw(claims) { throw ValidationError(flaw) }
    }

    /// The request, and the group of the account where one is named; what was done for it besides is told.
    func request(
        _ keyring: Keyring, _ groups: [AccessGroup]?, saying say: (String) -> Void
    ) throws(KeyringError) -> (request: SignInRequest, groups: [AccessGroup]?) {
        if let continuation { return try continued(continuation, keyring, groups, say) }
        var candidate: Candidate?
        if let account { candidate = try keyring.accounts.named(account, in: groups) }
        let groups = candidate.map { [$0.group] } ?? groups
        guard let name = try named(keyring, groups, say) ?? candidate?.account.id.environment else {
            throw KeyringError(.usage, Self.nowhere)
        }
        var request = SignInRequest(provider: name)
        request.clientID = client
        request.tenant = tenant
        request.scopes = ScopeSet(resource.map { [$0 + "/.default"] } ?? Self.words(scope))
        request.purposes = purposes.map(\.purpose)
        request.extraScopes = ScopeSet(Self.words(extraScope))
        request.prompt = prompt?.prompt
        request.loginHint = loginHint
        request.domainHint = domainHint
        request.claims = claims
        request.parameters = parameter.isEmpty ? nil : ParameterText.fields(parameter)
        request.contexts = Self.words(acrValues.map { [$0] } ?? [])
        request.maximumAge = maxAge
        request.account = candidate?.account.id
        request.name = self.name
        if let candidate, client == nil {
            request.clientID = try Self.onlyClient(of: candidate, keyring, say)
        }
        return (request, groups)
    }

    /// The request that continues a refused one; what it asks for is told before anything opens.
    private func continued(
        _ id: String, _ keyring: Keyring, _ groups: [AccessGroup]?, _ say: (String) -> Void
    ) throws(KeyringError) -> (request: SignInRequest, groups: [AccessGroup]?) {
        var (request, refusal) = try keyring.signIns.continued(id, in: groups)
        request.prompt = prompt?.prompt
        request.loginHint = loginHint
        request.domainHint = domainHint
        if !parameter.isEmpty { request.parameters = ParameterText.fields(parameter) }
        if let command = refusal.continuation?.command { say("continuing with: \(command)") }
        return (request, [refusal.group])
    }

    /// The provider as it was named, by an authority too, which is added if it is new.
    private func named(
        _ keyring: Keyring, _ groups: [AccessGroup]?, _ say: (String) -> Void
    ) throws(KeyringError) -> String? {
        guard let authority else { return provider }
        let (found, isNew) = try keyring.providers.matching(try Authority(option: authority), in: groups)
        if isNew { say("added provider '\(found.name)' for \(found.environment)") }
        return authority
    }

    /// The client with which the account signed in before, where there is one alone, and nobody has removed it.
    private static func onlyClient(
        of candidate: Candidate, _ keyring: Keyring, _ say: (String) -> Void
    ) throws(KeyringError) -> String? {
        let tokens = try keyring.accounts.credentials(of: candidate.account.id, in: candidate.group)
        let clients = Set(tokens.filter { $0.kind == .refreshToken }.map(\.clientID))
        guard clients.count == 1, let client = clients.first else { return nil }
        let environment = candidate.account.id.environment
        guard try keyring.clients.isRemoved(client, at: environment, in: candidate.group) else { return client }
        say("client '\(client)', with which \(candidate.account.name) signed in before, was removed: another is taken")
        return nil
    }

    private static func words(_ texts: [String]) -> [String] {
        texts.flatMap { $0.split(separator: " ").map(String.init) }
    }
}

extension SignInOptions {
    /// What the token is for, as it is typed.
    struct Purpose: ExpressibleByArgument {
        let purpose: SignInPurpose

        init?(argument: String) {
            guard let purpose = SignInPurpose(rawValue: argument) else { return nil }
            self.purpose = purpose
        }
    }

    /// What the provider shows, as it is typed.
    struct Prompt: ExpressibleByArgument {
        let prompt: SignInPrompt

        init?(argument: String) {
            guard let prompt = SignInPrompt(rawValue: argument) else { return nil }
            self.prompt = prompt
        }
    }
}
