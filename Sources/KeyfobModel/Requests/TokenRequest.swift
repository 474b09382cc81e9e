/// What a caller asks for: a token, for somebody, for something.
public struct TokenRequest: Hashable, Sendable {
    /// The account as the user typed it: an id, a user name, a label, or the beginning of one.
    public var account: String?
    /// Whether ``account`` is what surrounds whoever asks, such as `KEYFOB_ACCOUNT`, and not their own word.
    public var isUsual: Bool
    /// The user that the address names: an account's name, or what stands in one before the `@`.
    ///
    /// Where whoever asks names an account besides, both have to mean the same.
    public var login: String?
    /// The host of the provider.
    public var environment: String?
    /// The tenant.
    public var realm: String?
    /// The policy of Azure AD B2C by which the account came; nil for any, and where there are none.
    public var policy: String?
    /// The OAuth client.
    public var clientID: String?
    /// The scopes that the token must have.
    public var scopes: ScopeSet
    /// For how many more seconds the token must be valid; nil where whoever asks leaves that to
    /// ``Credential/usualMargin``, and would rather have a token that ends sooner than none.
    public var minimumValidity: Int64?
    /// The token type, in small letters.
    public var tokenType: String
    /// Whether one that is bound to a key is taken too (RFC 9449), by somebody who sends proofs of the key with it.
    package var takesProofs = false
    /// Whether one that is bound to a certificate is taken too (RFC 8705), by somebody who shows that certificate.
    package var takesCertificates = false
    /// What the token is used for, where the tool that asks tells: a stored token whose scopes do for it goes before others.
    package var purpose: SignInPurpose?
    /// The program that wants the token, where whoever asks has said which; in ``context`` stands else the one that calls.
    package var namedTool: String?
    /// Where the request comes from and what it is for.
    ///
    /// Where it has a URL, only an account whose tokens go to that host is chosen.
    public var context: RequestContext
    /// A host, with `:port` where the port is not the scheme's own, to which the token of the account that the request
    /// names may go although it is not one of its provider's; without ``account`` it means nothing.
    public var allowedHost: String?

    /// A request; what is not given is not restricted.
    public init(
        account: String? = nil, login: String? = nil, environment: String? = nil, realm: String? = nil,
        clientID: String? = nil, scopes: ScopeSet = [], minimumValidity: Int64? = nil,
        tokenType: String = "bearer", context: RequestContext = RequestContext(), allowedHost: String? = nil
    ) {
        self.account = account
        isUsual = false
        self.login = login
        self.environment = environment
        self.realm = realm
        self.clientID = clientID
        self.scopes = scopes
        self.minimumValidity = minimumValidity
        self.tokenType = tokenType
        self.context = context
        self.allowedHost = allowedHost
    }

    /// Names the account, in the order in which that counts: what whoever asks says; the user in the address, with whom that
    /// must agree; what surrounds them.
    package mutating func name(asked: String?, login: String?, usual: String?) {
        account = asked ?? (login == nil ? usual : nil)
        isUsual = asked == nil && account != nil
        self.login = login
    }

    /// Whether something names the account.
    package var isNamed: Bool { account != nil || login != nil }

    /// Whether an account is at another provider than the one asked for, or came by another policy.
    package func excludes(_ id: AccountID) -> Bool {
        if let environment, !EnvironmentAliases.areSame(environment, id.environment) { return true }
        return policy.map { Identifier.folded($0) != id.policy.map(Identifier.folded) } ?? false
    }
}

extension TokenRequest {
    /// Whether whoever asks has any use for a token by what it is bound to.
    package func takes(_ token: Credential) -> Bool {
        if token.isCertified { return takesCertificates }
        return takesProofs || !token.isBound
    }
}
