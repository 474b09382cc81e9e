internal import Glibc

/// An exclusive lock across processes, held as long as the value lives.
///
/// The lock file is never unlinked: whoever unlinks a lock file lets two holders in.
package struct FileLock: ~Copyable {
    private let descriptor: CInt

    /// Waits for the lock at `path`, but not for ever: whoever has it may have been stopped, or be this very process.
    ///
    /// - Parameter limit: Many derivations of keys fit into what is waited unless said otherwise.
    /// - Throws: `busy`, `inputOutput`, `notWritable`, `diskFull`.
    package init(_ path: String, orBusyAfter limit: Duration = .seconds(60)) throws {
        let descriptor = try POSIXFile.openLock(path)
        let end = ContinuousClock.now + limit
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < end else {
                let error = errno == EWOULDBLOCK ? StoreError.busy : POSIXFile.failure()
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
