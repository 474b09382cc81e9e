internal import Glibc

/// File systems on which SQLite's locks cannot be relied upon.
enum FileSystemType {
    private static let remote: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "ncpfs", "coda", "vboxsf", "prl_fs",
    ]

    /// - Throws: `unsuitableFileSystem` on NFS, SMB, FUSE and the like.
    static func requireLocal(_ path: String) throws(StorageFailure) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw POSIXFile.failure() }
        let device = UInt64(status.st_dev)
        // What lies on a block device has its number; the table tells of the others.
        guard major(device) == 0, let name = try name(device: device) else { return }
        if remote.contains(name) || name.hasPrefix("fuse") {
            throw StoreError.unsuitableFileSystem(path: path, name: name)
        }
    }

    private static func major(_ device: UInt64) -> UInt64 {
        (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
    }

    /// The type of the file system mounted from a device, as `/proc/self/mountinfo` has it.
    ///
    ///     36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw
    private static func name(device: UInt64) throws(StorageFailure) -> String? {
        let minor = device & 0xFF | (device >> 12) & ~0xFF
        let wanted = "\(major(device)):\(minor)"
        let table = String(decoding: try POSIXFile.read("/proc/self/mountinfo", limit: 1 << 24) ?? [], as: UTF8.self)
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 6, fields[2] == wanted, let dash = fields.firstIndex(of: "-"),
                dash + 1 < fields.count
            else { continue }
            return String(fields[dash + 1])
        }
        return nil
    }
}
