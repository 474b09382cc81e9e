package import KeyfobModel
package import KeyfobSodium

/// What a proof says: which request it is of, and when (RFC 9449, section 4.2).
package struct Proof: Sendable {
    /// The method of the request.
    package let method: String
    /// Its address, of which the query does not count.
    package let url: EndpointURL
    /// The digest of the access token that goes along; nil where none does.
    package let tokenHash: String?

    /// What is said of a request.
    package init(of method: String, _ url: EndpointURL, tokenHash: String? = nil) {
        self.method = method
        self.url = url
        self.tokenHash = tokenHash
    }

    /// The digest of an access token by which a proof names it.
    package static func hash(of token: borrowing SecretBytes) -> String {
        Base64.url.text(token.withBytes { SHA256.hash($0) })
    }

    /// What is signed: head and claims, each encoded.
    ///
    /// - Parameters:
    ///   - id: Tells the proof from all others; random.
    ///   - nonce: What the other side has given for the next proof.
    package func signed(by key: ProofKey, id: String, nonce: String?, now: Timestamp) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("jti", id)
        writer.member("htm", method)
        writer.member("htu", url.description + (url.path.isEmpty ? "/" : ""))
        writer.name("iat")
        writer.integer(now.seconds)
        writer.member("ath", tokenHash)
        writer.member("nonce", nonce)
        writer.endObject()
        let head = #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(key.publicJSON)}"#
        return Base64.url.text(Array(head.utf8)) + "." + Base64.url.text(writer.bytes)
    }
}

/// Makes keys, and signs with them; the module KeyfobNetwork has one.
package struct ProofSigner: Sendable {
    /// A new key; nil where this machine lacks the library for it.
    package let makeKey: @Sendable () -> ProofKey?
    /// The signature of a text by ES256; nil where there is none.
    package let sign: @Sendable (_ text: [UInt8], _ key: ProofKey) -> [UInt8]?
    /// The signature of a text by a client's key in PEM and an algorithm of JWS; nil where there is none.
    package let signAsClient: @Sendable (_ text: [UInt8], _ key: borrowing SecretBytes, _ algorithm: String) -> [UInt8]?

    /// Functions that do so.
    package init(
        makeKey: @escaping @Sendable () -> ProofKey?,
        sign: @escaping @Sendable (_ text: [UInt8], _ key: ProofKey) -> [UInt8]?,
        signAsClient:
            @escaping @Sendable (_ text: [UInt8], _ key: borrowing SecretBytes, _ algorithm: String) -> [UInt8]?
    ) {
        self.makeKey = makeKey
        self.sign = sign
        self.signAsClient = signAsClient
    }

    /// None.
    package static let none = ProofSigner(
        makeKey: { nil }, sign: { _, _ in nil }, signAsClient: { _, _, _ in nil })
}
