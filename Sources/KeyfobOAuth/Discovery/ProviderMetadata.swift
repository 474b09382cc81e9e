/// What is known of a provider: its discovery document, with what is configured in its place.
package struct ProviderMetadata: Hashable, Sendable {
    /// An endpoint, by the name discovery documents give it.
    package enum Endpoint: String, Hashable, Sendable, CaseIterable {
        case authorization = "authorization_endpoint"
        case token = "token_endpoint"
        case deviceAuthorization = "device_authorization_endpoint"
        case revocation = "revocation_endpoint"
        case endSession = "end_session_endpoint"
        case userInfo = "userinfo_endpoint"
        case keys = "jwks_uri"
        case introspection = "introspection_endpoint"
        case registration = "registration_endpoint"
        case pushedAuthorization = "pushed_authorization_request_endpoint"
    }

    /// The issuer, exactly as ID tokens name it; nil for plain OAuth.
    package var issuer: String?
    /// The endpoints that are known.
    package var endpoints: [Endpoint: EndpointURL]
    /// Whether it speaks OpenID Connect, so that `openid` is a scope of its and an ID token says who signed in.
    package var isOpenID: Bool
    /// Whether authorization answers always carry `iss` (RFC 9207).
    package var namesIssuerInAnswers = false
    /// The endpoints that its document names and that cannot be used, of those that no sign-in needs.
    package var unusableEndpoints: [Endpoint] = []
    /// The endpoints in whose place clients with a certificate ask elsewhere (RFC 8705, section 5).
    package var mutualEndpoints: [Endpoint: EndpointURL] = [:]
    /// Whether it can bind access tokens to certificates (RFC 8705, section 3.3).
    package var bindsTokensToCertificates = false
    /// Whether an authorization request has to be left with the provider first (RFC 9126).
    package var requiresPush = false
    /// The algorithms of the proofs of keys that it takes (RFC 9449); nil where it names none.
    package var proofAlgorithms: [String]?
    /// The scopes the provider names; nil where it names none.
    package var scopes: [String]?
    /// The claims that it says it can tell; nil where it names none.
    package var claims: [String]?
    /// The PKCE methods it names; nil where it names none.
    package var challengeMethods: [String]?
    /// The algorithms of its ID tokens; nil where it names none.
    package var idTokenAlgorithms: [String]?
    /// The grant types it names; nil where it names none.
    package var grantTypes: [String]?
    /// How its token endpoint lets clients say who they are; nil where it does not say.
    package var clientMethods: [String]?
    /// The algorithms by which clients may sign who they are; nil where it does not say.
    package var clientAlgorithms: [String]?
    /// Whether a client id may be the address of the client's own document.
    package var takesClientDocuments = false
    /// How its revocation endpoint wants to be told who asks; nil where it does not say.
    package var revocationMethods: [String]?

    /// Whether proofs can be made that it takes, for all that it says.
    package var takesProofs: Bool { proofAlgorithms?.contains("ES256") ?? true }

    /// Whether revocation takes not the word of a public client, but an access token of the same sign-in in the
    /// `Authorization` header (RFC 6750).
    package func revokesByBearer(_ client: borrowing OAuthClient) -> Bool {
        guard let revocationMethods, client.authentication == .none else { return false }
        return revocationMethods.contains("bearer") && !revocationMethods.contains("none")
    }

    /// Metadata without a document: what is configured.
    ///
    /// Who names keys for ID tokens describes a provider of OpenID Connect.
    package init(issuer: String?, endpoints: [Endpoint: EndpointURL] = [:]) {
        self.issuer = issuer
        self.endpoints = endpoints
        isOpenID = issuer != nil && endpoints[.keys] != nil
    }

    /// Whether an answer can say who signed in.
    package var tellsNames: Bool {
        isOpenID || endpoints[.userInfo] != nil || endpoints[.introspection] != nil
    }

    /// Whether the issuer stands for any tenant's (`{tenantid}` in it).
    package var isTemplate: Bool { issuer.map { $0.contains(IssuerTemplate.placeholder) } ?? false }

    /// The metadata with configured endpoints in place of those of the document.
    package func overridden(by overrides: [Endpoint: EndpointURL]) -> ProviderMetadata {
        var metadata = self
        metadata.endpoints.merge(overrides) { $1 }
        // What is configured is meant for clients with a certificate too.
        for endpoint in overrides.keys { metadata.mutualEndpoints[endpoint] = nil }
        return metadata
    }

    /// Where a client with a certificate asks in place of each address.
    var aliases: [EndpointURL: EndpointURL] {
        var aliases: [EndpointURL: EndpointURL] = [:]
        for endpoint in Endpoint.allCases {
            guard let url = endpoints[endpoint] else { continue }
            if let alias = mutualEndpoints[endpoint], aliases[url] == nil { aliases[url] = alias }
        }
        return aliases
    }

    /// An endpoint that must be there.
    ///
    /// - Throws: `endpointMissing`; `noPKCE` for the authorization endpoint of a provider that names its PKCE
    ///   methods without S256.
    package func require(_ endpoint: Endpoint) throws(DiscoveryFailure) -> EndpointURL {
        if endpoint == .authorization, let challengeMethods, !challengeMethods.contains("S256") { throw .noPKCE }
        guard let url = endpoints[endpoint] else { throw .endpointMissing(endpoint) }
        return url
    }
}
