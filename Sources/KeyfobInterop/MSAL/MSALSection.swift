/// A part of the unified cache that Keyfob understands, in the order in which they are written.
package enum MSALSection: String, Hashable, Sendable, CaseIterable {
    case accessToken = "AccessToken"
    case refreshToken = "RefreshToken"
    case idToken = "IdToken"
    case account = "Account"
    case appMetadata = "AppMetadata"

    /// The fields that are interpreted here; the others are kept as they are.
    var interpretedFields: [MSALField] {
        let credential: [MSALField] = [
            .homeAccountID, .environment, .credentialType, .clientID, .secret, .tokenType, .keyID, .kid, .keyid,
            .keyIdInCamelCase, .cachedAt, .expiresOn, .extendedExpiresOn, .extExpiresOn, .refreshOn,
        ]
        return switch self {
        case .accessToken: credential + [.realm, .target]
        case .refreshToken: credential + [.target, .familyID]
        case .idToken: credential + [.realm]
        case .account:
            [.homeAccountID, .environment, .realm, .localAccountID, .username, .authorityType, .name]
        case .appMetadata: [.clientID, .environment, .familyID]
        }
    }

    /// The fields of which an entity has at least one; an object without any is something else.
    var marks: [MSALField] {
        switch self {
        case .accessToken, .refreshToken, .idToken:
            [.homeAccountID, .environment, .credentialType, .clientID, .secret]
        case .account: [.homeAccountID, .environment, .realm, .localAccountID, .username, .authorityType]
        case .appMetadata: [.clientID, .environment, .familyID]
        }
    }

    /// The credential types whose place is this section, in small letters.
    var credentialTypes: [String] {
        switch self {
        case .accessToken: ["accesstoken", "accesstoken_with_authscheme"]
        case .refreshToken: ["refreshtoken", "familyrefreshtoken"]
        case .idToken: ["idtoken"]
        case .account, .appMetadata: []
        }
    }
}
