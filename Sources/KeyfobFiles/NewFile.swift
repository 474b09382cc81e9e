internal import CLinux
internal import Glibc

/// A file that is there as a whole or not at all: written under another name beside its place, for its owner alone.
package struct NewFile: ~Copyable {
    private let path: String
    private let temporary: TemporaryFile
    private var descriptor: CInt { temporary.descriptor }
    private var isInPlace = false

    /// Begins the file that is to be at `path`.
    ///
    /// - Throws: `alreadyThere`, `diskFull`, `notWritable`, `inputOutput`.
    package static func begin(_ path: String) throws(StorageFailure) -> NewFile {
        guard try POSIXFile.status(path) == nil else { throw StoreError.alreadyThere(path: path) }
        return NewFile(path: path, temporary: try TemporaryFile.make(for: path))
    }

    private init(path: String, temporary: TemporaryFile) {
        self.path = path
        self.temporary = temporary
    }

    deinit {
        if !isInPlace { unsafe unlink(temporary.path) }
        close(descriptor)
    }

    /// Appends bytes.
    package func write(_ bytes: RawSpan) throws(StorageFailure) {
        var start = 0
        while start < bytes.byteCount {
            let rest = bytes.extracting(start..<bytes.byteCount)
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw POSIXFile.failure() }
            start += count
        }
    }

    /// Brings what was written to the disk.
    package func synchronize() throws(StorageFailure) {
        guard fsync(descriptor) == 0 else { throw POSIXFile.failure() }
        // So that reading it back asks the disk, where the system follows the advice.
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }

    /// What was written, from `offset` on; empty at the end.
    package func piece(at offset: Int, count: Int = 65_536) throws(StorageFailure) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let read = unsafe pread(descriptor, &buffer, count, off_t(offset))
        guard read >= 0 else { throw POSIXFile.failure() }
        return Array(buffer[..<read])
    }

    /// Gives the file its name, or another one in the same folder, unless something else has it by now.
    ///
    /// - Throws: `alreadyThere`, `diskFull`, `notWritable`, `inputOutput`, `unconfirmed`.
    package mutating func putInPlace(as name: String? = nil) throws(StorageFailure) {
        let name = name ?? path
        try POSIXFile.moveToNewName(temporary.path, name)
        isInPlace = true
        try POSIXFile.confirmFolder(of: name)
    }
}

extension POSIXFile {
    /// Renames a file, unless something has the new name already; in one step where the file system can do that.
    ///
    /// - Throws: `alreadyThere`, `diskFull`, `notWritable`, `inputOutput`.
    package static func moveToNewName(_ path: String, _ new: String) throws(StorageFailure) {
        if unsafe linux_rename_to_new(path, new) == 0 { return }
        guard errno == EINVAL || errno == ENOSYS else { throw errno == EEXIST ? taken(new) : failure() }
        if unsafe link(path, new) == 0 {
            unsafe unlink(path)
            return
        }
        // Not every file system has several names for a file either, and no folder has.
        guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { throw errno == EEXIST ? taken(new) : failure() }
        guard try status(new) == nil else { throw taken(new) }
        try move(path, to: new)
    }

    private static func taken(_ path: String) -> StoreError { .alreadyThere(path: path) }

    /// The names in a folder; none where there is no folder.
    ///
    /// - Parameter limit: How many are enough.
    package static func names(in folder: String, limit: Int = .max) throws(StorageFailure) -> [String] {
        guard let stream = unsafe opendir(folder) else {
            if errno == ENOENT { return [] }
            throw failure()
        }
        return unsafe names(closing: stream, limit: limit)
    }

    /// The names that a stream has, which it closes.
    static func names(closing stream: OpaquePointer, limit: Int = .max) -> [String] {
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = unsafe readdir(stream) {
            let bytes = unsafe withUnsafeBytes(of: &(entry.pointee.d_name)) { unsafe Array($0) }
            let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes an empty folder, if it is there.
    package static func removeFolder(_ path: String) throws(StorageFailure) {
        guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw failure() }
    }
}

extension VaultDirectory {
    /// Where backups are kept.
    package var backups: String { path + "/backups" }
    /// Where a vault is built before it is put in its place.
    package var building: VaultDirectory { VaultDirectory(path: path + "/.restoring") }

    /// Removes what processes that were killed left behind, before the first change that this one makes.
    package func removeAbandoned() {
        for folder in [path, backups] { TemporaryFile.removeAbandoned(in: folder) }
        // Whoever puts a vault in its place has the lock until its folder is gone.
        guard Self.isThere(building.path), let turn = try? FileLock(lock, orBusyAfter: .zero)
        else { return }
        try? removeBuilding()
        _ = consume turn
    }

    /// Whether nothing is where the database would be, and that is known.
    package var lacksDatabase: Bool {
        do {
            return try POSIXFile.status(database) == nil
        } catch {
            return false
        }
    }

    private static func isThere(_ path: String) -> Bool { (try? POSIXFile.status(path)) != nil }

    /// Removes a vault that was being built, whole or not.
    package func removeBuilding() throws(StorageFailure) {
        for name in try POSIXFile.names(in: building.path) { try POSIXFile.remove(building.path + "/" + name) }
        try POSIXFile.removeFolder(building.path)
    }

    /// Puts a vault that was built in its place; nothing may have it open.
    ///
    /// - Throws: `alreadyThere` where there is one by now, `inputOutput`, `notWritable`, `diskFull`.
    package func takeBuilding() throws(StorageFailure) {
        try POSIXFile.moveToNewName(building.database, database)
        // The vault is there now; its header's copy can be made again.
        try? POSIXFile.moveToNewName(building.headerCopy, headerCopy)
        try POSIXFile.confirmFolder(of: database)
        try? removeBuilding()
    }
}
