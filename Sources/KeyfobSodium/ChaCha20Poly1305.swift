internal import CSodium

/// ChaCha20-Poly1305 as the IETF has it (RFC 8439).
///
/// > Important: the nonce is too short to be random, and the cipher does not commit to its key.
/// > What is stored here is sealed with ``CommittingAEAD``; this is for formats that others set.
package enum ChaCha20Poly1305 {
    /// The length of a key in bytes.
    package static let keyCount = 32
    /// The length of a nonce in bytes.
    package static let nonceCount = 12
    /// The length of the authentication tag at the end of a ciphertext, in bytes.
    package static let tagCount = 16

    /// The encryption of `message` and its 16-byte tag.
    ///
    /// `nonce` (12 bytes) must never have been used with `key` (32 bytes) before.
    package static func seal(
        _ message: RawSpan, key: RawSpan, nonce: [UInt8], associatedData: [UInt8] = []
    ) -> [UInt8] {
        precondition(key.byteCount == keyCount && nonce.count == nonceCount)
        Sodium.initialize()
        var ciphertext = [UInt8](repeating: 0, count: message.byteCount + tagCount)
        let result = unsafe message.withUnsafeBytes { plain in
            unsafe key.withUnsafeBytes { key in
                unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
                    &ciphertext, nil, plain.octets, UInt64(plain.count),
                    associatedData, UInt64(associatedData.count), nil, nonce, key.octets)
            }
        }
        precondition(result == 0, "ChaCha20-Poly1305 was given lengths outside its range")
        return ciphertext
    }

    /// Opens `ciphertext` into guarded memory; nothing is decrypted before the tag is verified.
    ///
    /// - Throws: `forged` when the key is another or the ciphertext was altered,
    ///   `invalidParameters` when it is shorter than a tag.
    package static func open(
        _ ciphertext: RawSpan, key: RawSpan, nonce: [UInt8], associatedData: [UInt8] = [],
        placement: SecretBytes.Placement = .dedicated
    ) throws(SodiumError) -> SecretBytes {
        precondition(key.byteCount == keyCount && nonce.count == nonceCount)
        guard ciphertext.byteCount >= tagCount else { throw .invalidParameters }
        return try SecretBytes(count: ciphertext.byteCount - tagCount, placement: placement) {
            (span: inout MutableRawSpan) throws(SodiumError) in
            let result = unsafe span.withUnsafeMutableBytes { output in
                unsafe ciphertext.withUnsafeBytes { sealed in
                    unsafe key.withUnsafeBytes { key in
                        unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
                            output.octets, nil, nil, sealed.octets, UInt64(sealed.count),
                            associatedData, UInt64(associatedData.count), nonce, key.octets)
                    }
                }
            }
            guard result == 0 else { throw .forged }
        }
    }
}
