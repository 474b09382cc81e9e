/// What a refused token request asked for.
public struct RefusedRequest: Hashable, Sendable {
    /// The client that asked.
    public var clientID: String
    /// The tenant that was asked; empty where the provider has none.
    public var tenant: String
    /// The scopes as they were asked for; none means the provider's default ones.
    public var scopes: ScopeSet
    /// Whether the scopes went along: where a provider gives those of the sign-in to each request, they do not count.
    public var namesScopes: Bool
    /// The `claims` request that went along (OpenID Connect Core, section 5.5), JSON.
    public var claims: String?

    /// A request.
    public init(
        clientID: String, tenant: String = "", scopes: ScopeSet = [], namesScopes: Bool = true, claims: String? = nil
    ) {
        self.namesScopes = namesScopes
        self.clientID = clientID
        self.tenant = tenant
        self.scopes = scopes
        self.claims = claims
    }

    /// Whether both ask the same tenant.
    package func isAtTenant(of other: RefusedRequest) -> Bool {
        Identifier.folded(tenant) == Identifier.folded(other.tenant)
    }

    /// Whether both ask for the same; scopes of OpenID Connect go with each request and do not count.
    package func isSame(as other: RefusedRequest) -> Bool {
        clientID == other.clientID && isAtTenant(of: other) && claims == other.claims
            && (!namesScopes && !other.namesScopes || scopes.ofResources == other.scopes.ofResources)
    }
}
