internal import KeyfobOAuth

/// Tokens on their way from a provider to the store and to the caller.
///
/// A class, because what cannot be copied cannot be captured.
final class ReceivedTokens: Sendable {
    let response: TokenResponse
    /// When the request was sent: lifetimes count from there.
    let sentAt: Timestamp
    /// Whether a refresh token came that is not the one that was used.
    let replacesRefreshToken: Bool
    /// Whether the ID token, if one came, is this provider's for this client; no other is stored.
    let hasSoundIDToken: Bool
    /// The key whose proof the request had, to which a refresh token may be bound; nil where it had none.
    let key: ProofKey?
    /// The certificate that the access token is bound to; nil where it is not.
    let identity: ClientIdentity?
    /// The account as the tenant sees it that gave the tokens, where a sound ID token says so.
    let profile: TenantProfile?
    /// The user name that it vouches for.
    let username: String?

    init(
        _ response: consuming TokenResponse, sentAt: Timestamp, replacesRefreshToken: Bool,
        hasSoundIDToken: Bool = true, key: ProofKey? = nil, identity: ClientIdentity? = nil,
        profile: TenantProfile? = nil, username: String? = nil
    ) {
        self.key = key
        self.identity = identity
        self.profile = profile
        self.username = username
        self.hasSoundIDToken = hasSoundIDToken
        self.response = response
        self.sentAt = sentAt
        self.replacesRefreshToken = replacesRefreshToken
    }

    /// The request that revokes the refresh token, where one came.
    func revocation(_ client: borrowing OAuthClient, _ provider: ProviderMetadata) -> HTTPRequest? {
        response.revocation(client, provider)
    }

    /// The key that the access token is bound to; nil where it is of use by itself.
    var accessKey: ProofKey? { response.details.isBound ? key : nil }

    /// The type of the access token, by what it is bound to.
    var tokenType: String { identity == nil ? response.details.tokenType : Credential.certifiedTokenType }

    /// Whether the tokens are of no use to whoever has them alone.
    var isBound: Bool { key != nil || identity != nil }

    /// The access token as it is kept, with the key or the certificate that it is bound to.
    func accessToken() -> SecretBytes {
        if let accessKey { return BoundToken.joined(response.accessToken, accessKey) }
        if let identity { return CertifiedToken.joined(response.accessToken, identity) }
        return response.accessToken.withBytes { SecretBytes(copying: $0) }
    }

    /// Lends the refresh token as it is kept, with the key whose proof goes with it; nil where there is none.
    func withRefreshToken<Result>(_ body: (borrowing SecretBytes) throws -> Result) rethrows -> Result? {
        guard let key else { return try response.withRefreshToken(body) }
        return try response.withRefreshToken { try body(BoundToken.joined($0, key)) }
    }
}

/// A refresh token that is about to be used.
final class HeldToken: Sendable {
    let secret: SecretBytes

    init(_ secret: consuming SecretBytes) {
        self.secret = secret
    }
}
