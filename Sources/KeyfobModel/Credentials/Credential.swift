/// What is known of a token besides the token.
public struct Credential: Hashable, Sendable {
    /// Which token it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A token for a resource (RFC 6749, section 1.4).
        case accessToken = "access_token"
        /// A token that gets further tokens (RFC 6749, section 1.5).
        case refreshToken = "refresh_token"
        /// Who signed in (OpenID Connect Core, section 2).
        case idToken = "id_token"
    }

    /// Which token it is.
    public var kind: Kind
    /// Whose it is.
    public var account: AccountID
    /// The OAuth client it was issued to.
    public var clientID: String
    /// The tenant that issued it; empty for refresh tokens, which serve every tenant.
    public var realm: String
    /// The scopes granted; empty for ID tokens.
    public var scopes: ScopeSet
    /// The family whose clients may redeem it (refresh tokens of Microsoft), usually `1`.
    public var familyID: String?
    /// `Bearer`, `pop`, `ssh-cert`, …; nil means bearer.
    public var tokenType: String?
    /// The key a token of another type than bearer is bound to.
    public var keyID: String?
    /// When it was stored by whoever got it.
    public var cachedAt: Timestamp?
    /// When it stops being valid; nil where it does not expire or nobody knows.
    public var expiresOn: Timestamp?
    /// Until when it may be used while the provider is down.
    public var extendedExpiresOn: Timestamp?
    /// When it should be replaced although it is still valid.
    public var refreshOn: Timestamp?
    /// For refresh tokens, the grant they stand for.
    public var grant: Grant?
    /// The fields that Keyfob does not interpret.
    public var additionalFields: AdditionalFields

    /// The client of a token that its provider gave out by itself, or of which nobody knows to which client.
    package static let noClient = "personal-access-token"

    /// A credential; what is not given is not known.
    public init(
        kind: Kind, account: AccountID, clientID: String, realm: String = "", scopes: ScopeSet = [],
        familyID: String? = nil, tokenType: String? = nil, keyID: String? = nil,
        cachedAt: Timestamp? = nil, expiresOn: Timestamp? = nil, extendedExpiresOn: Timestamp? = nil,
        refreshOn: Timestamp? = nil, grant: Grant? = nil,
        additionalFields: AdditionalFields = AdditionalFields()
    ) {
        self.kind = kind
        self.account = account
        self.clientID = clientID
        self.realm = realm
        self.scopes = scopes
        self.familyID = familyID
        self.tokenType = tokenType
        self.keyID = keyID
        self.cachedAt = cachedAt
        self.expiresOn = expiresOn
        self.extendedExpiresOn = extendedExpiresOn
        self.refreshOn = refreshOn
        self.grant = grant
        self.additionalFields = additionalFields
    }
}

extension Credential {
    /// How an access token stands at a moment.
    public enum Freshness: Hashable, Sendable {
        /// To be handed out.
        case fresh
        /// Valid, but past the moment at which it should be replaced: given where no newer one can be had.
        case aging
        /// Expired, about to be, or not valid for as long as was asked for.
        case expired
        /// Stored at a time that has not come yet: no clock here can vouch for it.
        case fromTheFuture
    }

    /// How the token stands at `now` for a caller who needs it valid for `minimumValidity` seconds, or for
    /// ``usualMargin`` where that is nil; then one that is valid for less is aging while ten seconds are left.
    ///
    /// A token that expires exactly then is still valid, as in MSAL for Objective-C and Python
    /// (MSAL.NET calls it expired).
    public func freshness(now: Timestamp, minimumValidity: Int64?) -> Freshness {
        if let cachedAt, cachedAt > now { return .fromTheFuture }
        if let expiresOn, expiresOn < now.advanced(by: minimumValidity ?? usualMargin) {
            let isUsable = minimumValidity == nil && expiresOn >= now.advanced(by: Self.leastValidity)
            return isUsable ? .aging : .expired
        }
        if let refreshOn, refreshOn < now { return .aging }
        return .fresh
    }

    /// For how many seconds before its end a token is not fresh any more where nobody says for how long it is needed: a
    /// tenth of its lifetime, at least 1 and at most 300, or 300 where its lifetime is not known.
    public var usualMargin: Int64 {
        guard let cachedAt, let expiresOn else { return Self.longestMargin }
        let (lifetime, overflow) = expiresOn.seconds.subtractingReportingOverflow(cachedAt.seconds)
        return overflow ? Self.longestMargin : Self.usualMargin(ofLifetime: lifetime)
    }

    /// The same for a token that is valid for so many seconds from now on.
    package static func usualMargin(ofLifetime seconds: Int64) -> Int64 {
        max(1, min(longestMargin, seconds / 10))
    }

    private static let longestMargin: Int64 = 300
    /// The seconds for which a token must be valid to be of any use to whoever gets it.
    private static let leastValidity: Int64 = 10

    /// The token type in small letters, `bearer` where none is stored.
    public var effectiveTokenType: String {
        tokenType.map(Identifier.folded) ?? "bearer"
    }

    /// The token type of credentials of a role of AWS's, which are kept beside the tokens by which they were got.
    package static let roleTokenType = "aws-role"

    /// Whether it is no token of OAuth's, and of no use but to who got it.
    package var isRole: Bool { effectiveTokenType == Self.roleTokenType }

    /// The token type of tokens that are bound to a key (RFC 9449), in small letters.
    package static let boundTokenType = "dpop"

    /// The token type of those that are bound to a certificate (RFC 8705), which providers call bearer tokens.
    package static let certifiedTokenType = "mTLS"

    /// Whether the token is of use with the certificate alone that is part of its secret; a refresh token is so marked for the access
    /// tokens that come of it.
    package var isCertified: Bool { effectiveTokenType == "mtls" }

    /// Whether the token is of use with proofs of a key, or with a certificate, alone.
    package var isBound: Bool { isProved || isCertified }

    /// Whether the token is of use with proofs of a key alone, which is part of its secret.
    package var isProved: Bool { effectiveTokenType == Self.boundTokenType }

    /// Whether no other program has any use for it.
    package var isKeyfobs: Bool { isRole || isBound }

    /// On behalf of whom (a hash of the user assertion) and for which claims a token was issued, as some MSAL libraries
    /// store it to keep such tokens apart.
    ///
    /// A request that names neither is never answered with a token that has one.
    public var partition: [AdditionalFields.Field] {
        let names = [
            "user_assertion_hash", "userAssertionHash", "requested_claims", "requestedClaims", "requestedClaimsHash",
        ]
        return additionalFields.fields.filter { names.contains($0.name) }
    }

    /// Whether this token is older than `other`, as far as both tell: by when they were stored, or by the
    /// `last_modification_time` that caches give refresh tokens, or else by when they expire.
    public func isOlder(than other: Credential) -> Bool {
        if let mine = storedAt, let theirs = other.storedAt {
            if mine != theirs { return mine < theirs }
        }
        if let mine = expiresOn, let theirs = other.expiresOn { return mine < theirs }
        return false
    }

    /// Whether this token came before `other`: by when they were stored, and of tokens of the same second by their end.
    package func cameBefore(_ other: Credential) -> Bool {
        let (never, always) = (Timestamp(seconds: .min), Timestamp(seconds: .max))
        return (cachedAt ?? never, expiresOn ?? always) < (other.cachedAt ?? never, other.expiresOn ?? always)
    }

    /// When it was stored, or changed last, by whoever got it.
    package var storedAt: Timestamp? { lastModified ?? cachedAt }

    /// The `last_modification_time` among the additional fields: seconds, as a number or as text.
    private var lastModified: Timestamp? {
        guard let field = additionalFields.fields.first(where: { $0.name == "last_modification_time" }) else {
            return nil
        }
        let digits = field.json.utf8.drop { $0 == UInt8(ascii: "\"") }.prefix { $0.isASCIIDigit }
        return Int64(String(Substring(digits))).map(Timestamp.init(seconds:))
    }

    /// Whether saving this access token makes `other` obsolete: same account, client, realm and token type, and a scope in
    /// common (MSAL's rule), where scopes of OpenID Connect do not count beside others.
    public func supersedes(_ other: Credential) -> Bool {
        guard kind == other.kind, account == other.account, clientID == other.clientID,
            partition == other.partition
        else { return false }
        switch kind {
        case .accessToken:
            return Identifier.folded(realm) == Identifier.folded(other.realm)
                && effectiveTokenType == other.effectiveTokenType && keyID == other.keyID
                && scopes.isForSame(as: other.scopes)
        case .idToken: return Identifier.folded(realm) == Identifier.folded(other.realm)
        case .refreshToken: return familyID == other.familyID
        }
    }
}
