internal import Glibc

/// The exclusive right, across threads and processes, to use one refresh token; held as long as the value lives.
///
/// One file serves every grant: each has a byte of its own in it, locked by open file description (fcntl,
/// `F_OFD_SETLK`), so that nothing has to be cleaned up and a process that dies lets go.
package struct GrantLock: ~Copyable {
    /// `F_OFD_SETLK`, which Linux's headers show to those alone who ask for GNU's extensions.
    private static let setLock: CInt = 37

    private let descriptor: CInt

    /// Takes the lock of the grant with this number in the file at `path`; nil while somebody else has it.
    ///
    /// - Throws: `inputOutput`, `notWritable`, `diskFull`.
    package static func attempt(_ path: String, grant: UInt64) throws -> GrantLock? {
        let descriptor = try POSIXFile.openLock(path)
        var byte = Glibc.flock()
        byte.l_type = Int16(F_WRLCK)
        byte.l_whence = Int16(SEEK_SET)
        byte.l_start = off_t(grant & 0x3FFF_FFFF_FFFF_FFFF)
        byte.l_len = 1
        var result: CInt
        repeat { result = unsafe fcntl(descriptor, setLock, &byte) } while result != 0 && errno == EINTR
        guard result == 0 else {
            let isTaken = errno == EAGAIN || errno == EACCES
            let error = POSIXFile.failure()
            close(descriptor)
            guard isTaken else { throw error }
            return nil
        }
        return GrantLock(descriptor: descriptor)
    }

    private init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }
}
