internal import CSodium

/// Argon2id version 1.3 (RFC 9106) with one lane: a passphrase becomes a key.
package enum Argon2id {
    /// The length of a salt in bytes.
    package static let saltCount = 16

    /// What one derivation costs.
    ///
    /// Stored beside what it protects, and honoured when read back.
    package struct Cost: Equatable, Hashable, Sendable {
        /// Passes over the memory.
        package var operations: UInt32
        /// Memory in bytes.
        package var memory: UInt64

        package init(operations: UInt32, memory: UInt64) {
            self.operations = operations
            self.memory = memory
        }

        /// Three passes over 256 MiB.
        package static let standard = Cost(operations: 3, memory: 256 << 20)
        /// Two passes over 64 MiB: less is refused.
        package static let floor = Cost(operations: 2, memory: 64 << 20)
        /// Ten passes, 1 GiB: more is refused before anything is computed.
        package static let cap = Cost(operations: 10, memory: 1 << 30)

        /// Whether both numbers lie between ``floor`` and ``cap``.
        package var isAcceptable: Bool {
            (Self.floor.operations...Self.cap.operations).contains(operations)
                && (Self.floor.memory...Self.cap.memory).contains(memory)
        }
    }

    /// Derives a key of `count` bytes from `passphrase`.
    ///
    /// - Throws: `invalidParameters` for a cost outside floor and cap or a salt that is not 16
    ///   bytes, before computing; `outOfMemory` when the memory cannot be had.
    package static func derive(
        passphrase: borrowing SecretBytes, salt: [UInt8], cost: Cost, count: Int = 32
    ) throws(SodiumError) -> SecretBytes {
        guard cost.isAcceptable, salt.count == saltCount else { throw .invalidParameters }
        return try SecretBytes(count: count) { (span: inout MutableRawSpan) throws(SodiumError) in
            let result = unsafe span.withUnsafeMutableBytes { output in
                passphrase.withBytes { bytes in
                    unsafe bytes.withUnsafeBytes { password in
                        unsafe crypto_pwhash(
                            output.octets, UInt64(output.count),
                            password.characters, UInt64(password.count),
                            salt, UInt64(cost.operations), Int(cost.memory), crypto_pwhash_ALG_ARGON2ID13)
                    }
                }
            }
            guard result == 0 else { throw .outOfMemory }
        }
    }
}
