package import KeyfobModel

/// What an ID token must say to be the answer to a request (OpenID Connect Core, sections 3.1.3.7 and 12.2).
package struct IDTokenExpectation: Hashable, Sendable {
    /// The issuer, perhaps with `{tenantid}` in it.
    package var issuer: String
    /// The client.
    package var clientID: String
    /// The nonce that was sent; nil after a refresh or a device authorization, which send none.
    package var nonce: String?
    /// The subject of the ID token before, after a refresh.
    package var subject: String?
    /// The algorithms the provider names; nil accepts any but `none`.
    package var algorithms: [String]?

    /// By how much clocks may differ, in seconds.
    package static let skew: Int64 = 300

    /// Expectations.
    package init(
        issuer: String, clientID: String, nonce: String? = nil, subject: String? = nil, algorithms: [String]? = nil
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.nonce = nonce
        self.subject = subject
        self.algorithms = algorithms
    }

    /// Compares; the signature is somebody else's matter.
    package func check(_ token: IDToken, now: Timestamp) throws(IDTokenFlaw) {
        if let algorithms, !Self.names(of: token.algorithm).contains(where: algorithms.contains) {
            throw .algorithmRefused
        }
        let claims = token.claims
        if issuer.contains(IssuerTemplate.placeholder) {
            guard let tenant = claims.tenantID, Authority.isGUID(tenant),
                claims.issuer == IssuerTemplate.issuer(issuer, tenant: tenant)
            else { throw .otherIssuer }
        } else if claims.issuer != issuer {
            throw .otherIssuer
        }
        guard claims.audience.contains(clientID) else { throw .otherAudience }
        if claims.audience.count > 1, claims.authorizedParty == nil { throw .otherAudience }
        if let party = claims.authorizedParty, party != clientID { throw .otherAudience }
        if let nonce, claims.nonce != nonce { throw .otherNonce }
        if let subject, claims.subject != subject { throw .otherSubject }
        guard claims.expiresOn > now.advanced(by: -Self.skew) else { throw .expired }
        let latest = now.advanced(by: Self.skew)
        guard claims.issuedAt <= latest, claims.notBefore.map({ $0 <= latest }) ?? true else { throw .notYetValid }
    }

    /// The names of an algorithm, of which one has two (RFC 9864, section 2.2).
    private static func names(of algorithm: String) -> [String] {
        let both = ["EdDSA", "Ed25519"]
        return both.contains(algorithm) ? both : [algorithm]
    }
}
