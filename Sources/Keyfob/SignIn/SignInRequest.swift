/// What a person signs in to, and what they are asked.
public struct SignInRequest: Hashable, Sendable {
    /// The provider: its name, its issuer, an authority of it, or the host under which its accounts are kept.
    public var provider: String
    /// The client; nil for the provider's default one.
    public var clientID: String?
    /// The tenant, where the provider has tenants.
    public var tenant: String?
    /// The scopes of the token; none for the client's or the provider's default ones.
    public var scopes: ScopeSet = []
    /// What the person signs in for: the scopes that the provider needs for it are asked for besides, and with
    /// ``account`` those that the account's token has already, where a provider gives each token its own.
    public var purposes: [SignInPurpose] = []
    /// Scopes to consent to now for later tokens.
    public var extraScopes: ScopeSet = []
    /// What the provider shows; nil leaves it to the provider.
    public var prompt: SignInPrompt?
    /// The user name to fill in.
    public var loginHint: String?
    /// The organisation whose sign-in page to go to.
    public var domainHint: String?
    /// A `claims` request (OpenID Connect Core, section 5.5), JSON.
    public var claims: String?
    /// Fields of the provider's own in the authorization request, such as `audience`, which are kept with the sign-in; nil for those
    /// of the account's last sign-in.
    public var parameters: [String: String]?
    /// Whether the tokens are to be bound to a key of this sign-in's own (DPoP, RFC 9449), so that they are of use to nobody without
    /// it.
    ///
    /// They are also where the provider gives no others, where its resource takes no others, and where those of the account's last
    /// sign-in are.
    public var bindsTokens = false
    /// Whether some time may pass until a browser opens the address.
    ///
    /// Then nothing is left with the provider that it forgets after a minute, unless it takes no other request.
    public var isOpenedLater = false
    /// How the person has to sign in, as a service's challenge names it (`acr_values`; RFC 9470).
    public var contexts: [String] = []
    /// How many seconds ago the person may have signed in at most (`max_age`); nil for whenever.
    public var maximumAge: Int64?
    /// Whether the answer comes as a form post, so that no browser history has it.
    public var usesFormPost = false
    /// Whether the person may be at home in another of Microsoft's clouds, where the sign-in then ends (MSAL's
    /// `instance_aware`).
    public var isInstanceAware = false
    /// Who is to sign in; nil for whoever does.
    ///
    /// The tokens of somebody else are not stored.
    public var account: AccountID?
    /// What to call the account where the provider does not say who signed in; nil for one that is signed in there already, or the
    /// provider's host.
    public var name: String?

    /// A request for a token of `provider`.
    public init(provider: String) {
        self.provider = provider
    }
}

/// What a provider shows (OpenID Connect Core, section 3.1.2.1), as MSAL calls it.
public enum SignInPrompt: String, Hashable, Sendable, CaseIterable {
    /// Nothing; an error where something must be asked.
    case none
    /// A choice among the accounts of the browser's session.
    case selectAccount = "select-account"
    /// The sign-in, whatever session there is.
    case login
    /// The consent.
    case consent
    /// The creation of an account.
    case create
}

/// Where a browser brings the answer: an address of this machine (RFC 8252, section 7.3).
public struct LoopbackRedirect: Hashable, Sendable {
    /// A host that is this machine, as redirect addresses name it.
    public enum Host: String, Hashable, Sendable, CaseIterable {
        /// The address of IPv4.
        case ipv4 = "127.0.0.1"
        /// The address of IPv6.
        case ipv6 = "[::1]"
        /// The name.
        case localhost
    }

    /// The host.
    public var host: Host
    /// The port; nil for any that is free.
    public var port: Int?
    /// The path, beginning with a slash, or empty.
    public var path: String

    /// A redirect.
    public init(host: Host, port: Int? = nil, path: String) {
        self.host = host
        self.port = port
        self.path = path
    }
}

/// Where a browser brings the answer of a sign-in.
public enum SignInRedirect: Hashable, Sendable {
    /// To a port of this machine (RFC 8252, section 7.3).
    case loopback(LoopbackRedirect)
    /// To the program that the desktop starts for the address's scheme (RFC 8252, section 7.1).
    case scheme(uri: String)
}

/// What a sign-in gave.
public struct SignInReport: Hashable, Sendable {
    /// Who signed in.
    public let account: Account
    /// The group the tokens are in.
    public let group: AccessGroup
    /// The client they were issued to.
    public let clientID: String
    /// The scopes of the token.
    public let scopes: ScopeSet
    /// The scopes that were asked for and not granted.
    public let declinedScopes: ScopeSet
    /// The scopes that the client's tokens for the account had before, and that none of them has any more.
    public internal(set) var lostScopes: ScopeSet = []
    /// Whether the account was not known before.
    public let isNew: Bool
    /// Whether a refresh token came; without one the sign-in lasts as long as its access token.
    public let hasRefreshToken: Bool
    /// When the access token ends; nil for one that is not known to.
    public let tokenEndsOn: Timestamp?

    /// Whether a person has to sign in again when the access token ends.
    public var endsWithToken: Bool { !hasRefreshToken && tokenEndsOn != nil }
}
