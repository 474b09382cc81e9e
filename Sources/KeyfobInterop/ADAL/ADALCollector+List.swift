internal import KeyfobModel

extension ADALCollector {
    /// Reads the JSON list of ADAL for Python.
    mutating func readList(_ bytes: RawSpan, offset: (Timestamp) -> Int64) throws(ADALCacheError) {
        let tape: JSONTape
        do {
            tape = try JSONTape(reading: bytes, limits: limits.json)
        } catch {
            throw .json(MSALCacheError(error))
        }
        guard tape.kind(of: tape.root) == .array else { throw .json(.notACache(.notAnObject)) }
        var isOfADAL = false
        for element in tape.elements(of: tape.root) {
            try take { () throws(ADALFinding.Reason) in
                guard tape.kind(of: element) == .object else { throw .notAnObject }
                var values: [ADALField: JSONTape.Value] = [:]
                for member in tape.members(of: element) {
                    guard let name = tape.string(of: member.name, in: bytes), let field = ADALField(jsonName: name),
                        tape.kind(of: member.value) != .null
                    else { continue }
                    values[field] = member.value
                }
                if !values.isEmpty { isOfADAL = true }
                return try Self.fields(values, tape, bytes, offset)
            }
        }
        guard isOfADAL else { throw .json(.notACache(.notAnObject)) }
    }

    private static func fields(
        _ values: [ADALField: JSONTape.Value], _ tape: JSONTape, _ bytes: RawSpan, _ offset: (Timestamp) -> Int64
    ) throws(ADALFinding.Reason) -> ADALFields {
        if values[.servicePrincipalID] != nil || values[.servicePrincipalTenant] != nil { throw .servicePrincipal }
        var fields = ADALFields()
        let texts: [ADALField] = [
            .userID, .clientID, .authority, .resource, .tokenType, .familyID, .objectID, .tenantID, .identityProvider,
            .givenName, .familyName,
        ]
        for field in texts {
            guard let value = values[field] else { continue }
            guard let text = tape.string(of: value, in: bytes) else { throw .notText(field) }
            if !text.isEmpty { fields.texts[field] = text }
        }
        fields.accessToken = try secret(.accessToken, values, tape, bytes)
        fields.refreshToken = try secret(.refreshToken, values, tape, bytes)
        fields.isMultiResource = values[.isMultiResource].map { tape.kind(of: $0) != .false } ?? true
        fields.identity.objectID = fields.texts[.objectID].flatMap { Identifier.isAcceptable($0) ? $0 : nil }
        fields.identity.tenantID = fields.texts[.tenantID].flatMap { Identifier.isAcceptable($0) ? $0 : nil }
        fields.identity.identityProvider = fields.texts[.identityProvider]
        fields.identity.name = ADALIdentity.name(fields.texts[.givenName], fields.texts[.familyName])
        func time(_ field: ADALField) -> Timestamp? {
            guard let value = values[field] else { return nil }
            return MSALTime.timestamp(of: value, on: tape, in: bytes)
                ?? tape.string(of: value, in: bytes).flatMap { ADALTime.timestamp($0, offset: offset) }
        }
        fields.expiresOn = time(.expiresOn)
        fields.cachedAt = time(.cachedAt)
        // The lifetime counts from when the token came.
        if fields.cachedAt == nil, let expiresOn = fields.expiresOn, let lifetime = values[.expiresIn],
            let seconds = MSALTime.timestamp(of: lifetime, on: tape, in: bytes)?.seconds, seconds <= expiresOn.seconds
        {
            fields.cachedAt = expiresOn.advanced(by: -seconds)
        }
        return fields
    }

    private static func secret(
        _ field: ADALField, _ values: [ADALField: JSONTape.Value], _ tape: JSONTape, _ bytes: RawSpan
    ) throws(ADALFinding.Reason) -> SecretLocation? {
        guard let value = values[field] else { return nil }
        guard let text = tape.text(of: value) else { throw .notText(field) }
        guard !text.range.isEmpty else { return nil }
        let secret = SecretLocation(text)
        if secret.isWritten(as: "<tombstone>", in: bytes) { throw .tombstone }
        return secret
    }
}
