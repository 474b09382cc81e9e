package import KeyfobModel

/// What commands did outside the vault, or while it was locked, that no undo takes back.
///
/// One text file in the folder for state, `done`, with a line `ID MILLISECONDS VAULT COMMAND KIND SUBJECT` for each, the
/// oldest first, percent-encoded. Whoever writes there decides nothing but what an undo stops at, which tells how it goes on.
package struct LastingNotes: Sendable {
    /// What a command did.
    package struct Note: Hashable, Sendable {
        /// The run of the command.
        package let entry: JournalEntry
        /// When it was done, in milliseconds since 1970.
        package let milliseconds: Int64
        package let change: LastingChange
    }

    /// How many are kept of each vault.
    package static let limit = 64
    /// How many bytes the file may have.
    private static let size = 1 << 20

    private let state: String
    private let vault: String
    /// The file that has them.
    package var path: String { state + "/done" }

    /// The notes about a vault in the folder `state` (`$XDG_STATE_HOME/keyfob`), and about no vault.
    ///
    /// - Parameter vault: The vault's folder.
    package init(state: String, vault: String) {
        self.state = state
        self.vault = FileAccess.realPath(vault) ?? vault
    }

    /// The notes, the oldest first.
    ///
    /// - Throws: `damaged` for a file that is too long, `unsafePath`, `inputOutput`.
    package func all() throws(StorageFailure) -> [Note] { try lines().filter { isMeant($0.vault) }.map(\.note) }

    /// Whether a note is about this vault, or about none.
    private func isMeant(_ vault: String) -> Bool { vault == self.vault || vault.isEmpty }

    /// Takes note of a change.
    ///
    /// - Parameter isOfVault: Whether it is about this vault alone.
    package func add(
        _ change: LastingChange, by entry: JournalEntry, milliseconds: Int64, isOfVault: Bool
    ) throws {
        let note = Note(entry: entry, milliseconds: milliseconds, change: change)
        try rewrite { lines in lines.append((isOfVault ? vault : "", note)) }
    }

    /// Forgets those that `isMeant` finds.
    package func remove(where isMeant: (Note) -> Bool) throws {
        guard try all().contains(where: isMeant) else { return }
        try rewrite { lines in lines.removeAll { self.isMeant($0.vault) && isMeant($0.note) } }
    }

    private func rewrite(_ body: (inout [(vault: String, note: Note)]) -> Void) throws {
        try POSIXFile.createDirectories(state)
        let held = try FileLock(path + ".lock", orBusyAfter: .seconds(5))
        var lines = try lines()
        body(&lines)
        // The newest of each vault, as many as there is room for.
        var (text, left, counts) = ([String](), Self.size, [String: Int]())
        for line in lines.reversed() {
            let words = [
                Hexadecimal.text(line.note.entry.id.bytes), "\(line.note.milliseconds)", line.vault,
                line.note.entry.command, line.note.change.kind.rawValue, line.note.change.subject,
            ]
            let encoded = words.map { PercentEncoding.encode($0) }.joined(separator: " ") + "\n"
            counts[line.vault, default: 0] += 1
            guard counts[line.vault, default: 0] <= Self.limit else { continue }
            left -= encoded.utf8.count
            guard left >= 0 else { break }
            text.append(encoded)
        }
        try POSIXFile.replace(path, with: Array(text.reversed().joined().utf8))
        _ = consume held
    }

    private func lines() throws(StorageFailure) -> [(vault: String, note: Note)] {
        let bytes = try POSIXFile.read(path, limit: Self.size) ?? []
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).compactMap { word in
                PercentEncoding.decode(word).flatMap { String(validating: $0, as: UTF8.self) }
            }
            guard words.count == 6, let id = Hexadecimal.bytes(words[0][...]).flatMap({ JournalID($0) }),
                let milliseconds = Int64(words[1])
            else { return nil }
            let time = Timestamp(seconds: milliseconds / 1_000)
            let entry = JournalEntry(id: id, command: JournalEntry.fitting(words[3]), time: time)
            let change = LastingChange(LastingChange.Kind(rawValue: words[4]) ?? .other, words[5])
            return (words[2], Note(entry: entry, milliseconds: milliseconds, change: change))
        }
    }
}
