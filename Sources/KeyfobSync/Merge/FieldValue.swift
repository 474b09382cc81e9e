package import KeyfobModel

/// What a field holds.
package enum FieldValue: Hashable, Sendable {
    /// A name, or the value of a setting.
    case text(String)
    /// A JSON value that Keyfob does not interpret.
    case json(String)
    /// An account as a tenant sees it.
    case profile(TenantProfile)
    /// What is known of a client.
    case metadata(AppMetadata)
    /// What is known of an ID token or an access token, and which token it is.
    case token(Credential, SecretDigest?)
    /// Which JSON a foreign entity holds.
    case secret(SecretDigest)

    func append(to bytes: inout CanonicalBytes) {
        switch self {
        case .text(let text):
            bytes.append(1 as UInt64)
            bytes.append(text)
        case .json(let json):
            bytes.append(2 as UInt64)
            bytes.append(json)
        case .profile(let profile):
            bytes.append(3 as UInt64)
            bytes.append(profile)
        case .metadata(let metadata):
            bytes.append(4 as UInt64)
            bytes.append(metadata)
        case .token(let credential, let digest):
            bytes.append(5 as UInt64)
            bytes.append(credential)
            bytes.append(optional: digest) { $0.append($1.bytes) }
        case .secret(let digest):
            bytes.append(6 as UInt64)
            bytes.append(digest.bytes)
        }
    }

    /// Which secret goes with the value.
    var secret: SecretDigest? {
        switch self {
        case .token(_, let digest): digest
        case .secret(let digest): digest
        case .text, .json, .profile, .metadata: nil
        }
    }
}

extension CanonicalBytes {
    mutating func append(_ profile: TenantProfile) {
        append(profile.realm)
        append(profile.localAccountID)
        append(profile.environment)
        append(profile.username)
        append(optional: profile.displayName) { $0.append($1) }
        append(optional: profile.authorityType) { $0.append($1) }
        append(profile.additionalFields)
    }

    mutating func append(_ metadata: AppMetadata) {
        append(metadata.clientID)
        append(metadata.environment)
        switch metadata.family {
        case .unknown: append(0 as UInt64)
        case .none: append(1 as UInt64)
        case .member(let id):
            append(2 as UInt64)
            append(id)
        }
        append(metadata.additionalFields)
    }

    mutating func append(_ credential: Credential) {
        append(credential.kind.rawValue)
        append(credential.account.homeAccountID)
        append(credential.account.environment)
        append(credential.clientID)
        append(credential.realm)
        append(UInt64(credential.scopes.scopes.count))
        for scope in credential.scopes.scopes { append(scope) }
        for text in [credential.familyID, credential.tokenType, credential.keyID] {
            append(optional: text) { $0.append($1) }
        }
        let times = [credential.cachedAt, credential.expiresOn, credential.extendedExpiresOn, credential.refreshOn]
        for time in times { append(optional: time) { $0.append($1.seconds) } }
        append(optional: credential.grant) { bytes, grant in
            bytes.append(grant.state.name)
            if case .needsSignIn(let reason) = grant.state { bytes.append(reason) }
            bytes.append(grant.epoch)
            bytes.append(grant.generation)
            bytes.append(optional: grant.rotates) { $0.append($1 ? 1 : 0 as UInt64) }
        }
        append(credential.additionalFields)
    }
}
