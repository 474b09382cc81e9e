package import KeyfobSodium

extension ProviderMetadata {
    /// Reads a discovery document (OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2) of `expected`.
    ///
    /// The document's issuer must be the one asked, to the letter (RFC 8414, section 3.3), unless the rule says otherwise.
    /// An https issuer has https endpoints, and those of an authority are its own.
    ///
    /// - Throws: `badDocument`.
    package init(
        reading document: borrowing SecretBytes, issuer expected: String, rule: IssuerRule = .exact
    ) throws(DiscoveryFailure) {
        do {
            self = try document.withBytes { bytes throws(ProtocolViolation) in
                try Self.read(bytes, expected, rule)
            }
        } catch {
            throw .badDocument(error)
        }
    }

    private static func read(
        _ bytes: RawSpan, _ expected: String, _ rule: IssuerRule
    ) throws(ProtocolViolation) -> ProviderMetadata {
        let fields = try JSONFields(reading: bytes)
        guard let issuer = fields.string("issuer", in: bytes) else { throw .missing("issuer") }
        guard rule.accepts(issuer, asked: expected) else { throw .otherIssuer }
        var metadata = ProviderMetadata(issuer: issuer)
        for endpoint in Endpoint.allCases where fields.has(endpoint.rawValue, in: bytes) {
            guard let url = fields.string(endpoint.rawValue, in: bytes).flatMap({ try? EndpointURL($0) }),
                url.mayServe(issuer: expected)
            else { throw .badValue(endpoint.rawValue) }
            guard endpoint == .keys || rule.mayName(url, issuer: issuer) else {
                // Nobody has to be asked there: an ID token says who signed in.
                if endpoint == .userInfo { continue }
                throw .badValue(endpoint.rawValue)
            }
            metadata.endpoints[endpoint] = url
        }
        metadata.namesIssuerInAnswers =
            fields.bool("authorization_response_iss_parameter_supported", in: bytes) ?? false
        metadata.scopes = fields.strings("scopes_supported", in: bytes)
        metadata.claims = fields.strings("claims_supported", in: bytes)
        metadata.challengeMethods = fields.strings("code_challenge_methods_supported", in: bytes)
        metadata.idTokenAlgorithms = fields.strings("id_token_signing_alg_values_supported", in: bytes)
        metadata.revocationMethods = fields.strings("revocation_endpoint_auth_methods_supported", in: bytes)
        metadata.grantTypes = fields.strings("grant_types_supported", in: bytes)
        return metadata
    }
}
