package import KeyfobModel

/// What was seen of a vault, and what did not follow from it.
package struct Marks: Sendable {
    /// The header's line, and one for each group, in the order of their names.
    ///
    /// Few, and looked at by every process, for which a dictionary would cost more than the whole search.
    private var lines: [Line] = []
    /// What the owner has not accepted yet; at most one for the header, for each group, and for the marks themselves.
    package private(set) var findings: [Finding] = []
    /// Whether a part of the text could not be read.
    private(set) var isDamaged = false

    private struct Line: Equatable {
        let name: String
        var sequence: UInt64
        /// In hexadecimal; empty where it is not known.
        var digest: String
        /// The epoch of a group's key; 0 where it is not known.
        var epoch: UInt32 = 0

        var text: String {
            "\(name) \(sequence) \(digest.isEmpty ? "-" : digest)\(epoch == 0 ? "" : " \(epoch)")\n"
        }
    }

    /// What does not follow from what was seen.
    package struct Finding: Hashable, Sendable {
        package let kind: Kind
        package let subject: Subject
        /// The sequence that was found.
        package let found: UInt64
        /// The sequence that had been seen.
        package let seen: UInt64
        /// When it was found.
        package let time: Timestamp

        /// What is wrong.
        package enum Kind: String, Sendable {
            /// An earlier state is there.
            case rollback
            /// Another state of the same sequence is there.
            case fork
            /// The marks were damaged.
            case damage
        }

        /// What it is about.
        package enum Subject: Hashable, Sendable {
            case header
            case group(GroupID)
            case marks
        }

        fileprivate var text: String {
            "finding \(kind.rawValue) \(subject.name) \(found) \(seen) \(time.seconds)\n"
        }
    }

    /// Nothing was seen.
    package init() {}

    /// The highest sequence of the header (nil), or of one group.
    package func sequence(of group: GroupID?) -> UInt64 { line(Self.name(group))?.sequence ?? 0 }

    /// The epoch of the key that a group was seen with; 0 where it is not known.
    package func epoch(of group: GroupID) -> UInt32 { line(Self.name(group))?.epoch ?? 0 }

    /// Takes note that a group is there with the key of an earlier epoch than it was seen with; false where that was found
    /// before.
    mutating func noteEarlierEpoch(_ milestone: Milestone, now: Timestamp) -> Bool {
        guard let group = milestone.group else { return false }
        return add(
            Finding(
                kind: .rollback, subject: .group(group), found: milestone.sequence, seen: sequence(of: group), time: now
            ))
    }

    /// Takes note of states, each the newest that there is.
    ///
    /// - Parameter earlier: What had been seen before the states were read or written, so that what is older or other
    ///   than that is a finding: what others note meanwhile may be newer.
    /// - Returns: Whether anything is new.
    mutating func note(_ milestones: [Milestone], since earlier: Marks, now: Timestamp) -> Bool {
        var isNew = false
        for milestone in milestones {
            let (kind, seen): (Finding.Kind, Marks)
            switch (verdict(on: milestone), earlier.verdict(on: milestone)) {
            case (.known, _): continue
            case (.newer, _):
                set(milestone)
                isNew = true
                continue
            case (.other, _): (kind, seen) = (.fork, self)
            case (.older, .older): (kind, seen) = (.rollback, earlier)
            case (.older, .other): (kind, seen) = (.fork, earlier)
            case (.older, .known), (.older, .newer): continue
            }
            let subject = milestone.group.map { Finding.Subject.group($0) } ?? .header
            isNew =
                add(
                    Finding(
                        kind: kind, subject: subject, found: milestone.sequence,
                        seen: seen.sequence(of: milestone.group), time: now)) || isNew
        }
        return isNew
    }

    /// Takes states for those to go on from, whatever was seen, and drops what was found of them and of the marks.
    ///
    /// - Parameter isAll: Whether the vault has no others: then no finding stays.
    /// - Returns: What is dropped.
    mutating func accept(_ milestones: [Milestone], isAll: Bool) -> [Finding] {
        let subjects: [Finding.Subject] = milestones.map { $0.group.map { .group($0) } ?? .header }
        let dropped = findings.filter { isAll || $0.subject == .marks || subjects.contains($0.subject) }
        findings.removeAll(where: dropped.contains)
        for milestone in milestones { set(milestone) }
        return dropped
    }

    private enum Verdict {
        case known, newer, older, other
    }

    private func verdict(on milestone: Milestone) -> Verdict {
        guard let line = line(Self.name(milestone.group)) else { return .newer }
        // Who had an earlier key of the group can count as far as they like under it.
        if milestone.epoch > 0, milestone.epoch < line.epoch { return .older }
        guard milestone.sequence <= line.sequence else { return .newer }
        guard milestone.sequence == line.sequence else { return .older }
        guard let digest = milestone.digest else { return .known }
        if line.digest.isEmpty { return .newer }
        return Hexadecimal.text(digest) == line.digest ? .known : .other
    }

    private func line(_ name: String) -> Line? { lines.first { $0.name == name } }

    private mutating func set(_ milestone: Milestone) {
        let line = Line(
            name: Self.name(milestone.group), sequence: milestone.sequence,
            digest: milestone.digest.map { Hexadecimal.text($0) } ?? "", epoch: milestone.epoch)
        if let index = lines.firstIndex(where: { $0.name == line.name }) {
            lines[index] = line
        } else {
            lines.append(line)
        }
    }

    private mutating func add(_ finding: Finding) -> Bool {
        guard !findings.contains(where: { $0.subject == finding.subject }) else { return false }
        findings.append(finding)
        return true
    }

    fileprivate static let header = "header"

    private static func name(_ group: GroupID?) -> String { group?.description ?? header }
}

// The marks as text: a line `NAME SEQUENCE DIGEST` for the header, the same with ` EPOCH` for each group, then the findings' lines
// `finding KIND SUBJECT FOUND SEEN TIME`, both in the order of their names.
extension Marks {
    private static let findingWord = "finding"
    private static let idCount = 32

    var text: String {
        lines.sorted { $0.name < $1.name }.map { $0.text }.joined()
            + findings.sorted { $0.subject.name < $1.subject.name }.map { $0.text }.joined()
    }

    /// Reads what ``text`` was; what makes no sense is passed over, and is a finding.
    init(text bytes: [UInt8], now: Timestamp) {
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            if !take(line) { isDamaged = true }
        }
        // There is no such file without a line, nor one that ends within one.
        if bytes.last != UInt8(ascii: "\n") { isDamaged = true }
        if isDamaged { setDamaged(now) }
    }

    /// Marks that cannot be read at all.
    static func damaged(_ now: Timestamp) -> Marks {
        var marks = Marks()
        marks.isDamaged = true
        marks.setDamaged(now)
        return marks
    }

    private mutating func setDamaged(_ now: Timestamp) {
        _ = add(Finding(kind: .damage, subject: .marks, found: 0, seen: 0, time: now))
    }

    /// Takes a line in; false for one that was not written here, or that comes twice.
    private mutating func take(_ bytes: ArraySlice<UInt8>) -> Bool {
        let words = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if words.count == 6, words[0] == Self.findingWord { return takeFinding(words) }
        guard words.count == 3 || words.count == 4 && words[0] != Self.header,
            let epoch = words.count == 4 ? UInt32(words[3]) : 0,
            words[0] == Self.header || Self.isHexadecimal(words[0], Self.idCount),
            lines.last.map({ $0.name < words[0] }) ?? true, let sequence = UInt64(words[1]),
            words[2] == "-" || Self.isHexadecimal(words[2], 2 * Milestone.digestCount)
        else { return false }
        lines.append(
            Line(name: words[0], sequence: sequence, digest: words[2] == "-" ? "" : words[2], epoch: epoch))
        return true
    }

    private mutating func takeFinding(_ words: [String]) -> Bool {
        guard let kind = Finding.Kind(rawValue: words[1]), let subject = Finding.Subject(name: words[2]),
            findings.last.map({ $0.subject.name < words[2] }) ?? true,
            let found = UInt64(words[3]), let seen = UInt64(words[4]), let time = Int64(words[5])
        else { return false }
        findings.append(
            Finding(kind: kind, subject: subject, found: found, seen: seen, time: Timestamp(seconds: time)))
        return true
    }

    private static func isHexadecimal(_ text: String, _ count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

extension Marks.Finding.Subject {
    private static let ownName = "marks"

    fileprivate var name: String {
        switch self {
        case .header: Marks.header
        case .group(let id): id.description
        case .marks: Self.ownName
        }
    }

    fileprivate init?(name: String) {
        switch name {
        case Marks.header: self = .header
        case Self.ownName: self = .marks
        default:
            guard let bytes = Hexadecimal.bytes(name), let id = GroupID(bytes) else { return nil }
            self = .group(id)
        }
    }
}
