/// The fields of ADAL's token cache entries that Keyfob interprets.
package enum ADALField: String, Hashable, Sendable, CaseIterable {
    case userID, clientID, authority, resource, accessToken, refreshToken, tokenType, familyID, homeAccountID
    case expiresOn, expiresIn, cachedAt, isMultiResource
    case objectID, tenantID, identityProvider, givenName, familyName
    case servicePrincipalID, servicePrincipalTenant

    /// The field that ADAL for Python and Azure CLI call so.
    init?(jsonName: String) {
        guard let field = Self.jsonNames[jsonName] else { return nil }
        self = field
    }

    /// The field that ADAL for Objective-C archives under this key.
    init?(archiveKey: String) {
        guard let field = Self.archiveKeys[archiveKey] else { return nil }
        self = field
    }

    /// The name that people see.
    package var name: String {
        switch self {
        case .userID: "user id"
        case .clientID: "client id"
        case .authority, .resource: rawValue
        case .accessToken: "access token"
        case .refreshToken: "refresh token"
        case .tokenType: "token type"
        case .familyID: "family id"
        case .homeAccountID: "home account id"
        case .expiresOn: "expiry"
        case .expiresIn: "lifetime"
        case .cachedAt: "time of storing"
        case .isMultiResource: "mark of a token for all resources"
        case .objectID: "object id"
        case .tenantID: "tenant id"
        case .identityProvider: "identity provider"
        case .givenName: "given name"
        case .familyName: "family name"
        case .servicePrincipalID: "service principal"
        case .servicePrincipalTenant: "service principal's tenant"
        }
    }

    private static let jsonNames: [String: ADALField] = [
        "userId": .userID, "_clientId": .clientID, "_authority": .authority, "resource": .resource,
        "accessToken": .accessToken, "refreshToken": .refreshToken, "tokenType": .tokenType, "familyId": .familyID,
        "expiresOn": .expiresOn, "expiresIn": .expiresIn, "createdOn": .cachedAt, "isMRRT": .isMultiResource,
        "oid": .objectID, "tenantId": .tenantID, "identityProvider": .identityProvider, "givenName": .givenName,
        "familyName": .familyName, "servicePrincipalId": .servicePrincipalID,
        "servicePrincipalTenant": .servicePrincipalTenant,
    ]
    private static let archiveKeys: [String: ADALField] = [
        "clientId": .clientID, "authority": .authority, "resource": .resource, "accessToken": .accessToken,
        "refreshToken": .refreshToken, "accessTokenType": .tokenType, "familyId": .familyID,
        "homeAccountId": .homeAccountID, "expiresOn": .expiresOn, "cachedAt": .cachedAt,
    ]
}
