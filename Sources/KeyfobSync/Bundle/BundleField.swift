extension BundleError {
    /// The fields of a bundle that this build knows, as an error names them.
    package enum Field: String, Hashable, Sendable, CaseIterable {
        // The manifest.
        case formatVersion, minorVersion, purpose, vault, header, device, created, groups, counts, digestKey
        // The last line.
        case end, records, digest, mac
        // Every record.
        case kind, group, stamps, record, deleted, fields, thisDeviceOnly, owners, secret, secretBase64
        // Accounts.
        case account, id, homeAccountID, environment, username, displayName, label, formerNames, proved, tenantProfiles
        case localAccountID, authorityType, additionalFields
        // Credentials.
        case credential, clientID, tenant, scopes, familyID, tokenType, keyID
        case cachedOn, expiresOn, extendedExpiresOn, refreshOn
        case grant, state, reason, epoch, generation, rotates, known, ended
        // The rest.
        case appMetadata, family, clientSecret, setting, name, value, foreign, section, key, tombstone
    }
}
