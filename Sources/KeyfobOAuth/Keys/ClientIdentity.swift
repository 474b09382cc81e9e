package import KeyfobSodium

/// A client's certificate with its private key, which it shows where TLS is agreed on (RFC 8705).
///
/// A class, because what cannot be copied cannot be captured.
package final class ClientIdentity: Sendable {
    /// The key and the certificates, the client's own first, in PEM.
    package let pem: SecretBytes
    /// The SHA-256 of the certificate, by which tokens name it (section 3.1).
    package let thumbprint: String

    /// What a text in PEM has; nil where that is no key with a certificate.
    package init?(pem: consuming SecretBytes) {
        guard let thumbprint = Self.thumbprint(in: pem) else { return nil }
        self.pem = pem
        self.thumbprint = thumbprint
    }

    private static func thumbprint(in pem: borrowing SecretBytes) -> String? {
        guard let key = try? ClientKey(reading: pem) else { return nil }
        return key.certificateDigest
    }

    /// Whether an access token says that it is bound to a certificate; nil where nothing of it can be read here.
    static func isNamed(in token: borrowing SecretBytes) -> Bool? {
        token.withBytes { bytes in
            let period = UInt8(ascii: ".")
            guard bytes.byteCount <= 1 << 16, let first = bytes.firstIndex(of: period, in: 0..<bytes.byteCount),
                let second = bytes.firstIndex(of: period, in: first + 1..<bytes.byteCount),
                let claims = Base64.url.decodeSecret(bytes.extracting(first + 1..<second))
            else { return nil }
            return claims.withBytes { claims in
                guard let fields = try? JSONFields(reading: claims) else { return nil }
                return fields.object("cnf", in: claims)?.has("x5t#S256", in: claims) ?? false
            }
        }
    }
}

/// A token with the certificate that it is bound to, and the key of that: one secret, as ``BoundToken`` is.
///
/// It is the token, a line feed, `X509.`, and the PEM in base64url. No header can have it by mistake.
package struct CertifiedToken: ~Copyable, Sendable {
    /// The token.
    package let token: SecretBytes
    /// Its certificate and key.
    package let identity: ClientIdentity

    private static let mark = Array("\nX509.".utf8)

    /// The token and the certificate in a secret; nil where it has none.
    package init?(reading secret: borrowing SecretBytes) {
        let mark = Self.mark
        let end = secret.withBytes { bytes -> Int? in
            guard let end = bytes.firstIndex(of: mark[0], in: 0..<bytes.byteCount), end > 0,
                bytes.byteCount > end + mark.count, mark.indices.allSatisfy({ bytes.byte(at: end + $0) == mark[$0] })
            else { return nil }
            return end
        }
        guard let end,
            let pem = secret.withBytes({ Base64.url.decodeSecret($0.extracting(end + mark.count..<$0.byteCount)) }),
            let identity = ClientIdentity(pem: pem)
        else { return nil }
        self.token = secret.extracting(0..<end)
        self.identity = identity
    }

    /// A token and a certificate as one secret.
    package static func joined(_ token: borrowing SecretBytes, _ identity: ClientIdentity) -> SecretBytes {
        let text = identity.pem.withBytes { Base64.url.encodeSecret($0) }
        var all = SecretBuffer(capacity: token.count + mark.count + text.count)
        token.withBytes { all.append($0) }
        mark.withBytes { all.append($0) }
        text.withBytes { all.append($0) }
        return all.withBytes { SecretBytes(copying: $0) }
    }
}
