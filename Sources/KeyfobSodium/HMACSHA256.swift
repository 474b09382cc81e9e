internal import CSodium

/// HMAC with SHA-256 (RFC 2104) under a key of any length.
package enum HMACSHA256 {
    /// The length of an authentication code in bytes.
    package static let count = 32

    /// The authentication code of `message` under `key`.
    package static func mac(_ message: RawSpan, key: RawSpan) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: count)
        unsafe output.withUnsafeMutableBytes { target in
            unsafe key.withUnsafeBytes { key in
                unsafe message.withUnsafeBytes { unsafe compute($0, key: key, into: target) }
            }
        }
        return output
    }

    /// Writes the code of `first` and `second`, one after the other, into `output`, which has 32
    /// bytes and may be one of them.
    static func compute(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer? = nil,
        key: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        precondition(output.count == count, "a code of HMAC-SHA-256 has 32 bytes")
        Sodium.initialize()
        var state = crypto_auth_hmacsha256_state()
        defer { unsafe sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        var results = unsafe crypto_auth_hmacsha256_init(&state, key.octets, key.count)
        results |= unsafe crypto_auth_hmacsha256_update(&state, first.octets, UInt64(first.count))
        if let second = unsafe second {
            results |= unsafe crypto_auth_hmacsha256_update(&state, second.octets, UInt64(second.count))
        }
        results |= unsafe crypto_auth_hmacsha256_final(&state, output.octets)
        precondition(results == 0, "HMAC-SHA-256 cannot fail")
    }
}
