/// What a silent request allows besides what it asks for.
public struct SilentOptions: Hashable, Sendable {
    /// Whether a stored access token does not count: a new one is wanted.
    public var forcesRefresh: Bool
    /// A `claims` request (OpenID Connect Core, section 5.5), JSON; a stored access token does not count then.
    public var claims: String?
    /// Whether an access token that has expired may be used in its extended lifetime while the provider is down.
    public var allowsExtendedLifetime: Bool

    /// Options.
    public init(forcesRefresh: Bool = false, claims: String? = nil, allowsExtendedLifetime: Bool = false) {
        self.forcesRefresh = forcesRefresh
        self.claims = claims
        self.allowsExtendedLifetime = allowsExtendedLifetime
    }

    var ignoresStored: Bool { forcesRefresh || claims != nil }
}
