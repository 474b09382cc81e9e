/// Where an issuer's description is.
package enum WellKnown {
    /// An address, and whether what is there is a document of OpenID Connect.
    package struct Address: Hashable, Sendable {
        package let url: EndpointURL
        package let isOpenID: Bool
    }

    /// The addresses to try, in order: OpenID Connect Discovery 1.0, section 4.1, then RFC 8414, sections 3.1 and 5.
    ///
    /// - Throws: what is wrong with the issuer; one with a query is refused.
    package static func addresses(of issuer: String) throws(EndpointURL.Flaw) -> [Address] {
        let url = try EndpointURL(issuer)
        guard url.query == nil else { throw .forbiddenCharacter }
        let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
        let (openID, plain) = ("/.well-known/openid-configuration", "/.well-known/oauth-authorization-server")
        let paths = [(path + openID, true), (plain + path, false)] + (path.isEmpty ? [] : [(openID + path, true)])
        return paths.map { Address(url: url.replacingPath($0.0), isOpenID: $0.1) }
    }
}
