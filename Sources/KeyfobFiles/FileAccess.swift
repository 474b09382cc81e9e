internal import CLinux
internal import Glibc

/// Calls on files that answer rather than throw: what a directory's context is found by.
package enum FileAccess {
    /// What is known of a file without opening it, or of the file that was opened.
    package struct Status: Sendable {
        private let mode: UInt32
        private let owner: UInt32
        package let size: Int64
        /// When it was written last, in seconds since 1970.
        package let modificationTime: Int64

        fileprivate init(_ status: stat) {
            mode = status.st_mode
            owner = status.st_uid
            size = Int64(status.st_size)
            modificationTime = Int64(status.st_mtim.tv_sec)
        }

        package var isSymbolicLink: Bool { mode & S_IFMT == S_IFLNK }
        package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
        package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
        package var isWritableByOwner: Bool { mode & 0o200 != 0 }
        package var isWritableByEverybody: Bool { mode & 0o002 != 0 }
        /// Whether others than its owner can read it, as far as its mode says.
        package var isReadableByOthers: Bool { mode & 0o044 != 0 }
        /// Whether it belongs to the caller.
        package var isOwn: Bool { owner == geteuid() }
        /// Who may read, write and run it, as chmod(2) takes it.
        package var permissions: UInt32 { mode & 0o777 }
        /// Whether it belongs to the caller or to root, so that nobody else has put it there.
        package var isTrustworthy: Bool { owner == geteuid() || owner == 0 }
    }

    /// The path without links and dots; nil when nothing is there or its name is no text.
    package static func realPath(_ path: String) -> String? {
        guard !path.utf8.contains(0) else { return nil }
        if isReal(path) { return path }
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(validatingCString: resolved)
    }

    /// Whether a path has neither links nor dots, as nearly all do: two calls, where `realpath` needs one for each folder.
    ///
    /// False as well where the system cannot tell.
    private static func isReal(_ path: String) -> Bool {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count < PATH_MAX else { return false }
        // How many dots a part consists of so far, nil where of something else too: none, `.` and `..` lead elsewhere.
        var dots: Int? = 0
        for byte in path.utf8.dropFirst() {
            switch byte {
            case UInt8(ascii: "/"):
                if let dots, dots < 3 { return false }
                dots = 0
            case UInt8(ascii: "."): dots = dots.map { $0 + 1 }
            default: dots = nil
            }
        }
        if let dots, dots < 3 { return false }
        let descriptor = unsafe linux_open_without_links(path)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// What a symbolic link says; nil for anything else, and for what is no text.
    package static func link(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &target, target.count)
        guard count > 0, count < target.count else { return nil }
        return String(validating: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The real path of what was at `path`: that of the nearest folder which is there, and the rest as written.
    package static func formerPath(_ path: String) -> String? {
        var (present, gone) = (path.hasPrefix("/") ? path : "./" + path, [Substring]())
        while true {
            if let real = realPath(present) {
                // What is gone has no `..` to follow.
                guard !gone.contains("..") else { return nil }
                return gone.reversed().reduce(real) { $1 == "." || $1.isEmpty ? $0 : self.path($0, String($1)) }
            }
            guard let slash = present.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
            gone.append(present[present.utf8.index(after: slash)...])
            present = slash == present.startIndex ? "/" : String(present[..<slash])
        }
    }

    /// What is at a path, a symbolic link followed or not.
    package static func status(_ path: String, following: Bool) -> Status? {
        status(Array(path.utf8CString), following: following)
    }

    /// The same for a path that need not be text, with the zero behind it; nil leaves its reason in `errno`.
    package static func status(_ path: [CChar], following: Bool) -> Status? {
        var status = stat()
        let result = unsafe following ? stat(path, &status) : lstat(path, &status)
        return result == 0 ? Status(status) : nil
    }

    /// The content of a file, or why there is none.
    package enum Content {
        case bytes([UInt8], Status)
        /// Nothing is there.
        case missing
        /// A symbolic link, which is not followed.
        case link
        /// A folder, a pipe, a device.
        case notRegular
        /// More than the limit.
        case tooLarge
        /// The system refused, with this error number.
        case failed(CInt)
    }

    /// Reads a file of at most `limit` bytes.
    package static func read(_ path: String, limit: Int, following: Bool) -> Content {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (following ? 0 : O_NOFOLLOW)
        let descriptor = unsafe open(path, flags)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: return .missing
            case ELOOP: return .link
            case ENXIO: return .notRegular
            default: return .failed(errno)
            }
        }
        defer { close(descriptor) }
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else { return .failed(errno) }
        let status = Status(information)
        guard status.isRegularFile else { return .notRegular }
        guard status.size <= limit else { return .tooLarge }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count <= limit {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { return .failed(errno) }
            if count == 0 { return .bytes(bytes, status) }
            bytes.append(contentsOf: buffer[..<count])
        }
        return .tooLarge
    }

    /// The first bytes of a file, at most `count`; nil where it cannot be read.
    package static func head(_ path: String, count: Int) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe Glibc.read(descriptor, &bytes, count)
        return read < 0 ? nil : Array(bytes[..<read])
    }

    /// Whether this user may start the file at a path, by its mode and mount.
    package static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    /// Whether this user may enter a folder, and see what is in it where that is asked; true where there is none.
    package static func isOpen(_ folder: String, toList: Bool) -> Bool {
        unsafe access(folder, toList ? R_OK | X_OK : X_OK) == 0 || errno != EACCES
    }

    /// Whether this user may write into a folder, by its mode; true where there is none, or its disk is the reason.
    package static func isWritable(_ folder: String) -> Bool {
        unsafe access(folder, W_OK | X_OK) == 0 || errno != EACCES
    }

    /// The folders from an absolute path upwards, itself first and `/` last.
    package static func ancestors(of path: String) -> some Sequence<String> {
        sequence(first: path) { folder in
            guard folder != "/" else { return nil }
            return self.folder(of: folder)
        }
    }

    /// The folder that an absolute path names something in.
    package static func folder(of path: String) -> String {
        // By bytes, as the system does: what looks like one character with a slash in it is a slash and the next name.
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "/"
    }

    /// A file in a folder.
    package static func path(_ folder: String, _ name: String) -> String {
        folder == "/" ? "/" + name : folder + "/" + name
    }
}
