package import KeyfobModel
package import KeyfobSodium

/// What a token endpoint gave (RFC 6749, section 5.1).
///
/// Of fields that do not matter for keeping the grant, one that cannot be read counts as absent: an answer that
/// carries a rotated refresh token is not thrown away for a bad `expires_in`.
package struct TokenResponse: ~Copyable, Sendable {
    /// The access token.
    package let accessToken: SecretBytes
    /// The refresh token; nil where the one that was used stays good.
    package let refreshToken: SecretBytes?
    /// The ID token.
    package let idToken: SecretBytes?
    /// What the answer says besides.
    package let details: Details

    /// The fields that are not secret.
    package struct Details: Hashable, Sendable {
        /// `Bearer` where the answer names none.
        package var tokenType = "Bearer"
        /// The scopes granted; nil where they are those asked for.
        package var scopes: ScopeSet?
        /// Seconds from now until the token expires.
        package var expiresIn: Int64?
        /// Seconds from now until it must not be used even while the provider is down.
        package var extendedExpiresIn: Int64?
        /// Seconds from now until it should be replaced; may be negative.
        package var refreshIn: Int64?
        /// Seconds from now until the refresh token expires, where the provider says so.
        package var refreshTokenExpiresIn: Int64?
        /// Who signed in, as Microsoft says it.
        package var clientInfo: ClientInfo?
        /// The family of clients that may redeem the refresh token.
        package var familyID: String?

        /// Whether the access token is bound to the key of the request's proof (RFC 9449, section 5).
        package var isBound: Bool { Identifier.folded(tokenType) == Credential.boundTokenType }

        /// An answer that says nothing besides the token.
        package init() {}
    }

    /// Reads the body of a successful answer.
    package init(reading body: borrowing SecretBytes) throws(ProtocolViolation) {
        let parts = try body.withBytes { bytes throws(ProtocolViolation) in try Parts(reading: bytes) }
        self = parts.response()
    }

    /// The refresh token in the body of an answer that is not what it should be; nil where none can be read.
    package static func refreshToken(in body: borrowing SecretBytes) -> SecretBytes? {
        body.withBytes { bytes in
            guard let fields = try? JSONFields(reading: bytes) else { return nil }
            return Parts.unlessEmpty(fields.secret("refresh_token", in: bytes))
        }
    }

    fileprivate init(
        _ access: consuming SecretBytes, _ refresh: consuming SecretBytes?, _ id: consuming SecretBytes?,
        _ details: Details
    ) {
        self.accessToken = access
        self.refreshToken = refresh
        self.idToken = id
        self.details = details
    }
}

/// What is read before the answer is made of it.
private struct Parts: ~Copyable {
    var access: SecretBytes
    var refresh: SecretBytes?
    var id: SecretBytes?
    var details: TokenResponse.Details

    init(reading bytes: RawSpan) throws(ProtocolViolation) {
        let fields = try JSONFields(reading: bytes)
        guard let access = fields.secret("access_token", in: bytes) else {
            throw fields.has("access_token", in: bytes) ? .badValue("access_token") : .missing("access_token")
        }
        // What cannot stand in a header, or does something to a terminal, is no token (RFC 6749, appendix A.12).
        let isVisible = access.withBytes { text in
            (0..<text.byteCount).allSatisfy { (0x20...0x7E).contains(text.byte(at: $0)) }
        }
        guard access.count > 0, isVisible else { throw .badValue("access_token") }
        var details = TokenResponse.Details()
        if let type = fields.string("token_type", in: bytes), Identifier.isAcceptable(type) {
            guard ["bearer", "pop", "dpop"].contains(Identifier.folded(type)) else { throw .unknownTokenType }
            details.tokenType = type
        }
        details.scopes = fields.string("scope", in: bytes).flatMap { text in
            // GitHub parts scopes by commas. An empty text says as little as none.
            let scopes = text.utf8.split { $0 == 0x20 || $0 == 0x2C }.map { String(Substring($0)) }
            return scopes.isEmpty ? nil : ScopeSet(scopes)
        }
        details.expiresIn = fields.integer("expires_in", in: bytes)
        details.extendedExpiresIn = fields.integer("ext_expires_in", in: bytes)
        details.refreshIn = fields.integer("refresh_in", in: bytes)
        details.refreshTokenExpiresIn = fields.integer("refresh_token_expires_in", in: bytes)
        if let encoded = fields.secret("client_info", in: bytes) { details.clientInfo = ClientInfo(encoded: encoded) }
        details.familyID = fields.string("foci", in: bytes).flatMap { (1...16).contains($0.utf8.count) ? $0 : nil }
        let refresh = fields.secret("refresh_token", in: bytes)
        self.access = access
        self.refresh = Self.unlessEmpty(refresh)
        self.id = Self.unlessEmpty(fields.secret("id_token", in: bytes))
        self.details = details
    }

    static func unlessEmpty(_ secret: consuming SecretBytes?) -> SecretBytes? {
        guard let secret, secret.count > 0 else { return nil }
        return secret
    }

    consuming func response() -> TokenResponse { TokenResponse(access, refresh, id, details) }
}
