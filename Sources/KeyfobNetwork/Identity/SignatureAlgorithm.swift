/// A signature algorithm for ID tokens (RFC 7518, section 3.1; RFC 8037; RFC 9864).
///
/// Those with a shared secret are missing on purpose, and so is `none`: with them anybody who knows the public key
/// could sign. ``MACAlgorithm`` has the former, which no public key is used for.
enum SignatureAlgorithm: String, CaseIterable, Sendable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"
    case ed25519 = "Ed25519"

    /// How signatures are made.
    enum Scheme: Sendable {
        /// RSASSA-PKCS1-v1_5.
        case pkcs1
        /// RSASSA-PSS, with MGF1 of the same digest and a salt of its length.
        case pss
        /// ECDSA on a curve of NIST.
        case ecdsa
        /// Ed25519.
        case ed25519
    }

    /// How its signatures are made.
    var scheme: Scheme {
        switch self {
        case .rs256, .rs384, .rs512: .pkcs1
        case .ps256, .ps384, .ps512: .pss
        case .es256, .es384, .es512: .ecdsa
        case .edDSA, .ed25519: .ed25519
        }
    }

    /// The `kty` and `crv` of its keys, and how many bytes a coordinate has.
    var keyType: (type: String, curve: String?, coordinateCount: Int) {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: ("RSA", nil, 0)
        case .es256: ("EC", "P-256", 32)
        case .es384: ("EC", "P-384", 48)
        case .es512: ("EC", "P-521", 66)
        case .edDSA, .ed25519: ("OKP", "Ed25519", 32)
        }
    }

    /// The names by which its keys say that they are for it: one algorithm has two.
    var names: [String] { scheme == .ed25519 ? [Self.edDSA.rawValue, Self.ed25519.rawValue] : [rawValue] }

    /// The digest that is signed, as OpenSSL calls it; Ed25519 has its own.
    var digest: String { "SHA\(rawValue.suffix(3))" }

    /// Whether its signatures are checked by libcrypto; those by Ed25519 are by libsodium.
    var needsLibcrypto: Bool { scheme != .ed25519 }
}

/// An algorithm for ID tokens whose key is the client's secret (RFC 7518, section 3.2; OpenID Connect Core, section 10.1).
enum MACAlgorithm: String, CaseIterable, Sendable {
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"

    /// The digest, as OpenSSL calls it.
    var digest: String { "SHA\(rawValue.suffix(3))" }
}
