internal import KeyfobModel
package import KeyfobSodium

/// The client that a server has registered (RFC 7591, section 3.2.1), which may have more or less than was asked for.
package struct RegistrationAnswer: ~Copyable, Sendable {
    /// The client id.
    package let id: String
    /// How the client says who it is.
    package let authentication: OAuthClient.Authentication
    /// Those of the redirect addresses asked for that were registered.
    package let redirectURIs: [String]
    /// By what name the server knows its private key; nil where it has none.
    package let keyID: String?
    /// Its secret, or its private key; empty where it has none.
    private let secret: SecretBytes

    /// The secret, when nothing else is wanted any more; nil where there is none.
    package consuming func takeSecret() -> SecretBytes? {
        guard authentication != .none else { return nil }
        return .some(secret)
    }

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - redirectURIs: Those that were asked for: without one of them no answer would come here.
    ///   - key: The key whose public half was told; nil where none was.
    /// - Throws: `missing`, `badValue`.
    package init(
        reading document: borrowing SecretBytes, redirectURIs asked: [String], key: ProofKey? = nil
    ) throws(ProtocolViolation) {
        self = try document.withBytes { bytes throws(ProtocolViolation) in
            try Self.read(bytes, asked, key)
        }
    }

    private init(
        id: String, authentication: OAuthClient.Authentication, redirectURIs: [String], keyID: String? = nil,
        secret: consuming SecretBytes
    ) {
        self.id = id
        self.authentication = authentication
        self.redirectURIs = redirectURIs
        self.keyID = keyID
        self.secret = secret
    }

    private static func read(
        _ bytes: RawSpan, _ asked: [String], _ key: ProofKey?
    ) throws(ProtocolViolation) -> RegistrationAnswer {
        let fields = try JSONFields(reading: bytes)
        guard let id = fields.string("client_id", in: bytes) else { throw .missing("client_id") }
        guard Identifier.isAcceptable(id) else { throw .badValue("client_id") }
        let given = fields.strings("redirect_uris", in: bytes).map { list in asked.filter(list.contains) }
        let redirectURIs = given ?? asked
        guard !redirectURIs.isEmpty else { throw .badValue("redirect_uris") }
        let secret = fields.secret("client_secret", in: bytes) ?? SecretBytes(count: 0) { _ in }
        var authentication = secret.count > 0 ? OAuthClient.Authentication.basic : .none
        // Who says no method means that of the secret (section 2).
        if let name = fields.string("token_endpoint_auth_method", in: bytes) {
            guard let known = OAuthClient.Authentication(rawValue: name), known != .certificate else {
                throw .badValue("token_endpoint_auth_method")
            }
            authentication = known
        }
        if authentication == .signed {
            guard let key, let own = try? ClientKey(key) else { throw .badValue("token_endpoint_auth_method") }
            return RegistrationAnswer(
                id: id, authentication: authentication, redirectURIs: redirectURIs, keyID: key.thumbprint,
                secret: own.pem())
        }
        guard authentication == .none || secret.count > 0 else { throw .missing("client_secret") }
        return RegistrationAnswer(
            id: id, authentication: authentication, redirectURIs: redirectURIs, secret: secret)
    }
}
