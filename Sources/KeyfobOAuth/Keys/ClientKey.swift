package import KeyfobSodium

/// A client's private key, with the certificates that came with it.
///
/// A person has it as PEM (PKCS #8, PKCS #1 or SEC 1) or as a JWK (RFC 7517). It is kept as PEM, the key first: one secret, in the place of
/// a client's other secret.
package struct ClientKey: ~Copyable, Sendable {
    /// What it is a key of.
    package let kind: Kind
    /// The key in DER, as its label says.
    package let der: SecretBytes
    /// Its certificates in DER, its own first.
    package let certificates: [[UInt8]]
    /// `kid` of a JWK.
    package let keyID: String?
    /// `alg` of a JWK.
    package let algorithm: String?
    private let label: String

    /// The longest text that is read, and the longest that is kept, in bytes.
    package static let limit = 1 << 15

    /// The key in a text.
    package init(reading text: borrowing SecretBytes) throws(ClientKeyFlaw) {
        guard text.count <= Self.limit else { throw .tooLong }
        self = try text.withBytes { bytes throws(ClientKeyFlaw) in
            let start = (0..<bytes.byteCount).first { bytes.byte(at: $0) > 0x20 }
            return start.map { bytes.byte(at: $0) } == UInt8(ascii: "{")
                ? try ClientKey(jwk: bytes) : try ClientKey(pem: bytes)
        }
    }

    init(
        _ label: String, der: consuming SecretBytes, certificates: [[UInt8]] = [], keyID: String? = nil,
        algorithm: String? = nil
    ) throws(ClientKeyFlaw) {
        kind = try der.withBytes { bytes throws(ClientKeyFlaw) in try Kind.of(bytes) }
        self.label = label
        self.der = der
        self.certificates = certificates
        self.keyID = keyID
        self.algorithm = algorithm
    }

    private init(pem text: RawSpan) throws(ClientKeyFlaw) {
        let blocks = PEM.blocks(in: text)
        guard !blocks.contains(where: { $0.label == "ENCRYPTED PRIVATE KEY" }) else { throw .encrypted }
        let keys = blocks.filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard let block = keys.first else { throw .noKey }
        guard keys.count == 1 else { throw .severalKeys }
        guard let der = PEM.content(of: block, in: text) else {
            // Of the older kind, with a header that says so (RFC 1421).
            let isEncrypted = block.letters.contains { text.byte(at: $0) == UInt8(ascii: ":") }
            throw isEncrypted ? .encrypted : .malformed
        }
        var certificates: [[UInt8]] = []
        for block in blocks where block.label == "CERTIFICATE" {
            guard let content = PEM.content(of: block, in: text) else { throw .malformed }
            certificates.append(content.withBytes { [UInt8]($0) })
        }
        try self.init(block.label, der: der, certificates: certificates)
    }

    /// The text as it is kept.
    package borrowing func pem() -> SecretBytes {
        let key = der.withBytes { PEM.block(label, $0) }
        var text = SecretBuffer(capacity: key.count + certificates.reduce(0) { $0 + 2 * $1.count + 128 })
        key.withBytes { text.append($0) }
        for certificate in certificates {
            let block = certificate.withBytes { PEM.block("CERTIFICATE", $0) }
            block.withBytes { text.append($0) }
        }
        return text.withBytes { SecretBytes(copying: $0) }
    }

    /// The digest of its certificate (RFC 7515, section 4.1.8); nil where none came.
    package var certificateDigest: String? {
        certificates.first.map { Base64.url.text($0.withBytes { SHA256.hash($0) }) }
    }
}

extension ClientKey {
    /// What a key is of.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case rsa = "RSA"
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"
        case ed25519 = "Ed25519"

        /// The algorithms by which it may sign (RFC 7518, section 3.1; RFC 8037; RFC 9864), the usual one first.
        package var algorithms: [String] {
            switch self {
            case .rsa: ["RS256", "PS256", "RS384", "PS384", "RS512", "PS512"]
            case .p256: ["ES256"]
            case .p384: ["ES384"]
            case .p521: ["ES512"]
            case .ed25519: ["EdDSA", "Ed25519"]
            }
        }

        /// How many bytes a coordinate of a curve of NIST has; nil for other keys.
        package var coordinateCount: Int? {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            case .rsa, .ed25519: nil
            }
        }

        /// The object identifier of a curve of NIST; nil for other keys.
        var curve: [UInt8]? {
            switch self {
            case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
            case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
            case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
            case .rsa, .ed25519: nil
            }
        }

        private static let rsaObject: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        private static let curveObject: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        private static let ed25519Object: [UInt8] = [0x2B, 0x65, 0x70]
        private static let fewestBits = 2_048

        /// The one whose curve has this object identifier.
        private static func named(by curve: [UInt8]?) throws(ClientKeyFlaw) -> Kind {
            guard let kind = allCases.first(where: { $0.curve != nil && $0.curve == curve }) else {
                throw .unsupported
            }
            return kind
        }

        /// What a private key in DER is of: PKCS #8 (RFC 5958), PKCS #1 (RFC 8017) or SEC 1 (RFC 5915).
        static func of(_ der: RawSpan, inside range: Range<Int>? = nil) throws(ClientKeyFlaw) -> Kind {
            var outer = DERElements(range ?? 0..<der.byteCount)
            guard let whole = outer.next(in: der), whole.tag == DERTag.sequence, outer.isAtEnd else { throw .malformed }
            var members = DERElements(whole.content)
            guard let version = members.next(in: der), version.tag == DERTag.integer,
                let second = members.next(in: der)
            else { throw .malformed }
            switch second.tag {
            case DERTag.integer:
                let digits = second.content.drop { der.byte(at: $0) == 0 }
                let bits = digits.first.map { digits.count * 8 - der.byte(at: $0).leadingZeroBitCount } ?? 0
                guard bits >= fewestBits else { throw .weak }
                return .rsa
            case DERTag.octets:
                while let member = members.next(in: der) {
                    guard member.tag == DERTag.first else { continue }
                    var names = DERElements(member.content)
                    return try named(by: names.next(DERTag.object, in: der))
                }
                throw .unsupported
            case DERTag.sequence:
                var algorithm = DERElements(second.content)
                guard let name = algorithm.next(DERTag.object, in: der), let key = members.next(in: der),
                    key.tag == DERTag.octets
                else { throw .malformed }
                switch name {
                case rsaObject where range == nil: return try of(der, inside: key.content)
                case curveObject: return try named(by: algorithm.next(DERTag.object, in: der))
                case ed25519Object: return .ed25519
                default: throw .unsupported
                }
            default: throw .malformed
            }
        }
    }
}
