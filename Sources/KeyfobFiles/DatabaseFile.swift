internal import Glibc

/// A file of SQLite's that is open for reading at any place in it, with the lock under which nobody changes it.
///
/// Like SQLite's, that lock stands on bytes that no page has (https://sqlite.org/src/file/src/os.h, `PENDING_BYTE`).
package final class DatabaseFile {
    /// Where a writer keeps new readers out.
    private static let pending: Int64 = 0x4000_0000
    /// Where a writer has a lock from before its journal is there until that is gone.
    private static let reserved = pending + 1
    /// Where whoever reads has a lock, and whoever changes the file has them all.
    private static let (shared, sharedCount): (Int64, Int64) = (pending + 2, 510)

    private let descriptor: CInt
    /// How many bytes it had when it was locked.
    package let size: Int64

    /// Opens a file of a vault, and locks it against changes for as long as the value lives, or until ``unlock()``.
    ///
    /// - Throws: `unsafePath`, `noVault`, as `VaultDirectory.checkFile`; `busy` where somebody changes it, or has
    ///   begun to and not ended; `inputOutput`.
    package init(_ path: String, of directory: VaultDirectory) throws(StorageFailure) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw POSIXFile.failure() }
        do throws(StorageFailure) {
            let isFree = try ByteLock.set(F_RDLCK, on: descriptor, from: Self.pending, count: 1)
            guard isFree, try ByteLock.set(F_RDLCK, on: descriptor, from: Self.shared, count: Self.sharedCount) else {
                throw StoreError.busy
            }
            _ = try ByteLock.set(F_UNLCK, on: descriptor, from: Self.pending, count: 1)
            // A journal that no writer has has to be played back first, by whoever may write; one that has is kept from
            // changing the file.
            if try POSIXFile.status(path + "-journal") != nil {
                guard try ByteLock.isTaken(Self.reserved, of: descriptor) else { throw StoreError.busy }
            }
            guard try POSIXFile.status(path + "-wal") == nil else { throw StoreError.busy }
            size = try directory.check(POSIXFile.Status(of: descriptor), of: path).size
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Gives up the lock; nothing can be relied upon that is read from then on.
    package func unlock() throws(StorageFailure) {
        _ = try ByteLock.set(F_UNLCK, on: descriptor, from: 0, count: 0)
    }

    /// Reads `count` bytes from `offset` on.
    ///
    /// - Throws: `damaged` where there are not as many; `inputOutput`.
    package func bytes(at offset: Int64, count: Int) throws(StorageFailure) -> [UInt8] {
        var done = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            done = unsafe pread(descriptor, buffer.baseAddress, count, off_t(offset))
            initialized = max(done, 0)
        }
        guard done >= 0 else { throw POSIXFile.failure() }
        guard done == count else { throw StoreError.damaged(what: "keyring.db") }
        return bytes
    }
}
