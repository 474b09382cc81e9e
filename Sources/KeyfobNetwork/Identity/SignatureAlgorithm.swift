internal import JWTKit

/// A signature algorithm for ID tokens (RFC 7518, section 3.1; RFC 8037).
///
/// Those with a shared secret are missing on purpose, and so is `none`: with them anybody who knows the public key
/// could sign.
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

    /// The `kty` and `crv` of its keys.
    var keyType: (type: String, curve: String?, coordinateCount: Int) {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: ("RSA", nil, 0)
        case .es256: ("EC", "P-256", 32)
        case .es384: ("EC", "P-384", 48)
        case .es512: ("EC", "P-521", 66)
        case .edDSA: ("OKP", "Ed25519", 32)
        }
    }

    /// The name JWTKit has for it.
    var jwk: JWK.Algorithm {
        switch self {
        case .rs256: .rs256
        case .rs384: .rs384
        case .rs512: .rs512
        case .ps256: .ps256
        case .ps384: .ps384
        case .ps512: .ps512
        case .es256: .es256
        case .es384: .es384
        case .es512: .es512
        case .edDSA: .eddsa
        }
    }
}
