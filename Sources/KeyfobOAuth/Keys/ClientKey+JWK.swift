internal import KeyfobModel
internal import KeyfobSodium

extension ClientKey {
    /// A key of P-256 that was made here.
    package init(_ key: ProofKey) throws(ClientKeyFlaw) {
        let point = [0x00, 0x04] + key.point
        let der = key.secret.withBytes { Self.der(.p256, secret: $0, point: point) }
        try self.init(Self.curveLabel, der: der, keyID: key.thumbprint)
    }

    private static let curveLabel = "EC PRIVATE KEY"

    /// The private key in a JWK (RFC 7517; RFC 7518, section 6; RFC 8037, section 2).
    init(jwk text: RawSpan) throws(ClientKeyFlaw) {
        guard let fields = try? JSONFields(reading: text) else { throw .malformed }
        guard fields.has("d", in: text) else { throw .noKey }
        var certificates: [[UInt8]] = []
        for letters in fields.strings("x5c", in: text) ?? [] {
            guard let certificate = Base64.standard.decode(letters.utf8) else { throw .malformed }
            certificates.append(certificate)
        }
        let der = try Self.der(of: fields, in: text)
        try self.init(
            Self.label(of: fields, in: text), der: der, certificates: certificates,
            keyID: fields.string("kid", in: text), algorithm: fields.string("alg", in: text))
    }

    private static func label(of fields: JSONFields, in text: RawSpan) -> String {
        switch fields.string("kty", in: text) {
        case "RSA": "RSA PRIVATE KEY"
        case "EC": curveLabel
        default: "PRIVATE KEY"
        }
    }

    private static func der(of fields: JSONFields, in text: RawSpan) throws(ClientKeyFlaw) -> SecretBytes {
        switch fields.string("kty", in: text) {
        case "RSA":
            var numbers = SecretBuffer(capacity: text.byteCount + 64)
            [0].withBytes { numbers.append(number: $0) }
            for name in ["n", "e", "d", "p", "q", "dp", "dq", "qi"] {
                let number = try number(name, fields, text)
                number.withBytes { numbers.append(number: $0) }
            }
            return numbers.withBytes { sequence($0) }
        case "EC":
            let curve = fields.string("crv", in: text)
            guard let kind = Kind.allCases.first(where: { $0.rawValue == curve }), let count = kind.coordinateCount
            else { throw .unsupported }
            let secret = try number("d", fields, text)
            let (x, y) = (try publicNumber("x", fields, text), try publicNumber("y", fields, text))
            guard secret.count == count, x.count == count, y.count == count else { throw .malformed }
            return secret.withBytes { der(kind, secret: $0, point: [0x00, 0x04] + x + y) }
        case "OKP":
            guard fields.string("crv", in: text) == "Ed25519" else { throw .unsupported }
            let secret = try number("d", fields, text)
            guard secret.count == 32 else { throw .malformed }
            // RFC 8410, section 7.
            let start: [UInt8] = [
                0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
            ]
            var der = SecretBuffer(capacity: start.count + 32)
            start.withBytes { der.append($0) }
            secret.withBytes { der.append($0) }
            return der.withBytes { SecretBytes(copying: $0) }
        default: throw .unsupported
        }
    }

    /// A key of a curve (RFC 5915), with its point as a bit string has it.
    private static func der(_ kind: Kind, secret: RawSpan, point: [UInt8]) -> SecretBytes {
        var members = SecretBuffer(capacity: secret.byteCount + point.count + 64)
        [1].withBytes { members.append(number: $0) }
        members.append(DERTag.octets, secret)
        var curve = SecretBuffer(capacity: 16)
        (kind.curve ?? []).withBytes { curve.append(DERTag.object, $0) }
        curve.withBytes { members.append(DERTag.first, $0) }
        var bits = SecretBuffer(capacity: point.count + 8)
        point.withBytes { bits.append(DERTag.bitString, $0) }
        bits.withBytes { members.append(DERTag.second, $0) }
        return members.withBytes { sequence($0) }
    }

    private static func sequence(_ members: RawSpan) -> SecretBytes {
        var whole = SecretBuffer(capacity: members.byteCount + 8)
        whole.append(DERTag.sequence, members)
        return whole.withBytes { SecretBytes(copying: $0) }
    }

    private static func number(
        _ name: String, _ fields: JSONFields, _ text: RawSpan
    ) throws(ClientKeyFlaw) -> SecretBytes {
        guard let letters = fields.secret(name, in: text),
            let number = letters.withBytes({ Base64.url.decodeSecret($0) }), number.count > 0
        else { throw .malformed }
        return number
    }

    private static func publicNumber(
        _ name: String, _ fields: JSONFields, _ text: RawSpan
    ) throws(ClientKeyFlaw) -> [UInt8] {
        guard let letters = fields.string(name, in: text), let number = Base64.url.decode(letters.utf8) else {
            throw .malformed
        }
        return number
    }
}

extension ProofKey {
    /// The public key as a server is told it when a client is registered (RFC 7591, section 2).
    package var registeredJSON: String {
        publicJSON.dropLast() + #","kid":"\#(thumbprint)","alg":"ES256","use":"sig"}"#
    }
}
