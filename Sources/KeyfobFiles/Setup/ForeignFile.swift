internal import CLinux
internal import Glibc

/// A file of another program's, changed as a whole or not at all, and only while it is what was read.
///
/// Where its name is a link, the file that it leads to is changed and the link stays.
package struct ForeignFile: Sendable {
    /// Why it cannot be read or changed.
    package enum Failure: Error, Hashable, Sendable {
        /// A link that leads nowhere.
        case danglingLink
        /// The folder in which it would be is not there.
        case missingFolder
        /// A folder, a device, a pipe.
        case notAFile
        case tooLarge(limit: Int)
        /// Its mode, its folder or the file system forbid to write it.
        case readOnly
        /// The file has other names, which would go on showing what it was.
        case hasOtherNames
        /// It has an access control list, which another file in its place would not have.
        case hasAccessList
        /// It could not be given to the one whose it is.
        case belongsToAnother
        /// Somebody has changed it since it was read.
        case changed
        /// The program whose it is keeps others from changing it by this file.
        case locked(by: String)
        /// Another program has locked this file, which keeps others from changing it.
        case inUse(String)
        case diskFull
        /// The system's reason.
        case failed(errno: CInt)
        /// It is changed, and the disk did not confirm that it lasts.
        case unconfirmed
    }

    /// Beside what a program puts its lock, while it changes the file.
    package enum LockPlace: Sendable {
        /// It takes none.
        case none
        /// The name of the file.
        case name
        /// The file that the name leads to.
        case target
    }

    /// The most that is read, in bytes.
    package static let limit = 16 << 20

    /// As it is called.
    package let path: String
    /// Where that leads, without links.
    package let target: String
    /// What is in it; nil where there is none.
    package let content: [UInt8]?

    /// Reads the file at `path`.
    package init(_ path: String) throws(Failure) {
        self.path = path
        guard let real = FileAccess.realPath(path) else {
            guard FileAccess.status(path, following: false) == nil else { throw .danglingLink }
            target = FileAccess.formerPath(path) ?? path
            content = nil
            return
        }
        target = real
        content = try Self.read(real)
    }

    /// How many of the folders above it are not there.
    package var missingFolders: Int { missing.dropFirst().count }

    /// It and the folders above it, as far as they are not there.
    private var missing: [String] {
        Array(FileAccess.ancestors(of: target).prefix { FileAccess.status($0, following: true) == nil })
    }

    /// What is made first where it is missing: the file, or the first of the folders above it that is not there.
    package var place: String { missing.last ?? target }

    /// Whether it could be changed, as far as that shows beforehand.
    package func requireWritable() throws(Failure) {
        guard content != nil else { return }
        guard POSIXFile.errorOfWriting(target) == nil, POSIXFile.errorOfWriting(POSIXFile.folder(of: target)) == nil
        else {
            throw .readOnly
        }
        let status: POSIXFile.Status?
        do { status = try POSIXFile.status(target) } catch { throw Self.failure(error) }
        guard status?.linkCount == 1 else { throw .hasOtherNames }
        guard unsafe linux_has_access_list(target) == 0 else { throw .hasAccessList }
    }

    /// Puts other content in its place, or removes it; folders that are missing are made.
    ///
    /// Nobody else may do so by this call meanwhile.
    package func replace(with bytes: [UInt8]?, lock: LockPlace) throws(Failure) {
        try requireWritable()
        DeferredSignals.begin()
        defer { DeferredSignals.end() }
        do {
            if bytes != nil { try POSIXFile.createDirectories(POSIXFile.folder(of: target)) }
        } catch {
            throw Self.failure(error)
        }
        let lockPath: String? =
            switch lock {
            case .none: nil
            case .name: path + ".lock"
            case .target: target + ".lock"
            }
        let held = try lockPath.map { path throws(Failure) in try ForeignLock(path) }
        defer { held?.release() }
        guard let bytes else {
            try requireUnchanged()
            guard unsafe unlink(target) == 0 else { throw Self.failure(POSIXFile.failure()) }
            return
        }
        try write(bytes)
    }

    private func write(_ bytes: [UInt8]) throws(Failure) {
        let temporary: TemporaryFile
        do { temporary = try TemporaryFile.make(for: target) } catch { throw Self.failure(error) }
        defer { close(temporary.descriptor) }
        do throws(Failure) {
            do {
                try POSIXFile.writeAll(bytes, to: temporary.descriptor)
            } catch {
                throw Self.failure(error)
            }
            // After writing, which takes setuid and setgid away from an ordinary user's file.
            if content != nil { try copyOwner(to: temporary.descriptor) }
            guard fsync(temporary.descriptor) == 0 else { throw Self.failure(POSIXFile.failure()) }
            try requireUnchanged()
            guard unsafe rename(temporary.path, target) == 0 else { throw Self.failure(POSIXFile.failure()) }
        } catch {
            unsafe unlink(temporary.path)
            throw error
        }
        do { try POSIXFile.synchronizeFolder(of: target) } catch { throw .unconfirmed }
    }

    /// Removes so many folders above it that were made for it, as far as nothing else is in them.
    package func removeFolders(_ count: Int) {
        for folder in FileAccess.ancestors(of: target).dropFirst().prefix(count) {
            guard (try? POSIXFile.removeFolder(folder)) != nil else { return }
        }
    }

    /// Gives what is to come in the file's place its owner, group and mode.
    private func copyOwner(to descriptor: CInt) throws(Failure) {
        var (old, new) = (stat(), stat())
        guard unsafe stat(target, &old) == 0, unsafe fstat(descriptor, &new) == 0 else {
            throw Self.failure(POSIXFile.failure())
        }
        if old.st_uid != new.st_uid || old.st_gid != new.st_gid {
            guard fchown(descriptor, old.st_uid, old.st_gid) == 0 else { throw .belongsToAnother }
        }
        guard fchmod(descriptor, old.st_mode & 0o7777) == 0 else { throw Self.failure(POSIXFile.failure()) }
    }

    private func requireUnchanged() throws(Failure) {
        guard FileAccess.realPath(path) == (content == nil ? nil : target) else { throw .changed }
        guard content != nil else { return }
        guard try Self.read(target) == content else { throw .changed }
    }

    private static func read(_ path: String) throws(Failure) -> [UInt8] {
        switch FileAccess.read(path, limit: limit, following: false) {
        case .bytes(let bytes, _): return bytes
        case .missing: throw .changed
        case .link, .notRegular: throw .notAFile
        case .tooLarge: throw .tooLarge(limit: limit)
        case .failed(let number): throw .failed(errno: number)
        }
    }

    static func failure(_ error: any Error) -> Failure {
        switch error as? StoreError {
        case .diskFull?: .diskFull
        case .notWritable?: .readOnly
        case .inputOutput(let number)?, .unconfirmed(let number)?: .failed(errno: number)
        default: .failed(errno: 0)
        }
    }
}

/// The lock by which a program keeps others from its file, as that program would take it: a file that must not be there.
///
/// It says whose it is, and is locked (flock) besides. One of a process that was killed is taken away: nobody holds it.
private struct ForeignLock {
    private static let mark = Array("keyfob setup\n".utf8)

    private let path: String
    private let temporary: TemporaryFile
    private let descriptor: CInt

    /// Takes the lock, after waiting for it as long as programs take to write such a file, and more.
    init(_ path: String) throws(ForeignFile.Failure) {
        self.path = path
        do { temporary = try TemporaryFile.make(for: path) } catch { throw ForeignFile.failure(error) }
        do throws(ForeignFile.Failure) {
            descriptor = try Self.take(path, temporary)
        } catch {
            unsafe unlink(temporary.path)
            close(temporary.descriptor)
            throw error
        }
        unsafe unlink(temporary.path)
    }

    func release() {
        unsafe unlink(path)
        // Where that failed before.
        unsafe unlink(temporary.path)
        if descriptor != temporary.descriptor { close(descriptor) }
        close(temporary.descriptor)
    }

    private static func take(_ path: String, _ temporary: TemporaryFile) throws(ForeignFile.Failure) -> CInt {
        do { try POSIXFile.writeAll(mark, to: temporary.descriptor) } catch { throw ForeignFile.failure(error) }
        // Without the mark, a name that outlives a power failure would be nobody's.
        guard fsync(temporary.descriptor) == 0 else { throw ForeignFile.failure(POSIXFile.failure()) }
        for _ in 0..<200 {
            // It appears with its mark in it.
            if unsafe link(temporary.path, path) == 0 { return temporary.descriptor }
            if [EPERM, EOPNOTSUPP, EMLINK].contains(errno) {
                // Some file systems offer no second name.
                let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
                if descriptor >= 0 { return descriptor }
            }
            guard errno == EEXIST else { throw ForeignFile.failure(POSIXFile.failure()) }
            if isAbandoned(path) {
                unsafe unlink(path)
            } else {
                usleep(5_000)
            }
        }
        throw .locked(by: path)
    }

    private static func isAbandoned(_ path: String) -> Bool {
        guard case .bytes(let bytes, _) = FileAccess.read(path, limit: mark.count, following: false), bytes == mark
        else {
            return false
        }
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
