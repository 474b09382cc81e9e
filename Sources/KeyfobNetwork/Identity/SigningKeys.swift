internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// The keys of a JWKS document that can check one algorithm's signatures (RFC 7517).
///
/// A key of another type, use, operation or algorithm is left out, and so is one of a wrong size: a provider may have keys
/// that are not for us.
struct SigningKeys: Sendable {
    /// One key.
    struct Key: Sendable {
        /// `kid`.
        let id: String?
        /// Its numbers.
        let numbers: Numbers
    }

    /// The numbers of a key.
    enum Numbers: Sendable {
        /// Of RSA.
        case rsa(RSAPublicKey)
        /// A point of the algorithm's curve; whether it is on it is not known yet.
        case point(x: [UInt8], y: [UInt8])
        /// Of Ed25519.
        case ed25519([UInt8])
    }

    /// In the order of the document.
    let keys: [Key]

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

        /// A number in base64url; nil where it is none, or has more digits than any that is used.
        func number(_ name: String, _ bytes: RawSpan) -> [UInt8]? {
            guard let text = string(name, bytes), text.utf8.count <= 2_048 else { return nil }
            return Base64.url.decode(text.utf8)
        }
    }

    private static func key(_ members: Members, _ bytes: RawSpan, _ algorithm: SignatureAlgorithm) -> Key? {
        let (type, curve, _) = algorithm.keyType
        guard members.string("kty", bytes) == type,
            !members.has("use", bytes) || members.string("use", bytes) == "sig",
            !members.has("alg", bytes) || members.string("alg", bytes).map(algorithm.names.contains) ?? false,
            !members.has("key_ops", bytes) || members.strings("key_ops", bytes).contains("verify"),
            curve == nil || members.string("crv", bytes) == curve
        else { return nil }
        let id = members.string("kid", bytes)
        guard id != nil || !members.has("kid", bytes), let numbers = numbers(members, bytes, algorithm) else {
            return nil
        }
        return Key(id: id, numbers: numbers)
    }

    private static func numbers(_ members: Members, _ bytes: RawSpan, _ algorithm: SignatureAlgorithm) -> Numbers? {
        let count = algorithm.keyType.coordinateCount
        switch algorithm.scheme {
        case .pkcs1, .pss:
            guard let modulus = members.number("n", bytes), let exponent = members.number("e", bytes) else {
                return nil
            }
            return RSAPublicKey(modulus: modulus, exponent: exponent).map { .rsa($0) }
        case .ecdsa:
            guard let x = members.number("x", bytes), let y = members.number("y", bytes), x.count == count,
                y.count == count
            else { return nil }
            return .point(x: x, y: y)
        case .ed25519:
            guard let key = members.number("x", bytes), key.count == count else { return nil }
            return .ed25519(key)
        }
    }
}
