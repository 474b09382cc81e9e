internal import Glibc
package import KeyfobSodium

/// A file of another program's that holds tokens, as it was read, to be replaced as a whole or not at all.
///
/// Where its name is a link, the file that it leads to is meant, and the link stays. It must be the caller's own.
package struct MirroredFile: ~Copyable {
    /// The most that is read, in bytes.
    package static let limit = 256 << 20

    /// Where it is, without links.
    package let path: String
    private let content: SecretBytes?
    /// Whether others can read it, as far as its mode says.
    package let isReadableByOthers: Bool
    private let modified: timespec?

    /// Where the file called `name` is, without links; there need be none.
    ///
    /// - Throws: `danglingLink`, and `missingFolder` where its folder is not there.
    package static func place(of name: String) throws(ForeignFile.Failure) -> String {
        if let real = FileAccess.realPath(name) { return real }
        guard FileAccess.status(name, following: false) == nil else { throw .danglingLink }
        guard let folder = FileAccess.realPath(POSIXFile.folder(of: name)) else { throw .missingFolder }
        let last = name.lastIndex(of: "/").map { String(name[name.index(after: $0)...]) } ?? name
        return FileAccess.path(folder, last)
    }

    /// Reads the file at `path`, which is free of links.
    package init(_ path: String) throws(ForeignFile.Failure) {
        self.path = path
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: break
            case ELOOP, ENXIO: throw .notAFile
            case let number: throw .failed(errno: number)
            }
            content = nil
            (isReadableByOthers, modified) = (false, nil)
            return
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .failed(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard status.st_uid == geteuid() else { throw .belongsToAnother }
        do {
            content = try SecretBytes.reading(descriptor: descriptor, limit: Self.limit)
        } catch {
            throw .tooLarge(limit: Self.limit)
        }
        isReadableByOthers = status.st_mode & 0o044 != 0
        modified = status.st_mtim
    }

    /// What is in it, or `other` where there is no file.
    package borrowing func text(orElse other: [UInt8]) -> SecretBytes {
        switch content {
        case .some(let content): content.withBytes { SecretBytes(copying: $0) }
        case nil: other.withBytes { SecretBytes(copying: $0) }
        }
    }

    /// Makes sure that it could be replaced, as far as that shows beforehand.
    package borrowing func requireWritable() throws(ForeignFile.Failure) {
        guard POSIXFile.errorOfWriting(POSIXFile.folder(of: path)) == nil else { throw .readOnly }
        guard content != nil else { return }
        guard POSIXFile.errorOfWriting(path) == nil else { throw .readOnly }
        let status: POSIXFile.Status?
        do { status = try POSIXFile.status(path) } catch { throw ForeignFile.failure(error) }
        guard status?.linkCount == 1 else { throw .hasOtherNames }
    }

    /// Puts other content in its place, for its owner alone, where it still is what was read.
    ///
    /// It is later than what was there, by its time to the nanosecond: programs look at that only.
    package borrowing func replace(with bytes: borrowing SecretBytes) throws(ForeignFile.Failure) {
        try requireWritable()
        DeferredSignals.begin()
        defer { DeferredSignals.end() }
        let temporary: TemporaryFile
        do { temporary = try TemporaryFile.make(for: path) } catch { throw ForeignFile.failure(error) }
        defer { close(temporary.descriptor) }
        do throws(ForeignFile.Failure) {
            try bytes.withBytes { (span) throws(ForeignFile.Failure) in
                try Self.write(span, to: temporary.descriptor)
            }
            try setTime(of: temporary.descriptor)
            guard fsync(temporary.descriptor) == 0 else { throw ForeignFile.failure(POSIXFile.failure()) }
            try requireUnchanged()
            guard unsafe rename(temporary.path, path) == 0 else { throw ForeignFile.failure(POSIXFile.failure()) }
        } catch {
            unsafe unlink(temporary.path)
            throw error
        }
        do { try POSIXFile.synchronizeFolder(of: path) } catch { throw .unconfirmed }
    }

    /// Gives the file a later time, and makes it where there is none: by that programs notice a change of what they keep
    /// elsewhere.
    package borrowing func touch() throws(ForeignFile.Failure) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
        let descriptor = unsafe open(path, flags, 0o600)
        guard descriptor >= 0 else { throw ForeignFile.failure(POSIXFile.failure()) }
        defer { close(descriptor) }
        try setTime(of: descriptor)
    }

    private static func write(_ bytes: RawSpan, to descriptor: CInt) throws(ForeignFile.Failure) {
        var start = 0
        while start < bytes.byteCount {
            let count = unsafe bytes.extracting(start..<bytes.byteCount).withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ForeignFile.failure(POSIXFile.failure()) }
            start += count
        }
    }

    /// The system gives a file the time of its last tick, which may be before what a program takes for its own last look.
    private borrowing func setTime(of descriptor: CInt) throws(ForeignFile.Failure) {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        if let modified, (time.tv_sec, time.tv_nsec) <= (modified.tv_sec, modified.tv_nsec) {
            // Programs read it as a fraction in double precision.
            time = timespec(tv_sec: modified.tv_sec, tv_nsec: modified.tv_nsec + 1_000)
            if time.tv_nsec >= 1_000_000_000 { time = timespec(tv_sec: modified.tv_sec + 1, tv_nsec: 0) }
        }
        let times = [time, time]
        guard unsafe futimens(descriptor, times) == 0 else { throw ForeignFile.failure(POSIXFile.failure()) }
    }

    private borrowing func requireUnchanged() throws(ForeignFile.Failure) {
        let present = try MirroredFile(path)
        switch content {
        case nil: guard present.content == nil else { throw .changed }
        case .some(let before):
            guard case .some(let now) = present.content, before.isEqual(to: now) else { throw .changed }
        }
    }
}
