internal import CSodium

/// scrypt (RFC 7914): a passphrase becomes a key, where a format asks for it.
///
/// Keyfob's own passphrases go through ``Argon2id``.
package enum Scrypt {
    /// What one derivation costs: about `128 * blockSize * 2^logarithm` bytes of memory, and time in
    /// proportion to that and `parallelization`.
    package struct Cost: Equatable, Hashable, Sendable {
        /// The base-two logarithm of the RFC's N, 1 to 62.
        package var logarithm: Int
        /// The RFC's r.
        package var blockSize: UInt32
        /// The RFC's p.
        package var parallelization: UInt32

        /// Creates a cost; r is 8 and p is 1 unless told.
        package init(logarithm: Int, blockSize: UInt32 = 8, parallelization: UInt32 = 1) {
            self.logarithm = logarithm
            self.blockSize = blockSize
            self.parallelization = parallelization
        }
    }

    /// Derives a key of `count` bytes from `passphrase`.
    ///
    /// > Important: no cost is too high here. Whoever reads it from a file sets a limit first.
    ///
    /// - Throws: `invalidParameters` for a logarithm outside 1 to 62, before computing;
    ///   `outOfMemory` when the memory cannot be had.
    package static func derive(
        passphrase: borrowing SecretBytes, salt: [UInt8], cost: Cost, count: Int = 32
    ) throws(SodiumError) -> SecretBytes {
        guard (1...62).contains(cost.logarithm) else { throw .invalidParameters }
        return try SecretBytes(count: count) { (span: inout MutableRawSpan) throws(SodiumError) in
            let result = unsafe span.withUnsafeMutableBytes { output in
                passphrase.withBytes { bytes in
                    unsafe bytes.withUnsafeBytes { password in
                        unsafe crypto_pwhash_scryptsalsa208sha256_ll(
                            password.octets, password.count, salt, salt.count,
                            1 << UInt64(cost.logarithm), cost.blockSize, cost.parallelization,
                            output.octets, output.count)
                    }
                }
            }
            guard result == 0 else { throw .outOfMemory }
        }
    }
}
