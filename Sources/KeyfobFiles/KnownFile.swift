internal import CLinux
internal import Glibc

/// A file as the kernel has it in memory: finding it asks no file system, so that none that a program has mounted keeps this
/// process waiting.
///
/// What the kernel would have to ask for is not known. What a process runs, and what it has just read, it has.
package final class KnownFile {
    private let descriptor: CInt
    private let status: linux_known_status

    /// What there is at a path.
    package enum Found {
        case file(KnownFile)
        case missing
        /// A file system would have to be asked.
        case unknown
    }

    private init?(_ descriptor: CInt) {
        var status = linux_known_status()
        guard unsafe linux_know_status(descriptor, "", &status) == 0 else {
            close(descriptor)
            return nil
        }
        (self.descriptor, self.status) = (descriptor, status)
    }

    deinit { close(descriptor) }

    /// What is at a path here.
    package static func at(_ path: String) -> Found { found(unsafe linux_open_known(AT_FDCWD, path, 0)) }

    /// What is at a path for whoever has this folder as the root of all.
    package func below(_ path: String) -> Found { Self.found(unsafe linux_open_known(descriptor, path, 1)) }

    private static func found(_ descriptor: CInt) -> Found {
        guard descriptor >= 0 else { return errno == ENOENT || errno == ENOTDIR ? .missing : .unknown }
        return KnownFile(descriptor).map { .file($0) } ?? .unknown
    }

    /// Where a link of the kernel's leads, such as `/proc/PID/exe`; nil where it leads nowhere, or is not for us.
    package init?(link: String) {
        let descriptor = unsafe linux_open_path(link)
        var status = linux_known_status()
        guard descriptor >= 0, unsafe linux_know_status(descriptor, "", &status) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        (self.descriptor, self.status) = (descriptor, status)
    }

    /// Its path, without links.
    package var path: String? { FileAccess.link("/proc/self/fd/\(descriptor)") }

    var mode: UInt32 { status.mode }
    var owner: UInt32 { status.owner }
    var changed: Int64 { status.changed.0 * 1_000_000_000 + status.changed.1 }

    /// The same as ``FileLook/number`` says, where the C library writes both halves of a device's number into one.
    var fileNumber: String {
        let (major, minor) = (UInt64(status.device.0), UInt64(status.device.1))
        let device = (major & ~0xFFF) << 32 | (major & 0xFFF) << 8 | (minor & ~0xFF) << 12 | minor & 0xFF
        return "\(device).\(status.number)"
    }

    package var isRegularFile: Bool { status.mode & S_IFMT == S_IFREG }

    /// Whether it is the same file as another.
    package func isSame(as other: KnownFile) -> Bool {
        status.number == other.status.number && status.device.0 == other.status.device.0
            && status.device.1 == other.status.device.1
    }

    /// Whether it is the same place of the same mount as another, so that whatever is below is the same too.
    package func isSamePlace(as other: KnownFile) -> Bool {
        status.mount != 0 && status.mount == other.status.mount && isSame(as: other)
    }

    /// Its content, where no program answers for its file system: at most `limit` bytes.
    ///
    /// - Parameter mounts: As in ``isLocal(_:)``.
    package func content(limit: Int, mounts: Mounts) -> [UInt8]? {
        guard isRegularFile, isLocal(mounts),
            case .bytes(let bytes, _) = FileAccess.read(ownPath, limit: limit, following: true)
        else { return nil }
        return bytes
    }

    /// Whether nobody who looks at a path, or at a folder above it, is kept waiting by a program that answers for its file system.
    ///
    /// What is not there, or not named from the root by names alone, is not known to be.
    package static func isLocal(_ path: String) -> Bool {
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.hasPrefix("/"), path == "/" || !names.dropFirst().contains(where: { ["", ".", ".."].contains($0) })
        else { return false }
        var seen: Set<UInt64> = []
        return names.indices.allSatisfy { index in
            let folder = index == 0 ? "/" : names[...index].joined(separator: "/")
            guard case .file(let file) = at(folder) else { return false }
            return !seen.insert(file.status.mount).inserted || file.isLocal(Mounts())
        }
    }

    /// A path to it that leads over nothing else.
    package var ownPath: String { "/proc/self/fd/\(descriptor)" }

    /// Where mounts stand (proc(5), `mountinfo`).
    package struct Mounts {
        /// Those of this process.
        let own: String
        /// Those of another one, which may have made some of its own.
        let other: String?

        /// Those of this process, and of another.
        package init(own: String = "/proc/self/mountinfo", other: String? = nil) {
            (self.own, self.other) = (own, other)
        }
    }

    /// Whether its file system is the kernel's alone, so that no program keeps those waiting who read it.
    package func isLocal(_ mounts: Mounts) -> Bool {
        // Who mounts overlays here is the system; in a space of their own anybody does, of what they have mounted.
        if let type = type(mounts.own) { return type == "overlay" || Self.localTypes.contains(type) }
        return mounts.other.flatMap(type).map(Self.localTypes.contains) ?? false
    }

    private func type(_ table: String) -> String? {
        guard status.mount != 0, case .bytes(let bytes, _) = FileAccess.read(table, limit: 4 << 20, following: false)
        else { return nil }
        return Self.type(of: status.mount, in: bytes)
    }

    /// The type of the file system of a mount, by a table of mounts.
    static func type(of mount: UInt64, in table: [UInt8]) -> String? {
        let number = Array(String(mount).utf8)
        for line in table.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard let first = fields.first, first.elementsEqual(number) else { continue }
            // Behind the dash, which some optional fields come before, the type stands.
            let dash = fields.indices.dropFirst(6).first { fields[$0].elementsEqual("-".utf8) }
            guard let dash, dash + 1 < fields.count else { return nil }
            return String(decoding: fields[dash + 1], as: UTF8.self)
        }
        return nil
    }

    private static let localTypes: Set = [
        "ext2", "ext3", "ext4", "xfs", "btrfs", "bcachefs", "f2fs", "zfs", "jfs", "reiserfs", "nilfs2", "tmpfs",
        "ramfs",
        "squashfs", "erofs", "vfat", "exfat", "ntfs3", "iso9660", "udf", "devtmpfs",
    ]
}
