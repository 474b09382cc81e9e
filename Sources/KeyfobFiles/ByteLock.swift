internal import Glibc

/// Locks on ranges of a file's bytes that go with an open file description (fcntl, `F_OFD_SETLK`): they keep out other
/// descriptions of the same process too, and whoever dies lets go.
enum ByteLock {
    /// Linux's headers show `F_OFD_SETLK` to those alone who ask for GNU's extensions.
    private static let set: CInt = 37

    /// Sets, changes or gives up (`F_RDLCK`, `F_WRLCK`, `F_UNLCK`) a lock, without waiting.
    ///
    /// - Returns: False where somebody else's lock is in the way.
    /// - Throws: `inputOutput`.
    static func set(
        _ kind: CInt, on descriptor: CInt, from start: Int64, count: Int64
    ) throws(StorageFailure) -> Bool {
        var range = Glibc.flock()
        range.l_type = Int16(kind)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(start)
        range.l_len = off_t(count)
        var result: CInt
        repeat { result = unsafe fcntl(descriptor, set, &range) } while result != 0 && errno == EINTR
        guard result != 0 else { return true }
        guard errno == EAGAIN || errno == EACCES else { throw POSIXFile.failure() }
        return false
    }
}
