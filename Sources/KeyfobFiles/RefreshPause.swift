internal import Glibc

/// The right to see to it that no refresh token is being redeemed; held as long as the value lives.
///
/// It is the lock of every grant at once (``GrantLock``): whoever waits for an answer of a provider has somewhere to
/// store it, and whoever begins later looks where the records lie by then.
package struct RefreshPause: ~Copyable {
    /// `F_OFD_SETLK`, which Linux's headers show to those alone who ask for GNU's extensions.
    private static let setLock: CInt = 37

    private let descriptor: CInt

    /// Waits until no token is being redeemed, but not for ever.
    ///
    /// - Throws: `busy`, `inputOutput`, `notWritable`, `diskFull`.
    package init(_ directory: VaultDirectory, orBusyAfter limit: Duration) throws {
        let path = directory.refreshLock
        let descriptor = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw POSIXFile.failure() }
        // A length of 0 is everything to the end.
        var all = Glibc.flock()
        all.l_type = Int16(F_WRLCK)
        all.l_whence = Int16(SEEK_SET)
        let end = ContinuousClock.now + limit
        while unsafe fcntl(descriptor, Self.setLock, &all) != 0 {
            let isTaken = errno == EAGAIN || errno == EACCES
            guard isTaken || errno == EINTR, ContinuousClock.now < end else {
                let error = isTaken ? StoreError.busy : POSIXFile.failure()
                close(descriptor)
                throw error
            }
            usleep(5_000)
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }
}
