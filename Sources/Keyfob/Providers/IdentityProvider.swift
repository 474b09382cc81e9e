internal import KeyfobModel
internal import KeyfobOAuth

/// An identity provider at which people sign in: one that is built in, or one that was added.
public struct IdentityProvider: Hashable, Sendable {
    /// What is known of it.
    let description: ProviderDescription
    /// Where it comes from.
    public let origin: Origin
    /// Who added it; nil for one that is built in.
    public let writer: DecisionWriter?

    /// Where a provider comes from.
    public enum Origin: Hashable, Sendable {
        /// It needs no description.
        case builtIn
        /// Its description is kept in this group.
        case added(AccessGroup)
    }

    init(_ description: ProviderDescription, _ origin: Origin, by writer: DecisionWriter? = nil) {
        self.writer = writer
        self.description = description
        self.origin = origin
    }

    /// By which people choose it: `microsoft`, `gitlab`.
    public var name: String { description.name }
    /// Its name for people.
    public var title: String { description.title }
    /// Its issuer, or nil for plain OAuth.
    public var issuer: String? { description.issuer }
    /// The host under which its accounts are kept, with `:port` where the port is not the scheme's own.
    public var environment: String { description.environment }
    /// The protected resource that its accounts are for alone, as that calls itself; nil for a provider of many.
    public var resource: String? { description.resource }
    /// The hosts to which its accounts' tokens go besides the environment: `api.git.example`, `*.git.example`.
    public var apiHosts: [HostPattern] { description.apiHosts }
    /// Whether a discovery document is read at sign-in.
    public var hasDiscovery: Bool { description.hasDiscovery }
    /// The endpoints that count in place of those of the document, by the names that such documents use.
    public var endpoints: [String: String] {
        var endpoints: [String: String] = [:]
        for (endpoint, url) in description.endpoints { endpoints[endpoint.rawValue] = url.text }
        return endpoints
    }
    /// The ways to sign in: `authorizationCode`, `deviceAuthorization`.
    public var flows: [String] {
        ProviderDescription.Flow.allCases.filter(description.flows.contains).map(\.rawValue)
    }
    /// Whether it replaces refresh tokens at each use: `yes`, `no` or `unknown`.
    public var rotation: String { description.rotation.rawValue }
    /// Where it differs from others.
    public var quirks: [String] {
        ProviderDescription.Quirk.allCases.filter(description.quirks.contains).map(\.rawValue)
    }
    /// The scopes that are asked for where nobody names any.
    public var defaultScopes: ScopeSet { description.defaultScopes }
    /// A PEM file on this machine with certificates that are trusted in requests to this provider alone.
    ///
    /// Of a provider that somebody with a group's key added, nil: a path says what this process reads and trusts.
    public var certificateFile: String? { description.certificateFile }
    /// Fields of its own that every authorization request carries.
    public var parameters: [String: String] { description.parameters }
    /// The client ids in its description.
    public var clientIDs: [String] { description.clientIDs }
    /// Its description, as ``Keyring/Providers/add(_:replacing:in:)`` reads it.
    public var document: [UInt8] { description.json }

    /// Whether accounts of `environment`, or of an alias of it, are its own.
    func serves(_ environment: String) -> Bool {
        EnvironmentAliases.areSame(self.environment, environment)
    }

    /// The provider for one tenant; nil where it has none, or the text is no tenant's id or domain.
    func with(tenant: String) -> IdentityProvider? {
        guard description.quirks.contains(.tenantIssuer), let issuer, Self.isTenant(tenant) else { return nil }
        // https://host/tenant/rest
        var pieces = issuer.split(separator: "/", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
        guard pieces.count >= 4 else { return nil }
        pieces[3] = tenant
        var own = description
        own.issuer = pieces.joined(separator: "/")
        return IdentityProvider(own, origin, by: writer)
    }

    /// The provider for another policy of Azure AD B2C; nil where it has none, or the text is no policy's name.
    func with(policy: String) -> IdentityProvider? {
        guard case .b2c(let own)? = description.authority?.kind, let issuer, Self.isTenant(policy) else { return nil }
        if Identifier.folded(own) == Identifier.folded(policy) { return self }
        return (try? Authority(issuer.dropLast("\(own)/v2.0".count) + policy)).flatMap(with)
    }

    /// The provider as another authority of the same kind on its host has it; nil for any other.
    func with(_ authority: Authority) -> IdentityProvider? {
        var own = description
        own.issuer = authority.address
        return description.authority != nil && own.authority != nil ? IdentityProvider(own, origin, by: writer) : nil
    }

    /// The tenant, or the word for many, that its issuer names.
    var tenant: String? {
        guard description.quirks.contains(.tenantIssuer), let issuer else { return nil }
        let pieces = issuer.split(separator: "/", maxSplits: 4, omittingEmptySubsequences: false)
        return pieces.count >= 4 ? String(pieces[3]) : nil
    }

    private static func isTenant(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
            && text.utf8.contains(where: \.isASCIIAlphanumeric)
    }
}
