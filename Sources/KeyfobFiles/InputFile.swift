internal import Glibc

/// A file that is read from its start several times and must not change in between.
///
/// A regular file is read where it lies, through one descriptor. What cannot be read twice, a pipe, is read once and
/// kept in memory: only for what is not secret, such as ciphertext.
package struct InputFile: ~Copyable {
    /// Why a file cannot be read.
    package enum Failure: Error, Equatable, Sendable {
        case noSuchFile
        /// A folder, a device or a socket.
        case notAFile
        case tooLong(limit: Int)
        /// It is not the one that it was.
        case changed
        /// The system's reason.
        case failed(errno: CInt)
    }

    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
        let size: Int64
        let modified: [Int]
    }

    private let descriptor: CInt
    private let identity: Identity?
    private let content: [UInt8]

    /// Opens the file at `path`; symbolic links are followed.
    package init(path: String, limit: Int) throws(Failure) {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard opened >= 0 else { throw errno == ENOENT ? .noSuchFile : .failed(errno: errno) }
        try self.init(owning: opened, limit: limit)
    }

    /// Reads from a descriptor, which stays open; a regular file is read from its start.
    ///
    /// - Parameter start: What has been read from it already.
    package init(descriptor: CInt, after start: [UInt8] = [], limit: Int) throws(Failure) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .failed(errno: errno) }
        try self.init(owning: copy, after: start, limit: limit)
    }

    private init(owning opened: CInt, after start: [UInt8] = [], limit: Int) throws(Failure) {
        do {
            (identity, content) = try Self.examine(opened, start, limit)
        } catch {
            close(opened)
            throw error
        }
        descriptor = opened
    }

    deinit {
        close(descriptor)
    }

    private static func examine(
        _ descriptor: CInt, _ start: [UInt8], _ limit: Int
    ) throws(Failure) -> (Identity?, [UInt8]) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .failed(errno: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            guard status.st_size <= limit else { throw .tooLong(limit: limit) }
            return (identity(status), [])
        case S_IFIFO, S_IFSOCK, S_IFCHR: return (nil, try spool(descriptor, start, limit))
        default: throw .notAFile
        }
    }

    private static func identity(_ status: stat) -> Identity {
        Identity(
            device: UInt64(status.st_dev), number: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ])
    }

    private static func spool(_ descriptor: CInt, _ start: [UInt8], _ limit: Int) throws(Failure) -> [UInt8] {
        var content = start
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .failed(errno: errno) }
            if count == 0 { return content }
            guard content.count + count <= limit else { throw .tooLong(limit: limit) }
            content.append(contentsOf: buffer[..<count])
        }
    }

    /// The next piece from `offset` on, of at most `count` bytes; empty at the end.
    package borrowing func piece(at offset: Int, count: Int = 65_536) throws(Failure) -> [UInt8] {
        guard identity != nil else { return Array(content[min(offset, content.count)...].prefix(count)) }
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
