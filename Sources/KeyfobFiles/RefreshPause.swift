internal import Glibc

/// The right to see to it that no refresh token is being redeemed; held as long as the value lives.
///
/// It is the lock of every grant at once (``GrantLock``): whoever waits for an answer of a provider has somewhere to
/// store it, and whoever begins later looks where the records lie by then.
package struct RefreshPause: ~Copyable {
    /// For how long answers to those who redeem a refresh token are waited for: longer than they wait themselves.
    package static let patience = Duration.seconds(40)

    private let descriptor: CInt

    /// Waits until no token is being redeemed, but not for ever.
    ///
    /// - Throws: `busy`, `inputOutput`, `notWritable`, `diskFull`.
    package init(_ directory: VaultDirectory, orBusyAfter limit: Duration = patience) throws {
        let path = directory.refreshLock
        let descriptor = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw POSIXFile.failure() }
        let end = ContinuousClock.now + limit
        do {
            // A count of 0 is everything to the end.
            while try !ByteLock.set(F_WRLCK, on: descriptor, from: 0, count: 0) {
                guard ContinuousClock.now < end else { throw StoreError.busy }
                usleep(5_000)
            }
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit {
        // As in a grant's lock.
        _ = try? ByteLock.set(F_UNLCK, on: descriptor, from: 0, count: 0)
        close(descriptor)
    }
}
