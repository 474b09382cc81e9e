internal import Glibc

/// A folder that is its user's alone, held open, so that nothing that takes its name meanwhile is reached by it.
struct OwnFolder: ~Copyable {
    let descriptor: CInt

    /// The folder at a path; nil for a link, for anything else, and for one that is another's or open to others.
    init?(_ path: String) {
        let opened = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        guard let status = try? POSIXFile.Status(of: opened), (try? status.requireOwnAndPrivate(path)) != nil else {
            close(opened)
            return nil
        }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// The names in it.
    func names() -> [String] {
        let again = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard again >= 0 else { return [] }
        guard let stream = unsafe fdopendir(again) else {
            close(again)
            return []
        }
        return unsafe POSIXFile.names(closing: stream)
    }

    /// Removes a file, if it can be.
    func remove(_ name: String) { unsafe unlinkat(descriptor, name, 0) }

    /// What was read of a file.
    struct Content {
        var bytes: [UInt8] = []
        /// Whether something is there that is no file of the user's that can be read.
        var isUnreadable = false
        /// What tells the file from others.
        var file: [UInt]?
    }

    /// Reads a file, of which a link is none.
    func read(_ name: String, limit: Int) -> Content {
        let file = unsafe openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return Content(isUnreadable: errno != ENOENT) }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_size <= limit
        else { return Content(isUnreadable: true) }
        var content = Content(file: [UInt(status.st_dev), UInt(status.st_ino)])
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while content.bytes.count <= limit {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            guard count >= 0 else { return Content(isUnreadable: true) }
            if count == 0 { return content }
            content.bytes.append(contentsOf: buffer[..<count])
        }
        return Content(isUnreadable: true)
    }
}
