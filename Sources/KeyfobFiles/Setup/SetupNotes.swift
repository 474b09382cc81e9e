internal import KeyfobModel

/// What was in other programs' files before setup wrote into them, as far as the files themselves do not tell.
///
/// One text file in the folder for state, `setup`, with a line `TOOL FILE FORMER FORM ENTRY…` for each, percent-encoded. It
/// holds no secret. Whoever writes there decides only which of setup's own entries an undoing takes out, and whether what is
/// left without them, where that says nothing, stays as an empty file: no other text goes by it.
package struct SetupNotes: Sendable {
    /// What there was of a file.
    package enum Former: Hashable, Sendable, RawRepresentable {
        /// Neither the file nor so many folders above it.
        case noFolder(Int)
        case noFile, emptyFile, text

        private static let noFolder = "noFolder"

        /// As it is noted.
        package var rawValue: String {
            switch self {
            case .noFolder(1): Self.noFolder
            case .noFolder(let count): "\(Self.noFolder)-\(count)"
            case .noFile: "noFile"
            case .emptyFile: "emptyFile"
            case .text: "text"
            }
        }

        /// What is noted so; nil for nothing of the kind.
        package init?(rawValue: String) {
            let count = rawValue.hasPrefix(Self.noFolder + "-") ? UInt8(rawValue.dropFirst(Self.noFolder.count + 1)) : 1
            let all = [.noFile, .emptyFile, .text] + (count.map { [Former.noFolder(Int($0))] } ?? [])
            guard let found = all.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = found
        }
    }

    /// What is known of a file.
    package struct Note: Hashable, Sendable {
        package var former: Former
        /// What stood where the entries are, in the words of who wrote them.
        package var form: String
        /// The entries.
        package var entries: [String]

        /// A note.
        package init(former: Former, form: String, entries: [String]) {
            self.former = former
            self.form = form
            self.entries = entries
        }
    }

    private let state: String
    /// The file that has them.
    package var path: String { state + "/setup" }

    /// The notes in the folder `state` (`$XDG_STATE_HOME/keyfob`).
    package init(state: String) { self.state = state }

    /// What is known of a tool's file.
    package func note(_ tool: String, _ file: String) throws(StorageFailure) -> Note? {
        try lines().last { $0.key == [tool, file] }?.note
    }

    /// Lets one process at a time do what `body` does.
    package func alone<Result>(_ body: () throws -> Result) throws -> Result {
        try POSIXFile.createDirectories(state)
        let held = try FileLock(state + "/setup.lock", orBusyAfter: .seconds(10))
        let result = try body()
        _ = consume held
        return result
    }

    /// Takes note of a tool's file, or forgets it.
    package func keep(_ note: Note?, of tool: String, _ file: String) throws(StorageFailure) {
        var lines = try lines().filter { $0.key != [tool, file] }
        if let note { lines.append((key: [tool, file], note: note)) }
        let text = lines.map { line in
            let words = line.key + [line.note.former.rawValue, line.note.form] + line.note.entries
            return words.map { PercentEncoding.encode($0) }.joined(separator: " ") + "\n"
        }
        try POSIXFile.replace(path, with: Array(text.joined().utf8))
    }

    private func lines() throws(StorageFailure) -> [(key: [String], note: Note)] {
        let bytes = try POSIXFile.read(path, limit: 1 << 20) ?? []
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " ")).compactMap { word in
                PercentEncoding.decode(word).flatMap { String(validating: $0, as: UTF8.self) }
            }
            guard words.count > 3, let former = Former(rawValue: words[2]) else { return nil }
            return (Array(words[..<2]), Note(former: former, form: words[3], entries: Array(words[4...])))
        }
    }
}
