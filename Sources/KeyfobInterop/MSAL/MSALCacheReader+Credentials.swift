internal import KeyfobModel

extension MSALCacheReader {
    /// More scopes than any provider gives at once.
    private static let mostScopes = 1_000

    /// Fields that tell two tokens apart which are otherwise for the same: the user they were got on
    /// behalf of, the claims they were asked with, the application that asked.
    private static let distinguishingFields: Set<String> = [
        "user_assertion_hash", "userAssertionHash", "requested_claims", "requestedClaims", "requestedClaimsHash",
        "application_cache_identifier", "enrollment_id", "redirect_uri",
    ]

    mutating func readAccessToken(_ entity: MSALEntity, _ bytes: RawSpan) throws(MSALFinding.Reason) -> Bool {
        var entity = entity
        guard let type = try credentialType(of: entity, in: .accessToken, bytes) else { return false }
        // A token for an extended key (a federated identity path, client claims) answers no plain request.
        let extendedKey = entity.additionalFields.first { $0.name == "ext_cache_key" }
        if let extendedKey, !["null", "\"\""].contains(extendedKey.json) { return false }
        if try entity.text(.homeAccountID, tape, bytes) == nil { throw .tokenOfAnApp }
        let tokenType = try entity.text(.tokenType, tape, bytes)
        guard tokenType != nil || type != "accesstoken_with_authscheme" else { throw .missing(.tokenType) }
        guard entity.value(.target, tape) != nil else { throw .missing(.target) }
        guard entity.value(.expiresOn, tape) != nil else { throw .missing(.expiresOn) }

        var credential = try credential(.accessToken, of: entity, in: .accessToken, bytes)
        credential.realm = shared(try entity.optionalIdentifier(.realm, tape, bytes))
        credential.scopes = try scopes(of: entity, bytes)
        credential.tokenType = tokenType
        if let written = try entity.text(.credentialType, tape, bytes),
            written != MSALCredentialType.usual(for: credential)
        {
            entity.keep(.credentialType, tape, bytes)
        }
        credential.additionalFields = AdditionalFields(entity.additionalFields)
        try add(credential, entity, .accessToken, bytes)
        return true
    }

    mutating func readRefreshToken(_ entity: MSALEntity, _ bytes: RawSpan) throws(MSALFinding.Reason) -> Bool {
        guard try credentialType(of: entity, in: .refreshToken, bytes) != nil else { return false }
        var credential = try credential(.refreshToken, of: entity, in: .refreshToken, bytes)
        credential.scopes = try scopes(of: entity, bytes)
        credential.familyID = try entity.text(.familyID, tape, bytes).map { shared($0) }
        credential.grant = Grant()
        try add(credential, entity, .refreshToken, bytes)
        return true
    }

    mutating func readIDToken(_ entity: MSALEntity, _ bytes: RawSpan) throws(MSALFinding.Reason) -> Bool {
        guard try credentialType(of: entity, in: .idToken, bytes) != nil else { return false }
        var credential = try credential(.idToken, of: entity, in: .idToken, bytes)
        credential.realm = shared(try entity.optionalIdentifier(.realm, tape, bytes))
        try add(credential, entity, .idToken, bytes)
        return true
    }

    /// The credential type in small letters, or nil for one that Keyfob does not know.
    private func credentialType(
        of entity: MSALEntity, in section: MSALSection, _ bytes: RawSpan
    ) throws(MSALFinding.Reason) -> String? {
        guard let text = try entity.text(.credentialType, tape, bytes) else { return section.credentialTypes.first }
        let type = Identifier.folded(text)
        if section.credentialTypes.contains(type) { return type }
        if MSALSection.allCases.contains(where: { $0.credentialTypes.contains(type) }) { throw .wrongSection }
        return nil
    }

    /// What all credentials have.
    private mutating func credential(
        _ kind: Credential.Kind, of entity: MSALEntity, in section: MSALSection, _ bytes: RawSpan
    ) throws(MSALFinding.Reason) -> Credential {
        var credential = Credential(
            kind: kind, account: try accountID(of: entity, bytes),
            clientID: shared(try entity.identifier(.clientID, tape, bytes)))
        for field in [MSALField.keyID, .kid, .keyid, .keyIdInCamelCase] {
            if let keyID = try entity.text(field, tape, bytes), credential.keyID == nil { credential.keyID = keyID }
        }
        credential.tokenType = try entity.text(.tokenType, tape, bytes)
        credential.cachedAt = time(.cachedAt, of: entity, section, bytes)
        credential.refreshOn = time(.refreshOn, of: entity, section, bytes)
        credential.extendedExpiresOn =
            time(.extendedExpiresOn, of: entity, section, bytes) ?? time(.extExpiresOn, of: entity, section, bytes)
        // What is valid for nobody knows how long is no use as an access token; other tokens are judged by
        // their provider.
        if section == .accessToken, let value = entity.value(.expiresOn, tape) {
            guard let time = MSALTime.timestamp(of: value, on: tape, in: bytes) else { throw .noTime(.expiresOn) }
            // So MSALCacheWriter writes a token that does not expire.
            credential.expiresOn = time.seconds == MSALTime.latest ? nil : time
        } else {
            credential.expiresOn = time(.expiresOn, of: entity, section, bytes)
        }
        credential.additionalFields = AdditionalFields(entity.additionalFields)
        return credential
    }

    /// A time without which the entity still makes sense.
    private mutating func time(
        _ field: MSALField, of entity: MSALEntity, _ section: MSALSection, _ bytes: RawSpan
    ) -> Timestamp? {
        guard let value = entity.value(field, tape) else { return nil }
        if let text = tape.text(of: value), text.range.isEmpty { return nil }
        let time = MSALTime.timestamp(of: value, on: tape, in: bytes)
        if time == nil { remark(section, entity.ordinal, .droppedTime(field)) }
        return time
    }

    private func scopes(of entity: MSALEntity, _ bytes: RawSpan) throws(MSALFinding.Reason) -> ScopeSet {
        guard let target = try entity.text(.target, tape, bytes) else { return [] }
        let scopes = target.split(maxSplits: Self.mostScopes) { $0 == " " || $0 == "\t" || $0 == "\n" }
        guard scopes.count <= Self.mostScopes, scopes.allSatisfy({ Identifier.isAcceptable(String($0)) }) else {
            throw .unacceptable(.target)
        }
        return ScopeSet(scopes.map(String.init))
    }

    private mutating func add(
        _ credential: Credential, _ entity: MSALEntity, _ section: MSALSection, _ bytes: RawSpan
    ) throws(MSALFinding.Reason) {
        guard let value = entity.value(.secret, tape) else { throw .missing(.secret) }
        guard let text = tape.text(of: value) else { throw .notText(.secret) }
        guard !text.range.isEmpty else { throw .missing(.secret) }
        let secret = SecretLocation(text)
        if secret.isWritten(as: "<tombstone>", in: bytes) { throw .tombstone }
        skip(
            credentials.add(
                .init(
                    element: .init(credential: credential, secret: secret), section: section,
                    ordinal: entity.ordinal, hasSmallKey: entity.hasSmallKey,
                    time: modificationTime(credential)),
                identity: Self.identity(of: credential)))
    }

    /// When the token came, for telling the newer from the older.
    private func modificationTime(_ credential: Credential) -> Int64 {
        if let cachedAt = credential.cachedAt { return cachedAt.seconds }
        let modified = credential.additionalFields.fields.first { $0.name == "last_modification_time" }
        let digits = modified?.json.drop { $0 == "\"" }.prefix { $0.isWholeNumber }
        return digits.flatMap { Int64($0) } ?? 0
    }

    /// The same for credentials that are for the same.
    ///
    /// A refresh token's scopes do not count: it serves all.
    static func identity(of credential: Credential) -> String {
        var parts = [
            credential.kind.rawValue, credential.account.homeAccountID, credential.account.environment,
            credential.clientID, credential.realm, credential.familyID ?? "", credential.effectiveTokenType,
        ]
        if credential.kind == .accessToken {
            parts += credential.scopes.scopes.sorted()
            for field in credential.additionalFields.fields where distinguishingFields.contains(field.name) {
                parts.append(field.json)
            }
        }
        // A key's id is the only part in which case matters.
        return Identifier.folded(parts.joined(separator: "\u{0}")) + "\u{0}" + (credential.keyID ?? "")
    }
}
