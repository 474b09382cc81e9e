internal import CSodium

/// Whether this process can keep secrets out of swap.
package enum MemoryLock {
    /// Tries to lock `bytes` of memory, as a secret would, and unlocks them again.
    ///
    /// `sodium_malloc` ignores the failure of its own `mlock`; this asks for the answer. The usual
    /// limit is `RLIMIT_MEMLOCK`, 8 MiB.
    package static func isPossible(bytes: Int = 4_096) -> Bool {
        Sodium.initialize()
        guard let probe = unsafe sodium_malloc(bytes) else { return false }
        defer { unsafe sodium_free(probe) }
        return unsafe sodium_mlock(probe, bytes) == 0
    }
}
