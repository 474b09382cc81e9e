internal import JWTKit
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// The keys of a JWKS document that can check one algorithm's signatures (RFC 7517).
///
/// A key of another type, use, operation or algorithm is left out, and so is one that is weak or damaged: a provider
/// may have keys that are not for us.
struct SigningKeys: Sendable {
    /// One key.
    struct Key: Sendable {
        /// `kid`.
        let id: String?
        /// The key for JWTKit.
        let jwk: JWK
    }

    /// In the order of the document.
    let keys: [Key]

    /// The fewest and the most bits of an RSA key; more would only cost time.
    static let rsaBits = 2_048...8_192
    private static let limits = JSONLimits(
        size: HTTPResponse.bodyLimit, depth: 16, stringCount: 1 << 18, nodes: 1 << 15)

    /// Reads a document; one that is not a JWKS has no keys.
    init(reading document: borrowing SecretBytes, for algorithm: SignatureAlgorithm) {
        self.keys = document.withBytes { bytes in
            guard let tape = try? JSONTape(reading: bytes, limits: Self.limits), tape.duplicates.isEmpty,
                tape.kind(of: tape.root) == .object,
                let list = tape.member("keys", of: tape.root, in: bytes), tape.kind(of: list) == .array
            else { return [] }
            return tape.elements(of: list).compactMap { value in
                guard tape.kind(of: value) == .object else { return nil }
                return Self.key(Members(tape: tape, object: value), bytes, algorithm)
            }
        }
    }

    /// The keys that a token may be signed with: those with its id, or the only one where it names none.
    func candidates(for id: String?) -> [Key] {
        guard let id else { return keys.count == 1 ? keys : [] }
        // An id that is there many times is no reason to try for ever.
        return Array(keys.filter { $0.id == id }.prefix(4))
    }

    private struct Members {
        let tape: JSONTape
        let object: JSONTape.Value

        func has(_ name: String, _ bytes: RawSpan) -> Bool { tape.member(name, of: object, in: bytes) != nil }

        func string(_ name: String, _ bytes: RawSpan) -> String? {
            tape.member(name, of: object, in: bytes).flatMap { tape.string(of: $0, in: bytes) }
        }

        func strings(_ name: String, _ bytes: RawSpan) -> [String] {
            guard let value = tape.member(name, of: object, in: bytes), tape.kind(of: value) == .array else {
                return []
            }
            return tape.elements(of: value).compactMap { tape.string(of: $0, in: bytes) }
        }
    }

    private static func key(_ members: Members, _ bytes: RawSpan, _ algorithm: SignatureAlgorithm) -> Key? {
        let (type, curve, count) = algorithm.keyType
        guard members.string("kty", bytes) == type,
            !members.has("use", bytes) || members.string("use", bytes) == "sig",
            !members.has("alg", bytes) || members.string("alg", bytes) == algorithm.rawValue,
            !members.has("key_ops", bytes) || members.strings("key_ops", bytes).contains("verify"),
            curve == nil || members.string("crv", bytes) == curve
        else { return nil }
        let id = members.string("kid", bytes)
        guard id != nil || !members.has("kid", bytes) else { return nil }
        // JWTKit never sees the provider's ids: one collection holds one key under this.
        let identifier = SignatureCheck.identifier
        switch type {
        case "RSA":
            guard let modulus = members.string("n", bytes), let exponent = members.string("e", bytes),
                let bits = bitCount(modulus), rsaBits.contains(bits),
                let exponentBits = bitCount(exponent), (2...32).contains(exponentBits)
            else { return nil }
            return Key(
                id: id, jwk: .rsa(algorithm.jwk, identifier: identifier, modulus: modulus, exponent: exponent))
        case "EC":
            guard let x = members.string("x", bytes), let y = members.string("y", bytes),
                byteCount(x) == count, byteCount(y) == count
            else { return nil }
            let curve: ECDSACurve = algorithm == .es256 ? .p256 : algorithm == .es384 ? .p384 : .p521
            return Key(id: id, jwk: .ecdsa(algorithm.jwk, identifier: identifier, x: x, y: y, curve: curve))
        default:
            guard let x = members.string("x", bytes), byteCount(x) == count else { return nil }
            return Key(
                id: id, jwk: .octetKeyPair(algorithm.jwk, identifier: identifier, x: x, y: nil, curve: .ed25519))
        }
    }

    private static func byteCount(_ text: String) -> Int? {
        Array(text.utf8).withBytes { Base64.url.decodeSecret($0)?.count }
    }

    /// How many bits a number in base64url has.
    private static func bitCount(_ text: String) -> Int? {
        guard text.utf8.count <= 2_048, let number = Array(text.utf8).withBytes({ Base64.url.decodeSecret($0) }) else {
            return nil
        }
        return number.withBytes { bytes in
            for index in 0..<bytes.byteCount where bytes.byte(at: index) != 0 {
                return (bytes.byteCount - index) * 8 - bytes.byte(at: index).leadingZeroBitCount
            }
            return 0
        }
    }
}
