internal import FoundationEssentials

/// What is taken from a repository that nobody vouches for.
enum SyncGitPlan {
    /// How many devices' folders are looked at.
    static let folderLimit = 1_024

    /// A file in the last commit.
    struct Entry: Hashable {
        let object: String
        let size: Int
        let path: String
    }

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

    /// Those that are written out.
    static func chosen(_ entries: [Entry]) -> [Entry] { SyncChoice.chosen(entries, \.path, \.size) }
}
