internal import CSodium

/// Signatures by Ed25519 (RFC 8032), of whole messages.
package enum Ed25519 {
    /// The length of a seed and of a public key, in bytes.
    package static let keyCount = 32
    /// The length of a signature, in bytes.
    package static let signatureCount = 64

    /// The public key of a seed (32 bytes).
    package static func publicKey(of seed: RawSpan) -> [UInt8] {
        withKeys(of: seed) { publicKey, _ in publicKey }
    }

    /// The signature of a message under the key of a seed (32 bytes).
    package static func signature(of message: [UInt8], seed: RawSpan) -> [UInt8] {
        withKeys(of: seed) { _, secretKey in
            var signature = [UInt8](repeating: 0, count: signatureCount)
            let result = unsafe secretKey.withUnsafeBytes { key in
                unsafe crypto_sign_detached(&signature, nil, message, UInt64(message.count), key.octets)
            }
            precondition(result == 0, "a signature cannot fail")
            return signature
        }
    }

    /// Whether a signature is the one of a message under a public key; false for one of another length.
    ///
    /// A key of small order, with which anybody could sign, has none.
    package static func isValid(_ signature: [UInt8], of message: RawSpan, publicKey: [UInt8]) -> Bool {
        guard signature.count == signatureCount, publicKey.count == keyCount else { return false }
        Sodium.initialize()
        return unsafe message.withUnsafeBytes { message in
            unsafe crypto_sign_verify_detached(signature, message.octets, UInt64(message.count), publicKey) == 0
        }
    }

    private static func withKeys<Result>(of seed: RawSpan, _ body: ([UInt8], RawSpan) -> Result) -> Result {
        precondition(seed.byteCount == keyCount, "a seed of Ed25519 has 32 bytes")
        Sodium.initialize()
        var publicKey = [UInt8](repeating: 0, count: keyCount)
        let secretKey = SecretBytes(count: 64, placement: .recycled) { span in
            let result = unsafe span.withUnsafeMutableBytes { output in
                unsafe seed.withUnsafeBytes { seed in
                    unsafe crypto_sign_seed_keypair(&publicKey, output.octets, seed.octets)
                }
            }
            precondition(result == 0, "a key pair cannot fail")
        }
        return secretKey.withBytes { body(publicKey, $0) }
    }
}
