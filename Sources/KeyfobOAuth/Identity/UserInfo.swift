internal import KeyfobModel
package import KeyfobSodium

extension IDToken.Claims {
    /// Reads what a userinfo endpoint says (OpenID Connect Core, section 5.3.2), or GitHub's likeness of it, whose
    /// `id` and `login` stand for `sub` and `preferred_username`.
    ///
    /// - Parameter mayLackSubject: Whether it is no OpenID provider's.
    ///
    /// Times and audience say nothing: the answer came for a token that had just been issued.
    package init(
        userInfo document: borrowing SecretBytes, issuer: String, mayLackSubject: Bool
    ) throws(ProtocolViolation) {
        self = try document.withBytes { bytes throws(ProtocolViolation) in
            let fields = try JSONFields(reading: bytes)
            var subject = fields.string("sub", in: bytes)
            if subject == nil, mayLackSubject {
                subject = fields.integer("id", in: bytes).map { String($0) } ?? fields.string("id", in: bytes)
            }
            guard let subject else { throw .missing("sub") }
            guard Identifier.isAcceptable(subject) else { throw .badValue("sub") }
            return IDToken.Claims(
                issuer: issuer, subject: subject, audience: [], expiresOn: Timestamp(seconds: 0),
                issuedAt: Timestamp(seconds: 0),
                preferredUsername: fields.string("preferred_username", in: bytes) ?? fields.string("login", in: bytes)
                    ?? fields.string("username", in: bytes),
                email: fields.string("email", in: bytes), isEmailVerified: fields.saysVerified(in: bytes),
                name: fields.string("name", in: bytes))
        }
    }

    /// Reads what a server says of an access token that it has just given out (RFC 7662, section 2.2).
    ///
    /// - Throws: `missing` where it tells nobody; `badValue` for a token that is not good, or another client's.
    package init(
        introspection document: borrowing SecretBytes, issuer: String, clientID: String
    ) throws(ProtocolViolation) {
        self = try document.withBytes { bytes throws(ProtocolViolation) in
            let fields = try JSONFields(reading: bytes)
            guard fields.bool("active", in: bytes) == true else { throw .badValue("active") }
            guard fields.string("client_id", in: bytes) ?? clientID == clientID else { throw .badValue("client_id") }
            let username = fields.string("username", in: bytes)
            guard let subject = fields.string("sub", in: bytes) ?? username else { throw .missing("sub") }
            guard Identifier.isAcceptable(subject) else { throw .badValue("sub") }
            return IDToken.Claims(
                issuer: issuer, subject: subject, audience: [], expiresOn: Timestamp(seconds: 0),
                issuedAt: Timestamp(seconds: 0), preferredUsername: username, email: nil, isEmailVerified: false,
                name: nil)
        }
    }
}
