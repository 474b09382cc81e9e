internal import Glibc

/// Which file a path leads to at the moment, whatever its name is later.
package struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    /// Its number on its device.
    package let number: UInt64

    /// The file at `path`; nil when there is none, or the system does not tell.
    package init?(_ path: String, following: Bool = false) {
        var status = stat()
        guard unsafe (following ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }

    /// The numbers of its device and its own, as other processes of this machine have them too.
    package var text: String { "\(device):\(number)" }

    /// The file that a descriptor is open for; nil when the system does not tell.
    package init?(of descriptor: CInt) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }
}

extension POSIXFile {
    /// The `errno` of permissions or a mount that keep this process from writing at `path`; nil where it may.
    package static func errorOfWriting(_ path: String) -> CInt? { unsafe access(path, W_OK) == 0 ? nil : errno }

    /// Gives a file another name in the place of the file that has it, if any.
    package static func move(_ path: String, to name: String) throws(StorageFailure) {
        guard unsafe Glibc.rename(path, name) == 0 else { throw failure() }
    }

    /// Removes a file; none there is as well.
    package static func remove(_ path: String) throws(StorageFailure) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure() }
    }
}
