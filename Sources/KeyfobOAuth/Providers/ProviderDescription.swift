package import KeyfobModel

/// An identity provider as data: what discovery does not say, or says wrongly.
package struct ProviderDescription: Hashable, Sendable {
    /// By which people choose it: `microsoft`, `gitlab`.
    package var name: String
    /// Its name for people.
    package var title: String
    /// The issuer, or nil for plain OAuth.
    package var issuer: String?
    /// The host under which its accounts are kept.
    package var environment: String
    /// The hosts of its services, to which its accounts' tokens go besides the environment.
    package var apiHosts: [HostPattern]
    /// The protected resource that its accounts are for alone, as that calls itself (RFC 9728); nil for a provider of many.
    package var resource: String?
    /// Whether there is a discovery document.
    package var hasDiscovery: Bool
    /// Endpoints that count in place of those of the document.
    package var endpoints: [ProviderMetadata.Endpoint: EndpointURL]
    /// The client ids to use, the first unless told otherwise; none are built in.
    package var clientIDs: [String]
    /// The scopes to ask for where nobody names any.
    package var defaultScopes: ScopeSet
    /// The flows it supports.
    package var flows: Set<Flow>
    /// Whether it replaces the refresh token at each use.
    package var rotation: Rotation
    /// Where it differs from others.
    package var quirks: Set<Quirk>
    /// A PEM file on this machine with certificates that are trusted in requests to this provider; an absolute path.
    package var certificateFile: String?
    /// Fields of its own that every authorization request carries; see ``AuthorizationParameters``.
    package var parameters: [String: String] = [:]
    /// Whether its resource takes no token that is not bound to a key (RFC 9449), so that every sign-in asks for such.
    package var bindsTokens = false

    /// A way to sign in.
    package enum Flow: String, Hashable, Sendable, CaseIterable {
        case authorizationCode
        case deviceAuthorization
    }

    /// Whether refresh tokens are replaced at each use.
    package enum Rotation: String, Hashable, Sendable, CaseIterable {
        case yes, no, unknown
    }

    /// Where a provider differs from others.
    package enum Quirk: String, Hashable, Sendable, CaseIterable {
        /// `client_info=1` asks for who signed in (Microsoft).
        case clientInfo
        /// The issuer of ID tokens has the tenant's id in it (Microsoft).
        case tenantIssuer
        /// Families of clients share refresh tokens (Microsoft).
        case families
        /// A refresh token that was replaced stays good (Microsoft).
        case toleratesReuse
        /// Access tokens without `expires_in` do not expire (GitHub).
        case tokensNeverExpire
        /// One refresh token serves every resource and tenant: each request names the scopes it wants (Microsoft).
        /// Elsewhere naming fewer scopes than were granted may narrow the grant for good.
        case multipleResources
        /// `access_type=offline` asks for a refresh token (Google).
        case accessTypeOffline
        /// Its issuer is an authority of Azure AD B2C: accounts of other policies are asked for at theirs.
        case b2c
        /// Its issuer is an authority of AD FS: a resource is named by a field of its own, not by a scope.
        case adfs
        /// Its issuer is an authority of Microsoft Entra External ID.
        case ciam
    }

    /// A description.
    package init(
        name: String, title: String, issuer: String?, environment: String, hasDiscovery: Bool = true,
        endpoints: [ProviderMetadata.Endpoint: EndpointURL] = [:], clientIDs: [String] = [],
        defaultScopes: ScopeSet = [], flows: Set<Flow> = [.authorizationCode], rotation: Rotation = .unknown,
        quirks: Set<Quirk> = [], apiHosts: [HostPattern] = []
    ) {
        self.name = name
        self.title = title
        self.issuer = issuer
        self.environment = environment
        self.apiHosts = apiHosts
        self.hasDiscovery = hasDiscovery
        self.endpoints = endpoints
        self.clientIDs = clientIDs
        self.defaultScopes = defaultScopes
        self.flows = flows
        self.rotation = rotation
        self.quirks = quirks
    }

    /// What is known without the network.
    package var configuredMetadata: ProviderMetadata { ProviderMetadata(issuer: issuer, endpoints: endpoints) }

    /// Fields that every token request carries for this provider; a resource is named in each (RFC 8707).
    package var tokenFields: TokenRequests.Extra {
        (quirks.contains(.clientInfo) ? [("client_info", "1")] : []) + (resource.map { [("resource", $0)] } ?? [])
    }

    /// Fields that every authorization request carries for this provider.
    package var authorizationFields: TokenRequests.Extra {
        tokenFields + (quirks.contains(.accessTypeOffline) ? [("access_type", "offline")] : [])
    }
}
