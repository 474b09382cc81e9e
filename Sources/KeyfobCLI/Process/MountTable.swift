internal import KeyfobFiles

/// What is mounted where (`proc_pid_mountinfo(5)`): by it, files have several names.
struct MountTable {
    private struct Mount {
        let device: Substring
        /// What of the file system is there.
        let root: String
        let point: String
    }

    private let mounts: [Mount]

    /// This process's own; nil where the system does not say it.
    static var ofThisProcess: MountTable? {
        guard case .bytes(let bytes, _) = FileAccess.read("/proc/self/mountinfo", limit: 16 << 20, following: true)
        else { return nil }
        let table = MountTable(String(decoding: bytes, as: UTF8.self))
        return table.isWhole ? table : nil
    }

    /// Whether it has what every table has: the root, and the file system that it is read from.
    var isWhole: Bool { ["/", "/proc"].allSatisfy { point in mounts.contains { $0.point == point } } }

    /// - Parameter text: Lines of `/proc/self/mountinfo`.
    init(_ text: String) {
        mounts = text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 4 else { return nil }
            return Mount(device: words[2], root: Self.plain(words[3]), point: Self.plain(words[4]))
        }
    }

    /// Other paths at which a file or a folder is; the path itself has no links.
    ///
    /// - Parameter withParts: Whether those too at which a part of the folder is.
    func otherNames(of path: String, withParts: Bool = true) -> [String] {
        let own = Self.parts(path)
        // Of several at one place, the last is seen.
        guard
            let mount = mounts.filter({ own.starts(with: Self.parts($0.point)) }).enumerated().max(by: {
                let (left, right) = (Self.parts($0.element.point).count, Self.parts($1.element.point).count)
                return (left, $0.offset) < (right, $1.offset)
            })?.element
        else { return [] }
        let place = Self.parts(mount.root) + own.dropFirst(Self.parts(mount.point).count)
        var names: Set<String> = []
        for other in mounts where other.device == mount.device {
            let (root, point) = (Self.parts(other.root), Self.parts(other.point))
            if place.starts(with: root) {
                names.insert(Self.path(point + place.dropFirst(root.count)))
            } else if withParts, root.starts(with: place) {
                names.insert(Self.path(point))
            }
        }
        return names.subtracting([path]).sorted()
    }

    /// A slash parts them whatever sign stands on it.
    private static func parts(_ path: String) -> [Substring] {
        path.unicodeScalars.split(separator: "/").map(Substring.init)
    }

    private static func path(_ parts: [Substring]) -> String { "/" + parts.joined(separator: "/") }

    /// A path without the octal numbers for blanks.
    private static func plain(_ word: Substring) -> String {
        var (bytes, rest) = ([UInt8](), Array(word.utf8)[...])
        while let first = rest.popFirst() {
            if first == UInt8(ascii: "\\"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(first)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
