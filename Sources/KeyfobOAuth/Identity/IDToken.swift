package import KeyfobModel
package import KeyfobSodium

/// What an ID token says (OpenID Connect Core, section 2).
///
/// Its signature is not looked at here.
package struct IDToken: Hashable, Sendable {
    /// How it is signed.
    package let algorithm: String
    /// With which of the issuer's keys.
    package let keyID: String?
    /// What it says.
    package let claims: Claims

    /// Whether it is signed with a secret that the client and the provider share, and by no public key.
    package var isSignedBySecret: Bool { ["HS256", "HS384", "HS512"].contains(algorithm) }

    /// The claims that are used.
    package struct Claims: Hashable, Sendable {
        /// `iss`.
        package var issuer: String
        /// `sub`: who, unique at the issuer.
        package var subject: String
        /// `aud`: the clients it is for; never empty.
        package var audience: [String]
        /// `azp`: the client it was issued to.
        package var authorizedParty: String?
        /// `exp`.
        package var expiresOn: Timestamp
        /// `iat`.
        package var issuedAt: Timestamp
        /// `nbf`.
        package var notBefore: Timestamp?
        /// `nonce`: what the authorization request sent.
        package var nonce: String?
        /// Microsoft's object id in the tenant.
        package var objectID: String?
        /// Microsoft's tenant.
        package var tenantID: String?
        /// `preferred_username`; may change.
        package var preferredUsername: String?
        /// `upn`, of Microsoft's older tokens.
        package var upn: String?
        /// `email`; need not be the person's own.
        package var email: String?
        /// `email_verified`: whether the provider says that it is.
        package var isEmailVerified = false
        /// `name`.
        package var name: String?
        /// The policy of Azure AD B2C by which somebody signed in: `tfp`, or `acr` of older ones.
        package var policy: String?
    }

    /// Reads header and claims; `alg` must be there and not `none`.
    package init(reading token: borrowing SecretBytes) throws(IDTokenFlaw) {
        self = try token.withBytes { bytes throws(IDTokenFlaw) in try Self.read(bytes) }
    }

    private init(algorithm: String, keyID: String?, claims: Claims) {
        self.algorithm = algorithm
        self.keyID = keyID
        self.claims = claims
    }

    private static func read(_ bytes: RawSpan) throws(IDTokenFlaw) -> IDToken {
        let dots = (0..<bytes.byteCount).filter { bytes.byte(at: $0) == UInt8(ascii: ".") }
        guard dots.count == 2 else { throw .notAToken }
        guard let header = Base64.url.decodeSecret(bytes.extracting(0..<dots[0])),
            let payload = Base64.url.decodeSecret(bytes.extracting(dots[0] + 1..<dots[1])),
            let signature = Base64.url.decodeSecret(bytes.extracting(dots[1] + 1..<bytes.byteCount))
        else { throw .notAToken }
        let (algorithm, keyID) = try header.withBytes { bytes throws(IDTokenFlaw) in try readHeader(bytes) }
        guard signature.count > 0 else { throw .algorithmRefused }
        do {
            let claims = try payload.withBytes { bytes throws(ProtocolViolation) in try Claims(reading: bytes) }
            return IDToken(algorithm: algorithm, keyID: keyID, claims: claims)
        } catch {
            throw .malformed(error)
        }
    }

    private static func readHeader(_ bytes: RawSpan) throws(IDTokenFlaw) -> (String, String?) {
        let fields: JSONFields
        do {
            fields = try JSONFields(reading: bytes)
        } catch {
            throw .malformed(error)
        }
        guard !fields.has("crit", in: bytes) else { throw .criticalExtension }
        guard let algorithm = fields.string("alg", in: bytes), Identifier.isAcceptable(algorithm),
            Identifier.folded(algorithm) != "none"
        else { throw .algorithmRefused }
        return (algorithm, fields.string("kid", in: bytes))
    }
}

extension IDToken.Claims {
    fileprivate init(reading bytes: RawSpan) throws(ProtocolViolation) {
        let fields = try JSONFields(reading: bytes)
        func text(_ name: String) throws(ProtocolViolation) -> String? {
            guard fields.has(name, in: bytes) else { return nil }
            guard let text = fields.string(name, in: bytes) else { throw .badValue(name) }
            return text.isEmpty ? nil : text
        }
        func time(_ name: String) throws(ProtocolViolation) -> Timestamp? {
            guard fields.has(name, in: bytes) else { return nil }
            guard let seconds = fields.integer(name, in: bytes) else { throw .badValue(name) }
            return Timestamp(seconds: seconds)
        }
        guard let issuer = try text("iss") else { throw .missing("iss") }
        guard let subject = try text("sub") else { throw .missing("sub") }
        guard Identifier.isAcceptable(subject) else { throw .badValue("sub") }
        guard let audience = fields.strings("aud", in: bytes), !audience.isEmpty else { throw .missing("aud") }
        guard let expiresOn = try time("exp") else { throw .missing("exp") }
        guard let issuedAt = try time("iat") else { throw .missing("iat") }
        self.init(
            issuer: issuer, subject: subject, audience: audience, authorizedParty: try text("azp"),
            expiresOn: expiresOn, issuedAt: issuedAt, notBefore: try time("nbf"), nonce: try text("nonce"),
            objectID: try text("oid"), tenantID: try text("tid"),
            preferredUsername: try text("preferred_username"), upn: try text("upn"),
            email: try text("email") ?? fields.strings("emails", in: bytes)?.first,
            isEmailVerified: fields.saysVerified(in: bytes), name: try text("name"),
            policy: fields.string("tfp", in: bytes) ?? fields.string("acr", in: bytes))
    }
}

extension JSONFields {
    /// Whether the person's own mail address is vouched for: some providers write the word.
    func saysVerified(in bytes: RawSpan) -> Bool {
        guard string("email", in: bytes) != nil else { return false }
        return bool("email_verified", in: bytes) ?? (string("email_verified", in: bytes) == "true")
    }
}
