internal import Glibc

/// Locks on ranges of a file's bytes that go with an open file description (fcntl, `F_OFD_SETLK`): they keep out other
/// descriptions of the same process too, and whoever dies lets go.
enum ByteLock {
    /// Linux's headers show `F_OFD_GETLK` and `F_OFD_SETLK` to those alone who ask for GNU's extensions.
    private static let (get, set): (CInt, CInt) = (36, 37)

    /// Sets, changes or gives up (`F_RDLCK`, `F_WRLCK`, `F_UNLCK`) a lock, without waiting.
    ///
    /// - Returns: False where somebody else's lock is in the way.
    /// - Throws: `inputOutput`.
    static func set(
        _ kind: CInt, on descriptor: CInt, from start: Int64, count: Int64
    ) throws(StorageFailure) -> Bool {
        var range = range(kind, start, count)
        var result: CInt
        repeat { result = unsafe fcntl(descriptor, set, &range) } while result != 0 && errno == EINTR
        guard result != 0 else { return true }
        guard errno == EAGAIN || errno == EACCES else { throw POSIXFile.failure() }
        return false
    }

    /// Whether somebody else has a lock for writing on a byte.
    ///
    /// - Throws: `inputOutput`.
    static func isTaken(_ byte: Int64, of descriptor: CInt) throws(StorageFailure) -> Bool {
        var found = range(F_RDLCK, byte, 1)
        guard unsafe fcntl(descriptor, get, &found) == 0 else { throw POSIXFile.failure() }
        return CInt(found.l_type) != F_UNLCK
    }

    private static func range(_ kind: CInt, _ start: Int64, _ count: Int64) -> Glibc.flock {
        var range = Glibc.flock()
        range.l_type = Int16(kind)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(start)
        range.l_len = off_t(count)
        return range
    }
}
