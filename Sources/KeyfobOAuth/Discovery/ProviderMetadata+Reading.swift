package import KeyfobSodium

extension ProviderMetadata {
    /// Reads a discovery document (OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2) of `expected`.
    ///
    /// The document's issuer must be the one asked, to the letter (RFC 8414, section 3.3), unless the rule says otherwise.
    /// An https issuer has https endpoints, one out there names none of this machine or its network, and those of an authority are its own. Without an endpoint that cannot be used, and
    /// that a sign-in does not need, what it is for is missing.
    ///
    /// - Parameter isOpenID: Whether it is one of OpenID Connect by where it was found; else it has to say so itself.
    /// - Throws: `badDocument`.
    package init(
        reading document: borrowing SecretBytes, issuer expected: String, rule: IssuerRule = .exact,
        isOpenID: Bool = false
    ) throws(DiscoveryFailure) {
        do {
            self = try document.withBytes { bytes throws(ProtocolViolation) in
                try Self.read(bytes, expected, rule, isOpenID)
            }
        } catch {
            throw .badDocument(error)
        }
    }

    /// What a document that is kept has for whether it is one of OpenID Connect.
    static let openIDMember = "keyfob_openid"
    static let aliasesMember = "mtls_endpoint_aliases"
    static let certificateMember = "tls_client_certificate_bound_access_tokens"
    private static let needed: Set<Endpoint> = [.authorization, .token]

    private static func read(
        _ bytes: RawSpan, _ expected: String, _ rule: IssuerRule, _ isOpenID: Bool
    ) throws(ProtocolViolation) -> ProviderMetadata {
        let fields = try JSONFields(reading: bytes)
        guard let issuer = fields.string("issuer", in: bytes) else { throw .missing("issuer") }
        guard rule.accepts(issuer, asked: expected) else { throw .otherIssuer }
        var metadata = ProviderMetadata(issuer: issuer)
        let home = try? EndpointURL(expected)
        let mayBeNamed = { (url: EndpointURL) in home.map(url.mayBeNamed) ?? true }
        for endpoint in Endpoint.allCases where fields.has(endpoint.rawValue, in: bytes) {
            guard let url = fields.string(endpoint.rawValue, in: bytes).flatMap({ try? EndpointURL($0) }),
                url.mayServe(issuer: expected), mayBeNamed(url), endpoint == .keys || rule.mayName(url, issuer: issuer)
            else {
                guard !needed.contains(endpoint) else { throw .badValue(endpoint.rawValue) }
                metadata.unusableEndpoints.append(endpoint)
                continue
            }
            metadata.endpoints[endpoint] = url
        }
        if let aliases = fields.object(aliasesMember, in: bytes) {
            for endpoint in Endpoint.allCases {
                // Of one that may not be named nothing is known: the usual one has to do.
                guard let usual = metadata.endpoints[endpoint],
                    let url = aliases.string(endpoint.rawValue, in: bytes).flatMap({ try? EndpointURL($0) }),
                    url.isSecure, mayBeNamed(url), rule.mayName(url, issuer: issuer),
                    url.isOfCloud(usual.environment)
                else { continue }
                metadata.mutualEndpoints[endpoint] = url
            }
        }
        metadata.bindsTokensToCertificates = fields.bool(certificateMember, in: bytes) ?? false
        metadata.namesIssuerInAnswers =
            fields.bool("authorization_response_iss_parameter_supported", in: bytes) ?? false
        metadata.scopes = fields.strings("scopes_supported", in: bytes)
        metadata.claims = fields.strings("claims_supported", in: bytes)
        metadata.challengeMethods = fields.strings("code_challenge_methods_supported", in: bytes)
        metadata.idTokenAlgorithms = fields.strings("id_token_signing_alg_values_supported", in: bytes)
        metadata.revocationMethods = fields.strings("revocation_endpoint_auth_methods_supported", in: bytes)
        metadata.grantTypes = fields.strings("grant_types_supported", in: bytes)
        metadata.clientMethods = fields.strings("token_endpoint_auth_methods_supported", in: bytes)
        metadata.clientAlgorithms = fields.strings("token_endpoint_auth_signing_alg_values_supported", in: bytes)
        metadata.proofAlgorithms = fields.strings("dpop_signing_alg_values_supported", in: bytes)
        metadata.requiresPush = fields.bool("require_pushed_authorization_requests", in: bytes) ?? false
        metadata.takesClientDocuments = fields.bool("client_id_metadata_document_supported", in: bytes) ?? false
        // Who has ID tokens says how they are signed (OpenID Connect Discovery, section 3).
        let tells = metadata.idTokenAlgorithms != nil || metadata.scopes?.contains("openid") ?? false
        metadata.isOpenID = isOpenID || fields.bool(openIDMember, in: bytes) ?? tells
        return metadata
    }
}
