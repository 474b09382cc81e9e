package import KeyfobModel

/// Which issuers a discovery document may name, and which endpoints.
package enum IssuerRule: Hashable, Sendable {
    /// The one asked, to the letter, and any endpoint.
    case exact
    /// Any tenant's of Microsoft's, or all of them at once: `{tenantid}`.
    case tenants
    /// That of an authority whose issuer is not the address at which it tells so: `https://NAME.b2clogin.com/<tenant id>/v2.0/`
    /// for every policy, `http://HOST/adfs/services/trust`, `https://<tenant id>.ciamlogin.com/<tenant id>/v2.0`. Its endpoints
    /// are on its host.
    case authority(Authority)

    /// Whether a document's issuer is one that the address asked may have.
    func accepts(_ issuer: String, asked: String) -> Bool {
        switch self {
        case .exact: issuer == asked
        case .tenants: issuer == asked || IssuerTemplate.isSibling(issuer, of: asked)
        case .authority(let authority): issuer == asked || Self.isIssuer(issuer, of: authority)
        }
    }

    /// Whether codes and refresh tokens may go to an endpoint that the document names.
    func mayName(_ url: EndpointURL, issuer: String) -> Bool {
        guard case .authority(let authority) = self else { return true }
        guard authority.kind == .ciam, let issuer = try? EndpointURL(issuer), issuer.port == nil else {
            return url.environment == authority.host
        }
        // The tenant's own name beside the one that people see.
        return url.environment == authority.host || url.environment == issuer.host
    }

    private static func isIssuer(_ issuer: String, of authority: Authority) -> Bool {
        let path = issuer.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
            .filter { !$0.isEmpty }.map { Identifier.folded(String($0)) }
        func begins(_ scheme: String, _ host: String) -> Bool { issuer.hasPrefix("\(scheme)://\(host)/") }
        switch authority.kind {
        case .b2c(let policy):
            guard begins("https", authority.host), let tenant = path.first(where: { Authority.isGUID($0) }) else {
                return false
            }
            return path == [tenant, "v2.0"] || path == ["tfp", tenant, Identifier.folded(policy), "v2.0"]
        case .adfs:
            // The name of a federation service has no port.
            let host = authority.host.prefix { $0 != ":" }
            return path == ["adfs"] && begins("https", authority.host)
                || path == ["adfs", "services", "trust"]
                    && (begins("http", String(host)) || begins("https", String(host)))
        case .ciam:
            guard path.count == 2, path[1] == "v2.0", Authority.isGUID(path[0]) else { return false }
            if Authority.isGUID(authority.tenant), Identifier.folded(authority.tenant) != path[0] { return false }
            return begins("https", path[0] + ".ciamlogin.com") || begins("https", authority.host)
        case .entra, .other: return false
        }
    }
}
