internal import Glibc

/// The few calls on files whose failures must be told apart.
package enum POSIXFile {
    /// What `lstat` says of a path.
    package struct Status: Sendable {
        private let mode: UInt32
        private let owner: UInt32
        package let linkCount: Int
        package let size: Int64
        private let changed: Int
        private let inode: UInt
        private let moments: (Int, Int, Int)

        init(_ status: stat) {
            mode = status.st_mode
            owner = status.st_uid
            linkCount = Int(status.st_nlink)
            size = Int64(status.st_size)
            changed = status.st_mtim.tv_sec
            inode = status.st_ino
            moments = (status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        }

        /// What is different after the file was changed or another one took its place.
        package var traits: [Int] {
            [Int(truncatingIfNeeded: inode), Int(size), changed, moments.0, moments.1, moments.2]
        }

        /// What the system says of an open file.
        init(of descriptor: CInt) throws(StorageFailure) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw failure() }
            self.init(status)
        }

        /// How long ago the content was changed, by the system's clock.
        package var secondsSinceChange: Int { time(nil) - changed }

        package var isSymbolicLink: Bool { mode & S_IFMT == S_IFLNK }
        package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
        package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }

        /// - Throws: `StoreError.unsafePath` for another owner or a mode that lets others write.
        package func requireOwn(_ path: String) throws(StorageFailure) {
            guard owner == geteuid() else {
                throw StoreError.unsafePath(path: path, reason: "it belongs to another user")
            }
            guard mode & 0o022 == 0 else {
                throw StoreError.unsafePath(path: path, reason: "others can write there; chmod go-w it")
            }
        }

        /// - Parameter user: Whose it is to be.
        /// - Throws: `StoreError.unsafePath` for another owner or a mode that lets others in.
        package func requireOwnAndPrivate(_ path: String, of user: UInt32 = geteuid()) throws(StorageFailure) {
            guard owner == user else {
                throw StoreError.unsafePath(path: path, reason: "it belongs to another user")
            }
            guard mode & 0o077 == 0 else {
                let shown = String(mode & 0o777, radix: 8)
                let wanted = isDirectory ? "0700" : "0600"
                throw StoreError.unsafePath(
                    path: path, reason: "its mode is 0\(shown), open to others; chmod \(wanted) it")
            }
        }
    }

    /// What is at `path`, or nil when nothing is; a symbolic link is not followed.
    package static func status(_ path: String) throws(StorageFailure) -> Status? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure()
        }
        return Status(status)
    }

    /// Makes a folder and the missing ones above it, each with mode 0700.
    package static func createDirectories(_ path: String) throws(StorageFailure) {
        guard try status(path) == nil else { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try createDirectories(String(path[..<slash]))
        }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure() }
        // Of one in which nobody may look, names cannot be brought to the disk.
        if unsafe access(folder(of: path), R_OK) == 0 { try synchronizeFolder(of: path) }
    }

    /// Makes an empty file, mode 0600, that must not exist yet.
    package static func createExclusively(_ path: String) throws(StorageFailure) {
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw errno == EEXIST ? StoreError.alreadyThere(path: path) : failure()
        }
        close(descriptor)
    }

    /// Puts `bytes` at `path`, the old file or the new one and never a mixture: written beside it,
    /// synchronised, renamed, and the folder synchronised.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(StorageFailure) {
        let temporary = try TemporaryFile.make(for: path)
        defer { close(temporary.descriptor) }
        do throws(StorageFailure) {
            try writeAll(bytes, to: temporary.descriptor)
            guard fsync(temporary.descriptor) == 0, unsafe rename(temporary.path, path) == 0 else { throw failure() }
        } catch {
            unsafe unlink(temporary.path)
            throw error
        }
        try synchronizeFolder(of: path)
    }

    /// Adds `bytes` to a file, which is made where it is missing; not synchronised.
    static func append(_ bytes: [UInt8], to path: String) throws(StorageFailure) {
        let descriptor = unsafe open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        try writeAll(bytes, to: descriptor)
    }

    /// Gives whatever is at `path` the name `other`, or the first of `other-2`, `other-3`… that nothing has.
    ///
    /// Nobody else may do the same meanwhile.
    ///
    /// - Returns: The name.
    @discardableResult
    package static func putAside(_ path: String, as other: String) throws(StorageFailure) -> String {
        let name = try unusedName(other)
        guard unsafe rename(path, name) == 0 else { throw failure() }
        return name
    }

    /// `path`, or the first of `path-2`, `path-3`… that nothing has; what it ends with stays its end.
    package static func unusedName(_ path: String, ending: String = "") throws(StorageFailure) -> String {
        var (name, number) = (path + ending, 2)
        while try status(name) != nil { (name, number) = ("\(path)-\(number)\(ending)", number + 1) }
        return name
    }

    /// The bytes of a file, nil when there is none; at most `limit`, a symbolic link is not followed.
    package static func read(_ path: String, limit: Int) throws(StorageFailure) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure()
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        // Most files that are read are small, and read often.
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count <= limit {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw failure() }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
        throw StoreError.damaged(what: path)
    }

    /// The folder that a path names something in.
    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Brings the names in the folder of `path` to the disk.
    package static func synchronizeFolder(of path: String) throws(StorageFailure) {
        let descriptor = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure() }
    }

    /// The same after what was to be made has got its name.
    ///
    /// - Throws: `unconfirmed`.
    static func confirmFolder(of path: String) throws(StorageFailure) {
        do { try synchronizeFolder(of: path) } catch { throw StoreError.unconfirmed(errno: errno) }
    }

    /// Waits until somebody closes a file that they have read; for the name of a file that was there when it was made.
    package struct ReadWatch: ~Copyable {
        private let descriptor: CInt

        /// Watches a file from now on; nil where the system does not offer that.
        package init?(_ path: String) {
            let opened = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
            guard opened >= 0 else { return nil }
            guard unsafe inotify_add_watch(opened, path, UInt32(IN_CLOSE_NOWRITE)) >= 0 else {
                close(opened)
                return nil
            }
            descriptor = opened
        }

        deinit { close(descriptor) }

        /// - Returns: Whether somebody has, within so many seconds.
        package func wait(seconds: Int32) -> Bool {
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&event, 1, seconds * 1_000) == 1
        }
    }

    static func writeAll(_ bytes: [UInt8], to descriptor: CInt) throws(StorageFailure) {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(descriptor, buffer.baseAddress?.advanced(by: start), bytes.count - start)
            }
            guard count > 0 else { throw failure() }
            start += count
        }
    }

    /// Opens a file that is there to be locked, and makes it where it is missing.
    ///
    /// - Throws: `inputOutput`, `notWritable`, `diskFull`.
    static func openLock(_ path: String) throws(StorageFailure) -> CInt {
        let descriptor = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure() }
        return descriptor
    }

    /// The system's last error in this module's terms.
    static func failure() -> StoreError {
        switch errno {
        case ENOSPC, EDQUOT: .diskFull
        case EACCES, EPERM, EROFS: .notWritable
        default: .inputOutput(errno: errno)
        }
    }
}

extension POSIXFile {
    /// Removes what a vault that could not be made has left behind; other files stay.
    ///
    /// For whoever made the database exclusively, after `VaultDirectory.create()` found none of these
    /// files. The database goes last: once it is gone, another process may make a vault here.
    package static func removeNewVault(_ directory: VaultDirectory) throws(StorageFailure) {
        for file in directory.newVaultFiles.reversed() {
            guard unsafe unlink(file) == 0 || errno == ENOENT else { throw failure() }
        }
    }
}
