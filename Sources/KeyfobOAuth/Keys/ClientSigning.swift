package import KeyfobModel
package import KeyfobSodium

/// What a client with a private key says to show who it is (RFC 7523, section 3; OpenID Connect Core, section 9), but for the key.
package struct ClientSigning: Sendable {
    /// What the key is of.
    package let kind: ClientKey.Kind
    /// By what name the provider knows the key.
    package var keyID: String?
    /// By what it signs; nil for what the provider takes, or else the usual one.
    package var algorithm: String?
    /// The digest of the key's certificate, by which some providers know it.
    package var certificateDigest: String?
    /// For whom it says so.
    package var audience = Audience.issuer

    /// For whom an assertion is: by the newer rule the issuer (RFC 9126, section 2), by the older the token endpoint (RFC 7523, section 3).
    package enum Audience: String, Hashable, Sendable {
        case issuer
        case tokenEndpoint = "token_endpoint"
    }

    /// For how many seconds an assertion is good.
    package static let lifetime: Int64 = 60

    /// By what clock assertions are.
    private var clock = ServerClock()
    private var issuer: String?
    private var tokenEndpoint: EndpointURL?
    private var accepted: [String]?
    private var signer = AssertionSigner.none

    /// What is known of a key.
    package init(
        _ kind: ClientKey.Kind, keyID: String? = nil, algorithm: String? = nil, certificateDigest: String? = nil
    ) {
        self.kind = kind
        self.keyID = keyID
        self.algorithm = algorithm
        self.certificateDigest = certificateDigest
    }

    /// The same for a provider.
    func adapted(to provider: ProviderMetadata, _ signer: AssertionSigner) -> ClientSigning {
        var signing = self
        signing.issuer = provider.isTemplate ? nil : provider.issuer
        signing.tokenEndpoint = provider.endpoints[.token]
        signing.accepted = provider.clientAlgorithms
        signing.signer = signer
        return signing
    }

    /// The same for the other audience; nil where there is none.
    var otherAudience: ClientSigning? {
        guard let issuer, let tokenEndpoint, issuer != tokenEndpoint.text else { return nil }
        var signing = self
        signing.audience = audience == .issuer ? .tokenEndpoint : .issuer
        return signing
    }

    /// The same by the clock of a server; nil where the assertions were by that one, or it is off by more than a day.
    func following(_ theirs: Timestamp) -> ClientSigning? {
        guard let clock = clock.following(theirs, now: signer.now()) else { return nil }
        var signing = self
        signing.clock = clock
        return signing
    }

    /// The assertion in a request to `url`; nil where this machine cannot sign, or not with this key.
    func assertion(of client: String, by key: borrowing SecretBytes, to url: EndpointURL) -> String? {
        let usual = kind.algorithms.first { accepted?.contains($0) ?? true } ?? kind.algorithms[0]
        let chosen = algorithm ?? usual
        var head = JSONWriter()
        head.beginObject()
        head.member("alg", chosen)
        head.member("typ", "JWT")
        head.member("kid", keyID)
        head.member("x5t#S256", certificateDigest)
        head.endObject()
        let now = clock.time(signer.now())
        var claims = JSONWriter()
        claims.beginObject()
        for name in ["iss", "sub"] { claims.member(name, client) }
        claims.member("aud", recipient(at: url))
        claims.member("jti", Base64.url.text(SecretBytes.random(count: 16).withBytes { [UInt8]($0) }))
        for (name, time) in [("iat", now), ("exp", now.advanced(by: Self.lifetime))] {
            claims.name(name)
            claims.integer(time.seconds)
        }
        claims.endObject()
        let text = Base64.url.text(head.bytes) + "." + Base64.url.text(claims.bytes)
        return signer.sign(Array(text.utf8), key, chosen).map { text + "." + Base64.url.text($0) }
    }

    /// The address of the token endpoint goes to its own server alone: another one could show the assertion there.
    private func recipient(at url: EndpointURL) -> String {
        if audience == .issuer, let issuer { return issuer }
        guard let tokenEndpoint, tokenEndpoint.environment == url.environment else { return url.text }
        return tokenEndpoint.text
    }
}

/// Signs assertions of clients.
package struct AssertionSigner: Sendable {
    /// The signature of a text by a key in PEM and an algorithm of JWS; nil where there is none.
    package let sign: @Sendable (_ text: [UInt8], _ key: borrowing SecretBytes, _ algorithm: String) -> [UInt8]?
    /// The time that assertions say.
    package let now: @Sendable () -> Timestamp

    /// What signs by these functions.
    package init(
        sign: @escaping @Sendable (_ text: [UInt8], _ key: borrowing SecretBytes, _ algorithm: String) -> [UInt8]?,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.sign = sign
        self.now = now
    }

    /// None.
    package static let none = AssertionSigner(sign: { _, _, _ in nil }, now: { Timestamp(seconds: 0) })
}
