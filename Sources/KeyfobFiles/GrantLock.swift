internal import Glibc

/// The exclusive right, across threads and processes, to use one refresh token; held as long as the value lives.
///
/// One file serves every grant: each has a byte of its own in it, so that nothing has to be cleaned up.
package struct GrantLock: ~Copyable {
    private let descriptor: CInt

    /// Takes the lock of the grant with this number in the file at `path`; nil while somebody else has it.
    ///
    /// - Throws: `inputOutput`, `notWritable`, `diskFull`.
    package static func attempt(_ path: String, grant: UInt64) throws -> GrantLock? {
        let descriptor = try POSIXFile.openLock(path)
        do {
            guard try ByteLock.set(F_WRLCK, on: descriptor, from: Int64(grant & 0x3FFF_FFFF_FFFF_FFFF), count: 1) else {
                close(descriptor)
                return nil
            }
        } catch {
            close(descriptor)
            throw error
        }
        return GrantLock(descriptor: descriptor)
    }

    private init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        // A child of this process that is just being started may have a copy, and would keep the lock.
        _ = try? ByteLock.set(F_UNLCK, on: descriptor, from: 0, count: 0)
        close(descriptor)
    }
}
