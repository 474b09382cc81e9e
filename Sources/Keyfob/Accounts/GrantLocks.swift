internal import Glibc
internal import KeyfobFiles
internal import KeyfobRecords

/// The locks of several refresh tokens, which nobody else uses as long as it lives.
final class GrantLocks {
    static let busy = KeyringError(
        .busy, "a refresh of this account is under way", advice: .tryAgain(.nothingChanged))

    private let locks: [Held]

    private final class Held {
        let lock: GrantLock

        init(_ lock: consuming GrantLock) {
            self.lock = lock
        }
    }

    /// Waits for all of them; whoever calls holds nothing that a refresh needs.
    ///
    /// - Throws: `busy` where that takes longer than `patience`; what opening the file of locks can throw.
    init(_ keys: Set<GrantKey>, of keyring: Keyring, patience: Duration) throws(KeyringError) {
        let vault = keyring.vaultID
        let end = ContinuousClock.now.advanced(by: patience)
        var locks: [Held] = []
        // In one order for all, and each number once: a second lock of a number waits for the first.
        for number in Set(keys.map { $0.lockNumber(vault: vault) }).sorted() {
            while true {
                do {
                    if let lock = try GrantLock.attempt(keyring.database.directory.refreshLock, grant: number) {
                        locks.append(Held(lock))
                        break
                    }
                } catch {
                    throw KeyringError(error)
                }
                guard ContinuousClock.now < end else { throw Self.busy }
                usleep(10_000)
            }
        }
        self.locks = locks
    }
}
