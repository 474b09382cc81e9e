internal import CSodium

/// BLAKE2b (RFC 7693) with or without a key.
package enum BLAKE2b {
    /// The hash of `message`, `count` bytes (16 to 64) long.
    package static func hash(_ message: RawSpan, count: Int) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: count)
        unsafe output.withUnsafeMutableBytes { unsafe compute(message, key: nil, into: $0) }
        return output
    }

    /// The keyed hash of `message` under `key` (16 to 64 bytes), `count` bytes (16 to 64) long.
    package static func mac(_ message: RawSpan, key: RawSpan, count: Int) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: count)
        unsafe output.withUnsafeMutableBytes { target in
            unsafe key.withUnsafeBytes { unsafe compute(message, key: $0, into: target) }
        }
        return output
    }

    /// The keyed hash as a secret: a key derived from a key.
    package static func derive(
        _ message: RawSpan, key: RawSpan, count: Int, placement: SecretBytes.Placement = .dedicated
    ) -> SecretBytes {
        SecretBytes(count: count, placement: placement) { span in
            unsafe span.withUnsafeMutableBytes { output in
                unsafe key.withUnsafeBytes { unsafe compute(message, key: $0, into: output) }
            }
        }
    }

    /// Fills `output`; lengths are the callers' constants, so a refusal is a programming error.
    static func compute(
        _ message: RawSpan, key: UnsafeRawBufferPointer?, into output: UnsafeMutableRawBufferPointer
    ) {
        let result = unsafe message.withUnsafeBytes { bytes in
            unsafe crypto_generichash(
                output.octets, output.count,
                bytes.octets, UInt64(bytes.count),
                key?.octets, key?.count ?? 0)
        }
        precondition(result == 0, "BLAKE2b was given lengths outside its range")
    }
}
