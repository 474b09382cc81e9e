package import KeyfobModel
internal import KeyfobSodium

/// The registration of a client by itself (RFC 7591).
package enum RegistrationMessage {
    /// The request (section 3.1).
    ///
    /// - Parameter key: The key by which the client will sign who it is; nil for one that does not.
    package static func request(
        name: String, redirectURIs: [String], scopes: ScopeSet, _ authentication: OAuthClient.Authentication,
        key: ProofKey? = nil, at endpoint: EndpointURL
    ) -> HTTPRequest {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("client_name", name)
        writer.member("redirect_uris", redirectURIs)
        writer.member("grant_types", ["authorization_code", "refresh_token"])
        writer.member("response_types", ["code"])
        writer.member("token_endpoint_auth_method", authentication.rawValue)
        writer.member("application_type", "native")
        if let key {
            writer.name("jwks")
            writer.raw(#"{"keys":[\#(key.registeredJSON)]}"#)
        }
        if !scopes.isEmpty { writer.member("scope", scopes.spaceSeparated) }
        writer.endObject()
        return HTTPRequest(
            posting: writer.bytes.withBytes { SecretBytes(copying: $0) }, to: endpoint,
            answerLimit: HTTPResponse.bodyLimit)
    }

    /// A request that redeems nothing: from the answer shows whether a server still knows a client.
    package static func probe(
        _ client: borrowing OAuthClient, redirectURI: String, at endpoint: EndpointURL
    ) -> HTTPRequest {
        client.request(to: endpoint) { form in
            form.append("grant_type", "authorization_code")
            form.append("code", "none")
            form.append("redirect_uri", redirectURI)
            form.append("code_verifier", String(repeating: "0", count: 43))
        }
    }
}
