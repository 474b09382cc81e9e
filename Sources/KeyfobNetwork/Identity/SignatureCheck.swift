internal import JWTKit
internal import KeyfobOAuth
internal import KeyfobSodium

/// Checks signatures of ID tokens (RFC 7515, section 5.2; OpenID Connect Core, section 3.1.3.7).
///
/// The key decides what may be checked with it, never the token alone: of the token's header only the names of the
/// algorithm and of the key are used.
enum SignatureCheck {
    /// The name under which JWTKit gets the one key that is tried.
    static let identifier = JWKIdentifier(string: "key")

    /// What is wrong with the signature of `token` by `keys`, a JWKS document; nil where it is good.
    ///
    /// Claims are only read so far as they must be readable. `unknownKey` stands for a document without a key that fits, and
    /// for one that cannot be read.
    static func flaw(of token: borrowing SecretBytes, keys: borrowing SecretBytes) async -> IDTokenFlaw? {
        let header: IDToken
        do {
            header = try IDToken(reading: token)
        } catch {
            return error
        }
        guard let algorithm = SignatureAlgorithm(rawValue: header.algorithm) else { return .algorithmRefused }
        guard let (signed, signature) = token.withBytes({ parts($0) }) else { return .notAToken }
        let candidates = SigningKeys(reading: keys, for: algorithm).candidates(for: header.keyID)
        var isUsable = false
        for key in candidates {
            guard let verifier = await verifier(key.jwk, algorithm) else { continue }
            isUsable = true
            if (try? verifier.verify(signature, signs: signed)) == true { return nil }
        }
        return isUsable ? .badSignature : .unknownKey
    }

    /// The key, ready to check signatures of this algorithm alone; nil where it is no key.
    private static func verifier(_ jwk: JWK, _ algorithm: SignatureAlgorithm) async -> (any JWTAlgorithm)? {
        let collection = JWTKeyCollection()
        guard (try? await collection.add(jwk: jwk)) != nil,
            let verifier = try? await collection.getKey(for: identifier, alg: algorithm.rawValue),
            verifier.name == algorithm.rawValue
        else { return nil }
        return verifier
    }

    /// What is signed, and the signature.
    private static func parts(_ bytes: RawSpan) -> (signed: [UInt8], signature: [UInt8])? {
        guard let dot = (0..<bytes.byteCount).last(where: { bytes.byte(at: $0) == UInt8(ascii: ".") }),
            let signature = Base64.url.decodeSecret(bytes.extracting(dot + 1..<bytes.byteCount))
        else { return nil }
        return ([UInt8](bytes.extracting(0..<dot)), signature.withBytes { [UInt8]($0) })
    }
}
