internal import Glibc

/// A file that is read from its start several times and must not change in between.
///
/// A regular file is read where it lies, through one descriptor. What cannot be read twice, a pipe, is read once and
/// kept: in memory, and where it is long in a file without a name, which nobody else can open and nothing leaves behind.
/// Only for what is not secret, such as ciphertext.
package struct InputFile: ~Copyable {
    /// Why a file cannot be read.
    package enum Failure: Error, Equatable, Sendable {
        case noSuchFile
        /// A folder, a device or a socket.
        case notAFile
        case tooLong(limit: Int)
        /// It comes from a pipe, and a file may be longer.
        case pipeTooLong(limit: Int)
        /// It is not the one that it was.
        case changed
        /// What comes from a pipe does not fit into this folder.
        case noRoom(folder: String)
        /// Nothing came through the pipe for so many seconds.
        case silent(seconds: Int)
        /// The system's reason.
        case failed(errno: CInt)
    }

    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
        let size: Int64
        let modified: [Int]
    }

    /// How much of a pipe is kept in memory.
    private static let memoryLimit = 4 << 20
    /// How long what comes from a pipe may be: one without an end must not fill the disk.
    private static let pipeLimit = 256 << 20

    private let descriptor: CInt
    /// Nil for what was a pipe.
    private let identity: Identity?
    /// What was a pipe, where it is short; nil where it is in the file.
    private let content: [UInt8]?

    /// Opens the file at `path`; symbolic links are followed.
    ///
    /// - Parameters:
    ///   - isExpected: Whether a pipe that starts like this is worth more than memory; as below.
    ///   - notice: As below.
    package init(
        path: String, limit: Int, isExpected: ([UInt8]) -> Bool = { _ in true }, notice: (() -> Void)? = nil
    ) throws(Failure) {
        // A pipe that nobody writes to is not waited for here.
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard opened >= 0 else { throw errno == ENOENT ? .noSuchFile : .failed(errno: errno) }
        try self.init(owning: opened, [], limit, nil, isExpected, notice)
    }

    /// Reads from a descriptor, which stays open; a regular file is read from its start.
    ///
    /// - Parameters:
    ///   - start: What has been read from it already.
    ///   - place: Where a long pipe is kept: a folder, or the nearest one above it that is there.
    ///   - isExpected: Whether a pipe that starts like this is worth more than memory; another one is too long then.
    ///   - notice: Called where nothing comes through a pipe for a second.
    package init(
        descriptor: CInt, after start: [UInt8] = [], limit: Int, spoolingIn place: String? = nil,
        isExpected: ([UInt8]) -> Bool = { _ in true }, notice: (() -> Void)? = nil
    ) throws(Failure) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .failed(errno: errno) }
        try self.init(owning: copy, start, limit, place, isExpected, notice)
    }

    private init(
        owning opened: CInt, _ start: [UInt8], _ limit: Int, _ place: String?, _ isExpected: ([UInt8]) -> Bool,
        _ notice: (() -> Void)?
    ) throws(Failure) {
        do throws(Failure) {
            var status = stat()
            guard unsafe fstat(opened, &status) == 0 else { throw .failed(errno: errno) }
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                guard status.st_size <= limit else { throw .tooLong(limit: limit) }
                (descriptor, identity, content) = (opened, Self.identity(status), nil)
                return
            case S_IFIFO, S_IFSOCK, S_IFCHR: break
            default: throw .notAFile
            }
            var wait = PipeWait(opened, notice: notice)
            let spooled = try Self.spool(opened, start, limit, place ?? "/var/tmp", isExpected, &wait)
            (identity, content) = (nil, spooled.content)
            if let file = spooled.file {
                descriptor = file
                close(opened)
            } else {
                descriptor = opened
            }
        } catch {
            close(opened)
            throw error
        }
    }

    deinit {
        close(descriptor)
    }

    private static func identity(_ status: stat) -> Identity {
        Identity(
            device: UInt64(status.st_dev), number: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ])
    }

    /// Reads a pipe to its end.
    private static func spool(
        _ descriptor: CInt, _ start: [UInt8], _ limit: Int, _ place: String, _ isExpected: ([UInt8]) -> Bool,
        _ wait: inout PipeWait
    ) throws(Failure) -> (content: [UInt8]?, file: CInt?) {
        var content = start
        var file: CInt?
        var size = start.count
        var buffer = [UInt8](repeating: 0, count: 65_536)
        do throws(Failure) {
            while true {
                guard wait.wait(descriptor) else { throw .silent(seconds: Int(wait.seconds)) }
                let count = unsafe read(descriptor, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else { throw .failed(errno: errno) }
                if count == 0 { return (file == nil ? content : nil, file) }
                size += count
                guard size <= limit else { throw .tooLong(limit: limit) }
                guard size <= pipeLimit else { throw .pipeTooLong(limit: pipeLimit) }
                content.append(contentsOf: buffer[..<count])
                if content.count <= memoryLimit, file == nil { continue }
                if file == nil {
                    guard isExpected(content) else { throw .pipeTooLong(limit: memoryLimit) }
                    file = try nameless(place)
                }
                guard let file else { continue }
                do {
                    try POSIXFile.writeAll(content, to: file)
                } catch {
                    throw .noRoom(folder: place)
                }
                content.removeAll(keepingCapacity: true)
            }
        } catch {
            if let file { close(file) }
            throw error
        }
    }

    /// A file without a name in a folder, or in the nearest one above it that is there.
    private static func nameless(_ place: String) throws(Failure) -> CInt {
        var folder = place
        while true {
            // O_TMPFILE, a macro that Swift does not see.
            let file = unsafe open(folder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
            if file >= 0 { return file }
            if errno == ENOENT, folder != "/", folder != "." {
                folder = POSIXFile.folder(of: folder)
                continue
            }
            guard [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) else {
                throw errno == ENOSPC || errno == EDQUOT ? .noRoom(folder: folder) : .failed(errno: errno)
            }
            // Where files without a name are not offered, it has one for a moment.
            guard let temporary = try? TemporaryFile.make(for: folder + "/standard-input") else {
                throw .noRoom(folder: folder)
            }
            unsafe unlink(temporary.path)
            return temporary.descriptor
        }
    }

    /// The next piece from `offset` on, of at most `count` bytes; empty at the end.
    package borrowing func piece(at offset: Int, count: Int = 65_536) throws(Failure) -> [UInt8] {
        if let content { return Array(content[min(offset, content.count)...].prefix(count)) }
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let read = unsafe pread(descriptor, &buffer, count, off_t(offset))
            if read < 0 && errno == EINTR { continue }
            guard read >= 0 else { throw .failed(errno: errno) }
            return Array(buffer[..<read])
        }
    }

    /// Makes sure that the file is as it was when it was opened.
    ///
    /// - Throws: `changed`.
    package borrowing func requireUnchanged() throws(Failure) {
        guard let identity else { return }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .failed(errno: errno) }
        guard Self.identity(status) == identity else { throw .changed }
    }
}
