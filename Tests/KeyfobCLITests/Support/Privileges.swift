import Foundation

/// What the account that runs the tests may do.
enum Privileges {
    /// Whether it is root.
    static let isRoot = ProcessInfo.processInfo.userName == "root"
    /// Whether it can mount a file system that only a test sees.
    static let canMount: Bool = {
        let outcome = try? Workplace().run("unshare --mount sh -c 'mkdir m && mount -t tmpfs -o size=64k none m'")
        return outcome?.status == 0
    }()
    /// Whether it can mount a file as a disk.
    static let canMountImage: Bool = {
        let outcome = try? Workplace().run(
            "unshare --mount sh -c 'truncate -s 1M i && mkfs.ext4 -q i && mkdir m && mount -o loop i m'")
        return outcome?.status == 0
    }()
}
