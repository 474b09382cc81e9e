internal import Foundation

/// What is taken from a repository that nobody vouches for, and how git is told to run nothing of it.
struct SyncGitPlan {
    /// How many bytes a list of files has at most.
    static let listLimit = 8 << 20
    /// How many devices' folders, and files in them, are looked at.
    static let folderLimit = 1_024
    static let fileLimit = 4_096
    /// The longest head and request, in bytes.
    private static let headLimit = 2 << 20
    /// How many bytes all files have at most that are written out.
    static let totalLimit = 256 << 20

    /// A file in the last commit.
    struct Entry: Hashable {
        let object: String
        let size: Int
        let path: String
    }

    private let isLocal: Bool

    init(_ address: String) { isLocal = address.hasPrefix("/") || address.lowercased().hasPrefix("file:") }

    // At a path git runs the other side here, as the user: with settings that name programs, of whoever wrote the repository.
    private static let settings = "-c core.hooksPath=/dev/null -c core.alternateRefsCommand=true"

    /// What goes with a command that reads.
    var reading: [String] { isLocal ? ["--upload-pack=git \(Self.settings) upload-pack"] : [] }

    /// What goes with a command that writes.
    var writing: [String] { isLocal ? ["--receive-pack=git \(Self.settings) receive-pack"] : [] }

    /// The devices' folders in what `ls-tree` lists.
    static func folders(_ listed: Data) -> [String] {
        let found = lines(listed).filter { line in
            line.kind == "tree" && line.path.wholeMatch(of: /devices\/[0-9a-f]{24}/) != nil
        }
        return Array(Set(found.map(\.path)).sorted().prefix(folderLimit))
    }

    /// The files in what `ls-tree` lists; of several with one name, the first.
    static func files(_ listed: Data) -> [Entry] {
        var paths: Set<String> = []
        // Of a link, the size is that of its target's name: only files count.
        return lines(listed).compactMap { line in
            guard line.kind == "blob", line.mode.hasPrefix("100"), let size = Int(line.size),
                paths.insert(line.path).inserted
            else { return nil }
            return Entry(object: line.object, size: size, path: line.path)
        }
    }

    private static func lines(
        _ listed: Data
    ) -> [(mode: String, kind: String, object: String, size: String, path: String)] {
        listed.split(separator: 0).compactMap { line in
            guard let tab = line.firstIndex(of: UInt8(ascii: "\t")) else { return nil }
            let words = String(decoding: line[..<tab], as: UTF8.self).split(separator: " ").map(String.init)
            guard words.count == 4 else { return nil }
            return (
                words[0], words[1], words[2], words[3], String(decoding: line[line.index(after: tab)...], as: UTF8.self)
            )
        }
    }

    /// Those that are written out: heads and requests first, then the shorter ones first, as far as there is room.
    func chosen(_ entries: [Entry]) -> [Entry] {
        func isReplaced(_ entry: Entry) -> Bool {
            entry.path.hasSuffix("/head.age") || entry.path.hasSuffix("/request")
        }
        let fitting = entries.filter { $0.size >= 0 && $0.size <= (isReplaced($0) ? Self.headLimit : Self.totalLimit) }
            .sorted { (isReplaced($0) ? 0 : 1, $0.size, $0.path) < (isReplaced($1) ? 0 : 1, $1.size, $1.path) }
        var total = 0
        return fitting.prefix(Self.fileLimit).filter { entry in
            guard total + entry.size <= Self.totalLimit else { return false }
            total += entry.size
            return true
        }
    }
}
