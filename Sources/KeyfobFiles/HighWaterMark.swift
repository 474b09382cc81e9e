package import KeyfobModel

/// The highest sequence numbers seen, kept outside the vault: a vault that shows lower ones has been
/// taken back to an earlier state.
///
/// One text file per vault: a line `header N`, then a line `GROUP N` for each group. It holds no
/// name and no secret; losing it loses only the knowledge of what was seen.
package struct HighWaterMark: Sendable {
    private let path: String
    private let lock: String
    /// The folder that the mark is in.
    package let folder: String

    /// The mark of `vault` in the folder `state` (`$XDG_STATE_HOME/keyfob`).
    package init(state: String, vault: VaultID) {
        folder = state
        path = state + "/\(vault).mark"
        lock = state + "/\(vault).lock"
    }

    /// Whether anything was seen of the vault.
    package var isKnown: Bool { (try? POSIXFile.status(path)) != nil }

    /// What was seen of a vault.
    package struct Marks: Sendable {
        /// One for the header and one for each group: few, and looked at by every process, for which a
        /// dictionary would cost more than the whole search.
        fileprivate private(set) var lines: [Line] = []

        fileprivate struct Line: Equatable {
            let name: String
            var sequence: UInt64
        }

        /// Nothing was seen.
        package init() {}

        /// The highest sequence of the header (nil), or of one group.
        package func sequence(of group: GroupID?) -> UInt64 {
            let name = HighWaterMark.name(group)
            return lines.first { $0.name == name }?.sequence ?? 0
        }

        /// Notes sequences; a lower one than is known changes nothing.
        package mutating func raise(_ raised: [(group: GroupID?, sequence: UInt64)]) {
            for (group, sequence) in raised {
                set(HighWaterMark.name(group), to: max(self.sequence(of: group), sequence))
            }
        }

        /// Puts sequences in place of those that are known, lower or not; the marks of others stay.
        package mutating func reset(_ accepted: [(group: GroupID?, sequence: UInt64)]) {
            for (group, sequence) in accepted { set(HighWaterMark.name(group), to: sequence) }
        }

        fileprivate mutating func set(_ name: String, to sequence: UInt64) {
            if let index = lines.firstIndex(where: { $0.name == name }) {
                lines[index].sequence = sequence
            } else {
                lines.append(Line(name: name, sequence: sequence))
            }
        }
    }

    /// The marks as they are now.
    package func marks() throws -> Marks {
        let text = String(decoding: try POSIXFile.read(path, limit: 1 << 20) ?? [], as: UTF8.self)
        var marks = Marks()
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count == 2, let value = UInt64(parts[1]) { marks.set(String(parts[0]), to: value) }
        }
        return marks
    }

    /// The highest sequence of the header, or of one group.
    package func sequence(of group: GroupID?) throws -> UInt64 {
        try marks().sequence(of: group)
    }

    /// Notes sequences; a lower one than is known changes nothing.
    package func raise(_ sequences: [(group: GroupID?, sequence: UInt64)]) throws {
        try change { $0.raise(sequences) }
    }

    /// Accepts lower sequences, because the owner of the vault says so; the marks of others stay.
    package func reset(_ sequences: [(group: GroupID?, sequence: UInt64)]) throws {
        try change { $0.reset(sequences) }
    }

    private func change(_ body: (inout Marks) -> Void) throws {
        try POSIXFile.createDirectories(folder)
        let held = try FileLock(lock)
        let before = try marks()
        var marks = before
        body(&marks)
        if marks.lines != before.lines {
            let lines = marks.lines.map { "\($0.name) \($0.sequence)\n" }.sorted()
            try POSIXFile.replace(path, with: Array(lines.joined().utf8))
        }
        _ = consume held
    }

    fileprivate static func name(_ group: GroupID?) -> String { group?.description ?? "header" }
}
