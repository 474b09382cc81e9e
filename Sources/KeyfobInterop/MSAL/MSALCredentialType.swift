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

    /// The type under which a credential is written.
    static func written(of credential: Credential) -> String {
        let brought = credential.additionalFields.fields.first { $0.name == "credential_type" }
        let type = credential.kind == .accessToken ? brought.flatMap { plainText($0.json) } : nil
        return type ?? usual(for: credential)
    }

    /// The text of a JSON string without escapes.
    private static func plainText(_ json: String) -> String? {
        guard json.utf8.count > 2, json.hasPrefix("\""), json.hasSuffix("\""), !json.contains("\\") else { return nil }
        return String(json.dropFirst().dropLast())
    }
}
