package import KeyfobSodium

/// A key of P-256 that tokens are bound to (RFC 9449): who uses one of them proves, by ES256, to have it.
///
/// A class, because what cannot be copied cannot be captured.
package final class ProofKey: Sendable {
    /// Both coordinates of the point, 32 bytes each.
    package let point: [UInt8]
    /// The number that is secret, 32 bytes, the highest first.
    package let secret: SecretBytes

    /// A key; nil where a number has another length.
    package init?(point: [UInt8], secret: consuming SecretBytes) {
        guard point.count == 64, secret.count == 32 else { return nil }
        self.point = point
        self.secret = secret
    }

    /// The public key as JWK, its members as its digest wants them (RFC 7638, section 3).
    package var publicJSON: String {
        let (x, y) = (Base64.url.text(Array(point[..<32])), Base64.url.text(Array(point[32...])))
        return #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
    }

    /// By what the key is known to the provider (RFC 9449, section 6.1), and here.
    package var thumbprint: String {
        Base64.url.text(Array(publicJSON.utf8).withBytes { SHA256.hash($0) })
    }
}

/// A token with the key that it is bound to: as one secret, so that whatever keeps, moves or takes away the token does so with its key.
///
/// It is the token, a line feed, `ES256.`, and point and secret number in base64url. No header can have it by mistake.
package struct BoundToken: ~Copyable, Sendable {
    /// The token.
    package let token: SecretBytes
    /// Its key.
    package let key: ProofKey

    private static let mark = Array("\nES256.".utf8)

    /// The token and the key in a secret; nil where it has none.
    package init?(reading secret: borrowing SecretBytes) {
        let mark = Self.mark
        let text = 128
        let start = secret.count - text
        guard start > mark.count else { return nil }
        let isMarked = secret.withBytes { bytes in
            mark.indices.allSatisfy { bytes.byte(at: start - mark.count + $0) == mark[$0] }
        }
        guard isMarked,
            let numbers = secret.withBytes({ Base64.url.decodeSecret($0.extracting(start..<start + text)) }),
            numbers.count == 96
        else { return nil }
        let point = numbers.withBytes { bytes in (0..<64).map { bytes.byte(at: $0) } }
        guard let key = ProofKey(point: point, secret: numbers.extracting(64..<96)) else { return nil }
        self.token = secret.extracting(0..<start - mark.count)
        self.key = key
    }

    /// A token and a key as one secret.
    package static func joined(_ token: borrowing SecretBytes, _ key: ProofKey) -> SecretBytes {
        var numbers = SecretBuffer(capacity: 96)
        key.point.withBytes { numbers.append($0) }
        key.secret.withBytes { numbers.append($0) }
        let text = numbers.withBytes { Base64.url.encodeSecret($0) }
        var all = SecretBuffer(capacity: token.count + mark.count + text.count)
        token.withBytes { all.append($0) }
        mark.withBytes { all.append($0) }
        text.withBytes { all.append($0) }
        return all.withBytes { SecretBytes(copying: $0) }
    }
}
