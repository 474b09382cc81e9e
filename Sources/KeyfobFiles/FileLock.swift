internal import Glibc

/// An exclusive lock across processes, held as long as the value lives.
///
/// The lock file is never unlinked: whoever unlinks a lock file lets two holders in.
package struct FileLock: ~Copyable {
    private let descriptor: CInt

    /// Waits for the lock at `path`, but not for ever: whoever has it may have been stopped, or be this very process.
    ///
    /// - Parameter limit: How long is waited. Whoever has the lock may be deriving a key from a passphrase, which takes a second or
    ///   more; the usual minute has room for many of them.
    /// - Throws: `busy`, `inputOutput`, `notWritable`, `diskFull`.
    package init(_ path: String, orBusyAfter limit: Duration = .seconds(60)) throws(StorageFailure) {
        let descriptor = try POSIXFile.openLock(path)
        let end = now() + limit
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, now() < end else {
                let error = errno == EWOULDBLOCK ? StoreError.busy : POSIXFile.failure()
                close(descriptor)
                throw error
            }
            usleep(5_000)
        }
        self.descriptor = descriptor
    }

    /// The file that is locked; nil when the system does not tell.
    package var file: FileIdentity? { FileIdentity(of: descriptor) }

    /// Lets it go before the descriptor is closed, of which a process that is just being started may have a copy.
    deinit {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

/// The time since the machine started; Swift's own clock brings the concurrency runtime with it.
private func now() -> Duration {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
