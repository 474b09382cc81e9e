public import KeyfobOAuth
internal import KeyfobSodium

/// A request for a token, with how far one may go to get it.
public struct TokenAcquisition: Sendable {
    /// What is asked for.
    public var request: TokenRequest
    /// The groups to look through, in order; nil for all within reach.
    public var groups: [AccessGroup]?
    /// What is allowed besides.
    public var options: SilentOptions
    /// Whether of several accounts that fit none is taken because a program may have the tokens of no other.
    package var takesChosenAlone = false
    /// Whether a person may be asked what the program may have.
    package var mayAskPerson = true
    /// Opens the network; nil where only what is stored may answer.
    ///
    /// Called at most once, and only where something is about to be sent.
    public var network: (@Sendable () throws(KeyringError) -> Network)?
    /// Where machines that share a refresh token take turns to redeem it, by what people call the place of their sync.
    ///
    /// Who asks for a token cannot leave it out; tests have places of their own.
    package var turns: @Sendable (_ remote: String, Network) -> RefreshTurns? = EtcdTurns.turns

    /// A request; without a network it is answered from what is stored.
    public init(
        _ request: TokenRequest, in groups: [AccessGroup]? = nil, options: SilentOptions = SilentOptions(),
        network: (@Sendable () throws(KeyringError) -> Network)? = nil
    ) {
        self.request = request
        self.groups = groups
        self.options = options
        self.network = network
    }

    /// Whether the stored access token will not do.
    var ignoresStored: Bool { options.ignoresStored && network != nil }
}

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

    /// Whether ``claims`` is a JSON object of at most 16 KiB, where it is there.
    package var areClaimsUsable: Bool {
        guard let claims else { return true }
        guard claims.utf8.count <= 16_384,
            let tape = try? Array(claims.utf8).withBytes({ try JSONTape(reading: $0) })
        else { return false }
        return tape.kind(of: tape.root) == .object
    }
}

/// What is stored for a ``TokenAcquisition``.
public enum TokenLookup: ~Copyable {
    /// The token.
    case found(Keyring.TokenAnswer)
    /// None that will do: the network is needed.
    case missing(MissingToken)
}

/// A token that a refresh has to get: whose it is has been found out, and nothing has been sent yet.
public struct MissingToken: Sendable {
    let acquisition: TokenAcquisition
    let plan: TokenRequestSnapshot
    /// When it was looked for.
    package let askedAt: Timestamp
}
