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
