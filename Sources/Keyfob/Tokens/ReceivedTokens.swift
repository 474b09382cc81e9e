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
    /// The account as the tenant sees it that gave the tokens, where a sound ID token says so.
    let profile: TenantProfile?
    /// The user name that it vouches for.
    let username: String?

    init(
        _ response: consuming TokenResponse, sentAt: Timestamp, replacesRefreshToken: Bool,
        hasSoundIDToken: Bool = true, profile: TenantProfile? = nil, username: String? = nil
    ) {
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

    /// A copy of the access token.
    func accessToken() -> SecretBytes {
        response.accessToken.withBytes { SecretBytes(copying: $0) }
    }
}

/// A refresh token that is about to be used.
final class HeldToken: Sendable {
    let secret: SecretBytes

    init(_ secret: consuming SecretBytes) {
        self.secret = secret
    }
}
