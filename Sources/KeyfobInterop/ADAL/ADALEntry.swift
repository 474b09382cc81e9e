internal import KeyfobModel

/// The fields of one entry, found but not yet judged; the same for both forms of the cache.
struct ADALFields {
    var texts: [ADALField: String] = [:]
    var accessToken: SecretLocation?
    var refreshToken: SecretLocation?
    var expiresOn: Timestamp?
    var cachedAt: Timestamp?
    /// False for a refresh token that serves one resource only.
    var isMultiResource = true
    var identity = ADALIdentity()
}

/// One entry that makes sense: whose token it is, from where and for what.
struct ADALEntry {
    let ordinal: Int
    let userID: String
    let clientID: String
    let authority: Authority
    /// Empty for a refresh token that serves every resource.
    let resource: String
    let tokenType: String?
    let familyID: String?
    let homeAccountID: String?
    let identity: ADALIdentity
    let accessToken: SecretLocation?
    let refreshToken: SecretLocation?
    let isMultiResource: Bool
    let expiresOn: Timestamp?
    let cachedAt: Timestamp?

    init(_ fields: ADALFields, ordinal: Int) throws(ADALFinding.Reason) {
        func identifier(_ field: ADALField, _ value: String?) throws(ADALFinding.Reason) -> String {
            guard let value, value.utf8.contains(where: { $0 != 0x20 }) else { throw .missing(field) }
            guard Identifier.isAcceptable(value) else { throw .unacceptable(field) }
            return value
        }
        func optional(_ field: ADALField) throws(ADALFinding.Reason) -> String? {
            guard let value = fields.texts[field], !value.isEmpty else { return nil }
            return try identifier(field, value)
        }
        guard fields.accessToken != nil || fields.refreshToken != nil else { throw .noToken }
        self.ordinal = ordinal
        userID = try identifier(.userID, fields.texts[.userID] ?? fields.identity.userID)
        clientID = try identifier(.clientID, fields.texts[.clientID])
        let address = try identifier(.authority, fields.texts[.authority])
        guard let authority = try? Authority(address) else { throw .unacceptable(.authority) }
        self.authority = authority
        resource = try optional(.resource) ?? ""
        // One scope has no spaces in it.
        guard !resource.utf8.contains(0x20) else { throw .unacceptable(.resource) }
        tokenType = try optional(.tokenType)
        familyID = try optional(.familyID)
        homeAccountID = try optional(.homeAccountID)
        identity = fields.identity
        accessToken = fields.accessToken
        refreshToken = fields.refreshToken
        isMultiResource = fields.isMultiResource
        expiresOn = fields.expiresOn
        cachedAt = fields.cachedAt
    }

    /// The tenant that issued the access token, as far as the entry tells.
    var tenant: String { authority.ownTenant ?? identity.tenantID ?? authority.tenant }

    /// The home account id that the object id makes, if the entry comes from the tenant the person is at home in.
    var derivedHomeAccountID: String? {
        guard let objectID = identity.objectID, let tenant = identity.tenantID ?? authority.ownTenant else {
            return nil
        }
        if let provider = identity.identityProvider, !Identifier.folded(provider).contains(Identifier.folded(tenant)) {
            return nil
        }
        return objectID + "." + tenant
    }
}
