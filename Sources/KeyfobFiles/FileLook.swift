internal import CLinux
internal import Glibc

/// Whose a file is, and when it was changed last: what tells whether a program of the user can have put another one in its place.
package struct FileLook: Equatable, Sendable {
    private let mode: UInt32
    private let owner: UInt32
    /// When its content, its mode or its name was changed last, in nanoseconds since 1970.
    ///
    /// Of a folder, also when something in it came, went or got another name. No program can set that.
    package let changed: Int64
    /// The number of its file system, and its own there.
    package let number: String

    init(mode: UInt32, owner: UInt32, changed: Int64, number: String) {
        (self.mode, self.owner, self.changed, self.number) = (mode, owner, changed, number)
    }

    /// What is at a path, a link not followed; nil where nothing is, or the system does not tell.
    package init?(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        self.init(
            mode: status.st_mode, owner: status.st_uid,
            changed: Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec),
            number: "\(status.st_dev).\(status.st_ino)")
    }

    package var isLink: Bool { mode & S_IFMT == S_IFLNK }
    package var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }

    /// Whether it is a file that somebody can start.
    package var isProgram: Bool { isRegularFile && mode & 0o111 != 0 }
    /// Whether everybody can put something in it.
    package var isOpenToAll: Bool { mode & 0o002 != 0 }

    /// Whether it is root's, and nobody else can write it; or a folder in which others cannot touch what is root's.
    package var isSystems: Bool {
        owner == 0 && (isLink || mode & 0o022 == 0 || isFolder && mode & UInt32(S_ISVTX) != 0)
    }

    /// Whether root alone can put something in it, and take something away.
    package var isRootsAlone: Bool { owner == 0 && mode & 0o022 == 0 }

    /// Whether what is at a path without links, and each folder above it, is the system's.
    ///
    /// - Parameter look: Looks at one of them; nil where that cannot be told.
    package static func isSystems(_ path: String, by look: (String) -> FileLook? = { FileLook($0) }) -> Bool {
        guard path.utf8.first == UInt8(ascii: "/") else { return false }
        var place = path
        while true {
            guard look(place)?.isSystems == true else { return false }
            if place == "/" { return true }
            place = FileAccess.folder(of: place)
        }
    }
}

extension KnownFile {
    /// Whose it is, and when it was changed last.
    package var look: FileLook { FileLook(mode: mode, owner: owner, changed: changed, number: fileNumber) }
}
