internal import CSodium

/// SHA-256 (FIPS 180-4), where a protocol names it.
package enum SHA256 {
    /// The length of a hash in bytes.
    package static let count = 32

    /// The hash of `message`.
    package static func hash(_ message: RawSpan) -> [UInt8] {
        Sodium.initialize()
        var output = [UInt8](repeating: 0, count: count)
        let result = unsafe message.withUnsafeBytes { bytes in
            unsafe crypto_hash_sha256(&output, bytes.octets, UInt64(bytes.count))
        }
        precondition(result == 0, "SHA-256 cannot fail")
        return output
    }
}
