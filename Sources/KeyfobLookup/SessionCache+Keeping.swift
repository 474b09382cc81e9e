internal import KeyfobFiles
package import KeyfobKernelKeyring
package import KeyfobModel
package import KeyfobVault

extension SessionCache {
    /// Throws what would keep ``store(_:in:seconds:now:)`` from working.
    ///
    /// - Throws: `NoRuntimeFolder`, `KernelKeyring.Failure`, `StoreError`.
    package func require(_ keyring: KernelKeyring) throws {
        try folder().prepare()
        try keyring.probe()
    }

    /// Keeps a key for so many seconds.
    ///
    /// - Throws: As ``require(_:)``.
    package func store(
        _ unlocking: borrowing UnlockingKey, in keyring: KernelKeyring, seconds: UInt32, now: Timestamp
    ) throws {
        let kept = KeptKey(
            unlocking, vault: vault, user: KernelKeyring.owner, until: now.advanced(by: Int64(seconds)).seconds,
            secret: try folder().secretToWrapUnder())
        try keyring.store(kept.bytes, name: name, seconds: seconds)
    }
}
