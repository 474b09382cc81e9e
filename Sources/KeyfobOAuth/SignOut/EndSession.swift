/// The end of the browser's session (OpenID Connect RP-Initiated Logout 1.0, section 2).
package enum EndSession {
    /// What the browser opens; nil where the provider has no such endpoint.
    ///
    /// The ID token is not put in the address, which a history keeps; the hint says who.
    package static func url(
        _ provider: ProviderMetadata, clientID: String, logoutHint: String? = nil, redirectURI: String? = nil,
        state: String? = nil
    ) -> EndpointURL? {
        guard let endpoint = provider.endpoints[.endSession] else { return nil }
        var items: [(name: String, value: String)] = [("client_id", clientID)]
        if let logoutHint, !logoutHint.isEmpty { items.append(("logout_hint", logoutHint)) }
        if let redirectURI { items.append(("post_logout_redirect_uri", redirectURI)) }
        if let state, redirectURI != nil { items.append(("state", state)) }
        return endpoint.appending(items)
    }
}
