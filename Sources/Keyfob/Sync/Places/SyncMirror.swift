internal import FoundationEssentials
internal import KeyfobFiles

/// The files of a sync on this machine, where its remote is no folder of this machine's: the tree that is read and written,
/// and what is noted of it.
struct SyncMirror: ~Copyable {
    private let place: String
    // Two at once would write one tree.
    private let held: FileLock

    /// The tree.
    var folder: String { place + "/tree" }
    private var notes: String { place + "/notes.json" }

    init(_ place: String) throws(KeyringError) {
        self.place = place
        do {
            try POSIXFile.createDirectories(place + "/tree/devices")
            for folder in [place, place + "/tree", place + "/tree/devices"] {
                guard let status = try POSIXFile.status(folder), status.isDirectory else {
                    throw StoreError.unsafePath(path: folder, reason: "it is not a folder")
                }
                try status.requireOwn(folder)
            }
            held = try FileLock(place + "/lock")
        } catch {
            throw KeyringError(error)
        }
    }

    /// Whether a path is one that a sync has: `devices/ID/NAME`.
    static func isExpected(_ path: String) -> Bool {
        path.wholeMatch(of: /devices\/[0-9a-f]{24}\/(head\.age|request|[0-9]{1,20}-[0-9a-f]{32}\.age)/) != nil
    }

    /// Whether another file takes the place of the one at a path; the others never change.
    static func isReplaced(_ path: String) -> Bool { path.hasSuffix("/head.age") || path.hasSuffix("/request") }

    // MARK: Files

    /// What tells a file from one that has taken its place; nil where there is none.
    func identity(of path: String) -> String? {
        guard let found = try? FileManager.default.attributesOfItem(atPath: folder + "/" + path),
            found[.type] as? FileAttributeType == .typeRegular, let number = found[.systemFileNumber] as? Int,
            let size = found[.size] as? Int, let date = found[.modificationDate] as? Date
        else { return nil }
        return "\(number):\(size):\(date.timeIntervalSinceReferenceDate)"
    }

    /// The names of files that a sync has in a folder of it.
    func names(in ownFolder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + ownFolder)) ?? []).sorted()
            .filter { Self.isExpected(ownFolder + "/" + $0) }
    }

    /// Removes all files but these.
    func keep(_ paths: Set<String>) throws(KeyringError) {
        let folders = Set(paths.map { $0[..<($0.lastIndex(of: "/") ?? $0.endIndex)] } + ["devices"])
        for path in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
            guard !paths.contains(path), !folders.contains(path[...]) else { continue }
            try? FileManager.default.removeItem(atPath: folder + "/" + path)
        }
    }

    /// How many bytes a file has; none where it is not there.
    func size(of path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: folder + "/" + path)[.size] as? Int) ?? 0
    }

    func read(_ path: String) throws(KeyringError) -> Data {
        guard let data = FileManager.default.contents(atPath: folder + "/" + path) else {
            throw KeyringError(.inputOutput, "\(folder)/\(path) cannot be read")
        }
        return data
    }

    func write(_ path: String, _ data: Data) throws(KeyringError) {
        let file = folder + "/" + path
        do {
            try POSIXFile.createDirectories(String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)]))
            try POSIXFile.replace(file, with: Array(data))
        } catch {
            throw KeyringError(error)
        }
    }

    // MARK: Notes

    private struct Notes: Codable {
        let source: String
        let versions: [String: String]
    }

    /// What is noted of each file, by its path, where the notes are of this source.
    func known(in source: String) -> [String: String] {
        guard let data = FileManager.default.contents(atPath: notes),
            let notes = try? JSONDecoder().decode(Notes.self, from: data), notes.source == source
        else { return [:] }
        return notes.versions
    }

    /// Notes which version of each file is there.
    ///
    /// Lost notes cost a reading of all, and nothing else.
    func note(_ versions: [String: String], in source: String) throws(KeyringError) {
        guard versions != known(in: source) else { return }
        do {
            let data = try JSONEncoder().encode(Notes(source: source, versions: versions))
            try POSIXFile.replace(notes, with: Array(data))
        } catch {
            throw KeyringError(error)
        }
    }
}
