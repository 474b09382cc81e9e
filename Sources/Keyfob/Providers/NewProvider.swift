internal import KeyfobModel
internal import KeyfobOAuth

/// A provider that is to be added by its issuer alone.
public struct NewProvider: Hashable, Sendable {
    /// The issuer, exactly as its ID tokens name it.
    public var issuer: String
    /// By which people will choose it; nil for its host.
    public var name: String?
    /// Its name for people; nil for its host.
    public var title: String?
    /// The host under which its accounts are kept; nil for the issuer's host, with the port that it names.
    public var environment: String?
    /// The endpoints of which the discovery document does not tell, by the names that it would give them.
    ///
    /// For example `device_authorization_endpoint`.
    public var endpoints: [String: String]
    /// The scopes to ask for where nobody names any.
    public var scopes: ScopeSet
    /// The hosts to which its accounts' tokens go besides the environment: `api.git.example`, `*.git.example`.
    public var apiHosts: [String]
    /// A PEM file on this machine with certificates that are trusted in requests to this provider; an absolute path.
    public var certificateFile: String?
    /// Fields of its own that every authorization request carries, such as `audience`.
    public var parameters: [String: String] = [:]
    /// The authority that the issuer is; nil for any other OpenID provider.
    var authority: Authority?

    /// A provider.
    public init(
        issuer: String, name: String? = nil, title: String? = nil, environment: String? = nil,
        endpoints: [String: String] = [:], scopes: ScopeSet = [], apiHosts: [String] = [],
        certificateFile: String? = nil
    ) {
        self.issuer = issuer
        self.name = name
        self.title = title
        self.environment = environment
        self.endpoints = endpoints
        self.scopes = scopes
        self.apiHosts = apiHosts
        self.certificateFile = certificateFile
    }

    /// What is known of it.
    ///
    /// - Throws: `usage`.
    func description() throws(KeyringError) -> ProviderDescription {
        if let problem = ProviderRules.problem(ofIssuer: issuer) { throw KeyringError(.usage, problem) }
        guard let url = try? EndpointURL(issuer) else { throw KeyringError(.usage, "the issuer is not an address") }
        let host = url.environment
        guard title.map(Identifier.isAcceptable) ?? true else {
            throw KeyringError(.usage, "the title is blank, too long, or holds control characters")
        }
        // Colons and brackets are for addresses, not for names.
        let derived = String(host.filter { $0 != "[" && $0 != "]" }.replacing(":", with: "-").drop { $0 == "-" })
        var description = ProviderDescription(
            name: name ?? derived, title: title ?? host, issuer: issuer, environment: environment ?? host,
            defaultScopes: scopes.isEmpty ? ["openid", "profile", "offline_access"] : scopes,
            flows: [.authorizationCode, .deviceAuthorization])
        if let authority { try describe(authority, &description) }
        description.certificateFile = certificateFile
        if let problem = AuthorizationParameters.problem(of: parameters) { throw KeyringError(.usage, problem) }
        description.parameters = parameters
        for text in apiHosts {
            guard let host = HostPattern(text) else {
                throw KeyringError(.usage, "an API host is not a host, or *. and a host, in small letters")
            }
            description.apiHosts.append(host)
        }
        for (name, address) in endpoints.sorted(by: { $0.key < $1.key }) {
            guard let endpoint = ProviderMetadata.Endpoint(rawValue: name) else {
                throw KeyringError(.usage, "there is no endpoint '\(name)'")
            }
            do {
                description.endpoints[endpoint] = try EndpointURL(address)
            } catch {
                throw KeyringError(.usage, "the \(name) cannot be used: \(error)")
            }
        }
        if let problem = ProviderRules.problem(of: description) {
            throw KeyringError(.usage, problem, advice: name == nil ? .nameProvider : nil)
        }
        return description
    }
}
