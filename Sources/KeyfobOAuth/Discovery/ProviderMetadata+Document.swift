internal import KeyfobModel

extension ProviderMetadata {
    /// What is used of a discovery document, as one: ``init(reading:issuer:rule:)`` reads it.
    package var document: String {
        var writer = JSONWriter()
        writer.beginObject()
        if let issuer {
            writer.name("issuer")
            writer.string(issuer)
        }
        for endpoint in Endpoint.allCases {
            let isUnusable = unusableEndpoints.contains(endpoint)
            writer.member(endpoint.rawValue, endpoints[endpoint]?.text ?? (isUnusable ? "" : nil))
        }
        let flags = [
            (Self.openIDMember, isOpenID), ("authorization_response_iss_parameter_supported", namesIssuerInAnswers),
            ("client_id_metadata_document_supported", takesClientDocuments),
            ("require_pushed_authorization_requests", requiresPush),
            (Self.certificateMember, bindsTokensToCertificates),
        ]
        for (name, flag) in flags {
            writer.name(name)
            writer.bool(flag)
        }
        let lists: [(String, [String]?)] = [
            ("scopes_supported", scopes), ("claims_supported", claims),
            ("code_challenge_methods_supported", challengeMethods),
            ("id_token_signing_alg_values_supported", idTokenAlgorithms), ("grant_types_supported", grantTypes),
            ("token_endpoint_auth_methods_supported", clientMethods),
            ("token_endpoint_auth_signing_alg_values_supported", clientAlgorithms),
            ("revocation_endpoint_auth_methods_supported", revocationMethods),
            ("dpop_signing_alg_values_supported", proofAlgorithms),
        ]
        for (name, list) in lists {
            if let list { writer.member(name, list) }
        }
        writer.name(Self.aliasesMember)
        writer.beginObject()
        for endpoint in Endpoint.allCases { writer.member(endpoint.rawValue, mutualEndpoints[endpoint]?.text) }
        writer.endObject()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
