internal import KeyfobModel
package import KeyfobSodium

// What may be missing, lent to other modules, which cannot look into an optional that they may not copy.

extension TokenResponse {
    /// Lends the refresh token; nil where there is none.
    package borrowing func withRefreshToken<Result>(
        _ body: (borrowing SecretBytes) throws -> Result
    ) rethrows -> Result? {
        switch refreshToken {
        case .some(let token): try body(token)
        case .none: nil
        }
    }

    /// Lends the ID token; nil where there is none.
    package borrowing func withIDToken<Result>(
        _ body: (borrowing SecretBytes) throws -> Result
    ) rethrows -> Result? {
        switch idToken {
        case .some(let token): try body(token)
        case .none: nil
        }
    }

    /// Whether a refresh token came.
    package borrowing func hasRefreshToken() -> Bool { withRefreshToken { _ in true } ?? false }

    /// Whether an ID token came.
    package borrowing func hasIDToken() -> Bool { withIDToken { _ in true } ?? false }
}

extension TokenResponse {
    /// The request that revokes the refresh token; nil where none came, or the provider revokes nothing.
    package borrowing func revocation(
        _ client: borrowing OAuthClient, _ provider: ProviderMetadata
    ) -> HTTPRequest? {
        guard let endpoint = provider.endpoints[.revocation] else { return nil }
        switch refreshToken {
        case .some(let token):
            return provider.revokesByBearer(client)
                ? TokenRequests.revoke(token, kind: .refreshToken, bearer: accessToken, at: endpoint)
                : TokenRequests.revoke(token, kind: .refreshToken, client: client, at: endpoint)
        case .none: return nil
        }
    }
}
