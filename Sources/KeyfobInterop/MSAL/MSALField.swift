/// The fields of the unified cache's entities that Keyfob interprets, in every spelling the SDKs use.
package enum MSALField: UInt8, Hashable, Sendable, CaseIterable {
    case homeAccountID, environment, credentialType, clientID, secret, realm, target, cachedAt, expiresOn
    /// MSAL for Objective-C, Python, Go, Node; .NET writes both spellings.
    case extendedExpiresOn
    /// MSAL.NET.
    case extExpiresOn
    case refreshOn, tokenType
    /// MSAL for Python; the spelling that Keyfob writes.
    case keyID
    /// MSAL for Objective-C and .NET.
    case kid
    /// MSAL for Go.
    case keyid
    /// MSAL for Node.
    case keyIdInCamelCase
    case familyID, localAccountID, username, authorityType, name

    private static let spellings = [
        "home_account_id", "environment", "credential_type", "client_id", "secret", "realm", "target", "cached_at",
        "expires_on", "extended_expires_on", "ext_expires_on", "refresh_on", "token_type", "key_id", "kid", "keyid",
        "keyId", "family_id", "local_account_id", "username", "authority_type", "name",
    ]
    private static let fields = [String: MSALField](uniqueKeysWithValues: zip(spellings, allCases))

    /// The field with this spelling.
    init?(spelling: String) {
        guard let field = Self.fields[spelling] else { return nil }
        self = field
    }

    /// The field's name in the cache.
    package var spelling: String { Self.spellings[Int(rawValue)] }

    /// The field's place in a list of all of them.
    var index: Int { Int(rawValue) }
}
