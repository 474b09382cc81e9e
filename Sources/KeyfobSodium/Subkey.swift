internal import CSodium

/// Keys derived from a key for a named purpose (`crypto_kdf`, which is BLAKE2b).
package enum Subkey {
    /// The length of a subkey and of the key it comes from, in bytes.
    package static let count = 32

    /// The purpose of a subkey: eight ASCII characters and a number.
    package struct Purpose: Sendable {
        let context: [UInt8]
        let number: UInt64

        /// A purpose; `context` must be eight ASCII characters.
        package init(_ context: StaticString, _ number: UInt64) {
            let bytes = Array(context.description.utf8)
            precondition(bytes.count == 8, "a context of crypto_kdf has eight characters")
            self.context = bytes
            self.number = number
        }
    }

    /// Writes the subkey of `key` (32 bytes) for `purpose` into `output` at `offset`.
    package static func derive(
        _ purpose: Purpose, from key: RawSpan, into output: inout MutableRawSpan, at offset: Int
    ) {
        precondition(key.byteCount == count && offset >= 0 && offset + count <= output.byteCount)
        let result = unsafe output.withUnsafeMutableBytes { target in
            unsafe key.withUnsafeBytes { source in
                unsafe purpose.context.withUnsafeBytes { context in
                    unsafe crypto_kdf_derive_from_key(
                        target.octets.advanced(by: offset), count,
                        purpose.number,
                        context.characters,
                        source.octets)
                }
            }
        }
        precondition(result == 0, "crypto_kdf was given lengths outside its range")
    }
}
