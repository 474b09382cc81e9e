package import KeyfobModel

/// The keys of entities, as MSAL for Python derives them from the fields as they are written.
///
/// Python finds entities by their fields, but replaces and removes them by these keys.
package enum MSALEntityKey {
    /// The key of a token.
    package static func key(of credential: Credential, credentialType: String) -> String {
        let isPlain = Identifier.folded(credentialType) != "accesstoken_with_authscheme"
        let start = [
            credential.account.homeAccountID, credential.account.environment,
            isPlain ? MSALSection(credential.kind).rawValue : credentialType, credential.clientID,
        ]
        let end =
            switch credential.kind {
            case .accessToken: [credential.realm, credential.scopes.spaceSeparated]
            case .refreshToken: ["", credential.scopes.spaceSeparated]
            case .idToken: [credential.realm, ""]
            }
        // Python has no such type; the other SDKs put the scheme behind the scopes.
        let scheme = isPlain ? [] : [credential.effectiveTokenType]
        return lowered((start + end + scheme).joined(separator: "-"))
    }

    /// The key of an account as a tenant sees it.
    package static func key(of profile: TenantProfile, in account: AccountID) -> String {
        lowered([account.homeAccountID, profile.environment, profile.realm].joined(separator: "-"))
    }

    /// A text in small letters as Python makes them: a sigma at the end of a word has its own form there.
    private static func lowered(_ text: String) -> String {
        let sigma: Unicode.Scalar = "\u{3A3}"
        let scalars = Array(text.unicodeScalars)
        guard scalars.contains(sigma) else { return text.lowercased() }
        func isLetter(_ scalar: Unicode.Scalar?) -> Bool { scalar?.properties.isCased == true }
        var small = ""
        for (place, scalar) in scalars.enumerated() {
            let before = scalars[..<place].last { !$0.properties.isCaseIgnorable }
            let after = scalars[(place + 1)...].first { !$0.properties.isCaseIgnorable }
            let isFinal = scalar == sigma && isLetter(before) && !isLetter(after)
            small += isFinal ? "\u{3C2}" : scalar.properties.lowercaseMapping
        }
        return small
    }

    /// The key of a client's metadata; not in small letters: Python leaves this one as it is.
    package static func key(of metadata: AppMetadata) -> String {
        "appmetadata-\(Identifier.folded(metadata.environment))-\(metadata.clientID)"
    }
}

extension MSALSection {
    /// The section in which credentials of a kind are.
    package init(_ kind: Credential.Kind) {
        self =
            switch kind {
            case .accessToken: .accessToken
            case .refreshToken: .refreshToken
            case .idToken: .idToken
            }
    }
}
