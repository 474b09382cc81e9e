internal import KeyfobSodium

/// What Keyfob's formats are made of, by the names of Wycheproof's tests.
///
/// A document is values in hexadecimal digits, separated by commas.
enum Primitives {
    private static func values(_ document: [UInt8], count: Int) -> [[UInt8]]? {
        let values = String(decoding: document, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
            .compactMap(Hex.decoded)
        return values.count == count ? values : nil
    }

    /// The shared secret of a secret scalar and a public key.
    static func x25519(_ document: [UInt8]) -> String {
        guard let values = values(document, count: 2), values[0].count == X25519.count else { return "refused" }
        return values[0].withBytes { scalar in
            values[1].withBytes { point in
                do throws(SodiumError) {
                    return text(try X25519.sharedSecret(of: scalar, with: point))
                } catch {
                    return "refused \(error)"
                }
            }
        }
    }

    /// The code of a message under a key.
    static func hmac(_ document: [UInt8]) -> String {
        guard let values = values(document, count: 2) else { return "refused" }
        return values[0].withBytes { key in values[1].withBytes { Hex.text(HMACSHA256.mac($0, key: key)) } }
    }

    /// So many bytes as the fourth value has, of a secret, a salt and what they are for.
    static func hkdf(_ document: [UInt8]) -> String {
        guard let values = values(document, count: 4), values[3].count <= HKDFSHA256.countLimit else {
            return "refused"
        }
        return values[0].withBytes { secret in
            text(HKDFSHA256.derive(from: secret, salt: values[1], info: values[2], count: values[3].count))
        }
    }

    /// The message of a ciphertext with its tag, by key, nonce and associated data.
    static func chacha20Poly1305(_ document: [UInt8]) -> String {
        guard let values = values(document, count: 4), values[0].count == ChaCha20Poly1305.keyCount,
            values[1].count == ChaCha20Poly1305.nonceCount
        else { return "refused" }
        return values[0].withBytes { key in
            values[3].withBytes { sealed in
                do throws(SodiumError) {
                    return text(
                        try ChaCha20Poly1305.open(sealed, key: key, nonce: values[1], associatedData: values[2]))
                } catch {
                    return "refused \(error)"
                }
            }
        }
    }

    private static func text(_ secret: borrowing SecretBytes) -> String { secret.withBytes { Hex.text([UInt8]($0)) } }
}
