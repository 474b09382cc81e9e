package import KeyfobModel
package import KeyfobSodium

extension MSALCacheWriter {
    /// What became of something that was to be written.
    package enum Outcome: Hashable, Sendable {
        /// It was written.
        case written
        /// It was not, because the secret is not UTF-8, which is all that JSON can hold.
        case secretIsNotText
    }

    /// Writes a token into its section, which must be the one at hand.
    ///
    /// MSAL for Python fails for a whole cache in which one access token has no `expires_on`; a token that
    /// does not expire is written to expire with the year 9999, and so read back.
    package mutating func append<Failure: Error>(
        _ credential: Credential, secret: borrowing SecretBytes,
        to output: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) -> Outcome {
        let isText = secret.withBytes { (try? UTF8Span(validating: Span(_bytes: $0))) != nil }
        guard isText else { return .secretIsNotText }
        let isAccessToken = credential.kind == .accessToken
        let credentialType = MSALCredentialType.written(of: credential)
        let expiresOn = credential.expiresOn ?? (isAccessToken ? Timestamp(seconds: MSALTime.latest) : nil)
        let environment = Identifier.folded(credential.account.environment)

        beginEntity(
            MSALEntityKey.key(of: credential, credentialType: credentialType), in: MSALSection(credential.kind))
        fields(
            [
                "credential_type": credentialType,
                "home_account_id": credential.account.homeAccountID,
                "environment": environment,
                "client_id": credential.clientID,
                "realm": credential.kind == .refreshToken ? nil : credential.realm,
                "target": target(of: credential),
                "family_id": credential.familyID,
                "token_type": credential.tokenType,
                "key_id": credential.keyID,
                "cached_at": text(credential.cachedAt),
                "expires_on": text(expiresOn),
                "extended_expires_on": text(credential.extendedExpiresOn),
                "refresh_on": text(credential.refreshOn),
            ], credential.additionalFields)
        try endEntity(secret: secret, to: output)
        return .written
    }

    /// The JSON of a token alone; nil where the secret is not text.
    package static func entity(_ credential: Credential, secret: borrowing SecretBytes) -> SecretBytes? {
        var writer = MSALCacheWriter()
        writer.begin(MSALSection(credential.kind))
        var whole = SecretBuffer(capacity: 2 * pieceCount + 6 * secret.count)
        guard case .written = writer.append(credential, secret: secret, to: { whole.append($0) }) else { return nil }
        writer.finish { whole.append($0) }
        return whole.withBytes { bytes in
            guard let tape = try? JSONTape(reading: bytes),
                let section = tape.member(MSALSection(credential.kind).rawValue, of: tape.root, in: bytes),
                let entity = tape.members(of: section).first(where: { _ in true })
            else { return nil }
            return SecretBytes(copying: bytes.extracting(tape.range(of: entity.value)), placement: .recycled)
        }
    }

    /// Writes an account into its section, which must be the one at hand: one entity for each tenant.
    package mutating func append<Failure: Error>(
        _ account: Account, to output: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        for profile in account.tenantProfiles {
            beginEntity(MSALEntityKey.key(of: profile, in: account.id), in: .account)
            fields(
                [
                    "home_account_id": account.id.homeAccountID,
                    "environment": Identifier.folded(profile.environment),
                    "realm": profile.realm,
                    "local_account_id": profile.localAccountID,
                    "username": profile.username,
                    // Python wants one in every entity.
                    "authority_type": profile.authorityType ?? (profile.realm == "adfs" ? "ADFS" : "MSSTS"),
                    "name": profile.displayName,
                ], profile.additionalFields)
            try endEntity(to: output)
        }
    }

    /// Writes what is known of a client into its section, which must be the one at hand.
    ///
    /// That nothing is known is written by writing nothing.
    package mutating func append<Failure: Error>(
        _ metadata: AppMetadata, to output: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        let familyID: String?
        switch metadata.family {
        case .unknown: return
        case .none: familyID = nil
        case .member(let family): familyID = family
        }
        beginEntity(MSALEntityKey.key(of: metadata), in: .appMetadata)
        fields(
            [
                "client_id": metadata.clientID,
                "environment": Identifier.folded(metadata.environment),
                "family_id": familyID,
            ], metadata.additionalFields)
        try endEntity(to: output)
    }

    private func target(of credential: Credential) -> String? {
        switch credential.kind {
        case .accessToken: credential.scopes.spaceSeparated
        case .refreshToken: credential.scopes.isEmpty ? nil : credential.scopes.spaceSeparated
        case .idToken: nil
        }
    }

    private func text(_ time: Timestamp?) -> String? { time.map { String($0.seconds) } }
}
