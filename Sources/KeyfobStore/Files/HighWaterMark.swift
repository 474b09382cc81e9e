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

    /// The highest sequence of the header, or of one group.
    package func sequence(of group: GroupID?) throws -> UInt64 {
        try load()[Self.key(group)] ?? 0
    }

    /// Notes sequences; a lower one than is known changes nothing.
    package func raise(_ sequences: [(group: GroupID?, sequence: UInt64)]) throws {
        try change { marks in
            for (group, sequence) in sequences {
                let key = Self.key(group)
                marks[key] = max(marks[key] ?? 0, sequence)
            }
        }
    }

    /// Accepts lower sequences, because the owner of the vault says so.
    package func reset(_ sequences: [(group: GroupID?, sequence: UInt64)]) throws {
        try change { marks in
            marks = [:]
            for (group, sequence) in sequences { marks[Self.key(group)] = sequence }
        }
    }

    private func change(_ body: (inout [String: UInt64]) -> Void) throws {
        try POSIXFile.createDirectories(folder)
        let held = try FileLock(lock)
        let before = try load()
        var marks = before
        body(&marks)
        if marks != before {
            let lines = marks.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
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

    private static func key(_ group: GroupID?) -> String { group?.description ?? "header" }
}
