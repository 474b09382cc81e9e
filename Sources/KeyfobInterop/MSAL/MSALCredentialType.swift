internal import KeyfobModel

/// What stands in `credential_type`.
enum MSALCredentialType {
    /// The type under which a credential is written unless it brought another.
    static func usual(for credential: Credential) -> String {
        switch credential.kind {
        case .accessToken: credential.effectiveTokenType == "bearer" ? "AccessToken" : "AccessToken_With_AuthScheme"
        case .refreshToken: "RefreshToken"
        case .idToken: "IdToken"
        }
    }
}
