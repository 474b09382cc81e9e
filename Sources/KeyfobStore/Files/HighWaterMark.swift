package import KeyfobVault

/// The highest sequence numbers seen, kept outside the vault: a vault that shows lower ones has been
/// taken back to an earlier state.
///
/// One text file per vault: a line `header N`, then a line `GROUP N` for each group. It holds no
/// name and no secret; losing it loses only the knowledge of what was seen.
package struct HighWaterMark: Sendable {
    private let path: String
    private let lock: String
    private let folder: String

    /// The mark of `vault` in the folder `state` (`$XDG_STATE_HOME/keyfob`).
    package init(state: String, vault: VaultID) {
        folder = state
        path = state + "/\(vault).mark"
        lock = state + "/\(vault).lock"
    }

    /// What was seen of a vault.
    package struct Marks: Sendable {
        fileprivate var sequences: [String: UInt64]

        /// Nothing was seen.
        package init() {
            sequences = [:]
        }

        fileprivate init(sequences: [String: UInt64]) {
            self.sequences = sequences
        }

        /// The highest sequence of the header (nil), or of one group.
        package func sequence(of group: GroupID?) -> UInt64 {
            sequences[HighWaterMark.key(group)] ?? 0
        }

        /// Notes sequences; a lower one than is known changes nothing.
        package mutating func raise(_ raised: [(group: GroupID?, sequence: UInt64)]) {
            for (group, sequence) in raised {
                let key = HighWaterMark.key(group)
                sequences[key] = max(sequences[key] ?? 0, sequence)
            }
        }
    }

    /// The marks as they are now.
    package func marks() throws -> Marks {
        Marks(sequences: try load())
    }

    /// The highest sequence of the header, or of one group.
    package func sequence(of group: GroupID?) throws -> UInt64 {
        try marks().sequence(of: group)
    }

    /// Notes sequences; a lower one than is known changes nothing.
    package func raise(_ sequences: [(group: GroupID?, sequence: UInt64)]) throws {
        try change { $0.raise(sequences) }
    }

    /// Accepts lower sequences, because the owner of the vault says so.
    package func reset(_ sequences: [(group: GroupID?, sequence: UInt64)]) throws {
        try change { marks in
            marks = Marks()
            marks.raise(sequences)
        }
    }

    private func change(_ body: (inout Marks) -> Void) throws {
        try POSIXFile.createDirectories(folder)
        let held = try FileLock(lock)
        let before = try marks()
        var marks = before
        body(&marks)
        if marks.sequences != before.sequences {
            let lines = marks.sequences.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
            try POSIXFile.replace(path, with: Array(lines.joined().utf8))
        }
        _ = consume held
    }

    private func load() throws -> [String: UInt64] {
        let text = String(decoding: try POSIXFile.read(path, limit: 1 << 20) ?? [], as: UTF8.self)
        var marks: [String: UInt64] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count == 2, let value = UInt64(parts[1]) { marks[String(parts[0])] = value }
        }
        return marks
    }

    fileprivate static func key(_ group: GroupID?) -> String { group?.description ?? "header" }
}
