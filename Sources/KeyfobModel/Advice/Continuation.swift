/// How a person continues where a request for a token was refused: what to do, and all that a sign-in has to repeat.
public struct Continuation: Hashable, Sendable {
    /// Names it on this machine; nil where it is not kept.
    public var id: String?
    /// What to do.
    public var action: RefusalRemedy
    /// The host of the provider; empty where only ``name`` says whose account it is.
    public var provider: String
    /// The account's id; empty where it is known by its ``name`` alone.
    public var account: String
    /// The account as it can be typed.
    public var name: String
    /// The group that the account is in, where it has to be named.
    public var group: AccessGroup?
    /// The tenant; nil for the one that the provider chooses.
    public var tenant: String?
    /// The client; nil for the account's own or the provider's default one.
    public var clientID: String?
    /// The scopes; none for the default ones.
    public var scopes: ScopeSet
    /// A `claims` request (OpenID Connect Core, section 5.5), JSON.
    public var claims: String?
    /// How a person has to sign in, as `acr_values` name it (RFC 9470).
    public var contexts: [String] = []
    /// How many seconds ago a person may have signed in at most (`max_age`).
    public var maximumAge: Int64?

    /// A continuation; what is not given is not repeated.
    public init(
        _ action: RefusalRemedy = .signIn, id: String? = nil, provider: String = "", account: String = "",
        name: String, group: AccessGroup? = nil, tenant: String? = nil, clientID: String? = nil,
        scopes: ScopeSet = [], claims: String? = nil
    ) {
        self.action = action
        self.id = id
        self.provider = provider
        self.account = account
        self.name = name
        self.group = group
        self.tenant = tenant
        self.clientID = clientID
        self.scopes = scopes
        self.claims = claims
    }
}
