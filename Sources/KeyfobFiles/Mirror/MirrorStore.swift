internal import KeyfobModel
internal import KeyfobSodium

/// The notes of mirrors, in the folder for state: `mirrors/DIGEST`, one for each file that is mirrored.
package struct MirrorStore: Sendable {
    private let folder: String
    /// The longest note: some hundred thousand entries.
    private static let limit = 64 << 20
    private static let suffix = ".mirror"

    /// The notes in the folder `state` (`$XDG_STATE_HOME/keyfob`).
    package init(state: String) { folder = state + "/mirrors" }

    /// The note of the mirror of a file; nil where there is none.
    package func note(of file: String) throws(StorageFailure) -> String? {
        guard let bytes = try POSIXFile.read(path(of: file), limit: Self.limit) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// All notes, in no order.
    package func notes() throws(StorageFailure) -> [String] {
        guard try POSIXFile.status(folder) != nil else { return [] }
        var notes: [String] = []
        for name in try POSIXFile.names(in: folder) where name.hasSuffix(Self.suffix) {
            let bytes = try POSIXFile.read(folder + "/" + name, limit: Self.limit)
            if let note = bytes.flatMap({ String(validating: $0, as: UTF8.self) }) { notes.append(note) }
        }
        return notes
    }

    /// Keeps the note of the mirror of a file, in place of what there was.
    package func keep(_ note: String, of file: String) throws(StorageFailure) {
        try POSIXFile.createDirectories(folder)
        try POSIXFile.replace(path(of: file), with: Array(note.utf8))
    }

    /// Forgets a mirror.
    package func forget(_ file: String) throws(StorageFailure) { try POSIXFile.remove(path(of: file)) }

    /// The lock by which one pass at a time works on a file.
    package func lock(_ file: String, orBusyAfter limit: Duration) throws(StorageFailure) -> FileLock {
        try POSIXFile.createDirectories(folder)
        return try FileLock(path(of: file) + ".lock", orBusyAfter: limit)
    }

    private func path(of file: String) -> String {
        let name = Array(file.utf8)
        return folder + "/" + Hexadecimal.text(name.withBytes { BLAKE2b.hash($0, count: 16) }) + Self.suffix
    }
}
