internal import CSodium

/// Diffie-Hellman on Curve25519 (RFC 7748, section 5).
package enum X25519 {
    /// The length of a secret scalar, of a public key and of a shared secret, in bytes.
    package static let count = 32

    /// The public key of `secret` (32 bytes): its product with the base point.
    package static func publicKey(of secret: RawSpan) -> [UInt8] {
        precondition(secret.byteCount == count, "a scalar of X25519 has 32 bytes")
        Sodium.initialize()
        var point = [UInt8](repeating: 0, count: count)
        let result = unsafe secret.withUnsafeBytes { unsafe crypto_scalarmult_base(&point, $0.octets) }
        precondition(result == 0, "the base point has no small order")
        return point
    }

    /// The secret shared between the holder of `secret` (32 bytes) and of `publicKey`'s scalar.
    ///
    /// - Throws: `invalidParameters` when `publicKey` is not 32 bytes or a point of small order,
    ///   which makes the product zero whatever the scalar is.
    package static func sharedSecret(
        of secret: RawSpan, with publicKey: RawSpan
    ) throws(SodiumError) -> SecretBytes {
        precondition(secret.byteCount == count, "a scalar of X25519 has 32 bytes")
        guard publicKey.byteCount == count else { throw .invalidParameters }
        return try SecretBytes(count: count, placement: .recycled) {
            (span: inout MutableRawSpan) throws(SodiumError) in
            let result = unsafe span.withUnsafeMutableBytes { product in
                unsafe secret.withUnsafeBytes { scalar in
                    unsafe publicKey.withUnsafeBytes { point in
                        unsafe crypto_scalarmult(product.octets, scalar.octets, point.octets)
                    }
                }
            }
            guard result == 0 else { throw .invalidParameters }
        }
    }
}
