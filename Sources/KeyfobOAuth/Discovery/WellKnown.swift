/// Where an issuer's description is.
package enum WellKnown {
    /// The addresses to try, in order: OpenID Connect Discovery 1.0, section 4.1, then RFC 8414, section 3.1.
    ///
    /// - Throws: what is wrong with the issuer; one with a query is refused.
    package static func addresses(of issuer: String) throws(EndpointURL.Flaw) -> [EndpointURL] {
        let url = try EndpointURL(issuer)
        guard url.query == nil else { throw .forbiddenCharacter }
        let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
        return [
            url.replacingPath(path + "/.well-known/openid-configuration"),
            url.replacingPath("/.well-known/oauth-authorization-server" + path),
        ]
    }
}
