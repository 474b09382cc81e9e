internal import CSodium

extension SHA256 {
    /// The hash of what comes piece by piece: a file that need not fit into memory.
    package struct Stream: ~Copyable {
        private var state = crypto_hash_sha256_state()

        /// Nothing yet.
        package init() {
            Sodium.initialize()
            _ = unsafe crypto_hash_sha256_init(&state)
        }

        /// Goes on with `bytes`.
        package mutating func append(_ bytes: RawSpan) {
            unsafe bytes.withUnsafeBytes { bytes in
                _ = unsafe crypto_hash_sha256_update(&state, bytes.octets, UInt64(bytes.count))
            }
        }

        /// The hash of all that came.
        package consuming func finish() -> [UInt8] {
            var output = [UInt8](repeating: 0, count: SHA256.count)
            _ = unsafe crypto_hash_sha256_final(&state, &output)
            return output
        }
    }
}
