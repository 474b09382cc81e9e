internal import CSodium

/// The library's one-time initialisation.
package enum Sodium {
    /// Whether `sodium_init` succeeded; evaluated once, on first use.
    private static let isReady: Bool = sodium_init() >= 0

    /// Makes sure that libsodium can be used.
    ///
    /// `sodium_init` fails only where the system offers no randomness; nothing can be done
    /// safely then, so the process ends.
    package static func initialize() {
        precondition(isReady, "libsodium could not be initialised: the system offers no randomness")
    }
}

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
