internal import CSodium

/// Random bytes that are not secret: nonces, salts, identifiers.
package enum Randomness {
    /// `count` bytes from the system's generator.
    package static func bytes(_ count: Int) -> [UInt8] {
        Sodium.initialize()
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }
}
