import Foundation
import Testing

/// What the account that runs the tests may do, and why not.
enum Privileges {
    /// Whether it is root.
    static let isRoot = ProcessInfo.processInfo.userName == "root"
    /// Whether it can mount a file system that only a test sees.
    static let canMount = smallDisk == nil
    /// Why it cannot.
    static let whyNoMount = reason("mount a small file system", smallDisk)
    /// Whether it can mount a file as a disk.
    static let canMountImage = image == nil
    /// Why it cannot.
    static let whyNoImage = reason("mount a file as a disk", image)
    /// Whether programs can be given namespaces, as `exec --confine` needs.
    static let canConfine = namespaces == nil
    /// Why they cannot.
    static let whyNotConfined = Comment(rawValue: "this machine gives no user namespaces: \(namespaces ?? "")")

    private static let namespaces = obstacle(
        "true", in: "unshare --user --map-current-user --mount --pid --fork --mount-proc")
    private static let smallDisk = obstacle("mkdir m && mount -t tmpfs -o size=64k none m")
    private static let image = obstacle("truncate -s 1M i && mkfs.ext4 -q i && mkdir m && mount -o loop i m")

    /// What stops a script in a mount namespace of its own.
    private static func obstacle(_ script: String, in namespaces: String = "unshare --mount") -> String? {
        guard let outcome = try? Workplace().run("\(namespaces) sh -c '\(script)'") else { return "nothing starts" }
        return outcome.status == 0 ? nil : outcome.errors.split(separator: "\n").last.map(String.init) ?? "no reason"
    }

    private static func reason(_ what: String, _ obstacle: String?) -> Comment {
        Comment(rawValue: isRoot ? "root cannot \(what) here: \(obstacle ?? "")" : "needs root, to \(what)")
    }
}
