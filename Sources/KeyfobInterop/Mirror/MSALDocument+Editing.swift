internal import KeyfobModel
package import KeyfobSodium

extension MSALDocument {
    /// The cache without some entries, and with entries of another one in it; all else stays byte for byte.
    ///
    /// An entry goes in the place of one of the same key; where something that Keyfob does not know has its name, it is
    /// left out.
    ///
    /// - Parameters:
    ///   - bytes: The cache.
    ///   - removals: Places in ``entries`` of what goes.
    ///   - additions: Places in the entries of `other` of what comes.
    package func edited(
        _ bytes: RawSpan, removing removals: Set<Int>, adding additions: [Int], of other: MSALDocument,
        _ otherBytes: RawSpan
    ) -> SecretBytes {
        var changes: [MSALSection: SectionChange] = [:]
        for index in removals {
            changes[entries[index].section, default: .init()].removed.insert(entries[index].ordinal)
        }
        let current = Dictionary(entries.filter { !$0.isSuperseded }.map { ($0.key, $0.ordinal) }) { first, _ in first }
        for index in additions {
            let entry = other.entries[index]
            guard let member = other.member(entry, otherBytes) else { continue }
            var change = changes[entry.section, default: .init()]
            let named = ordinal(named: member.name, in: entry.section, bytes)
            // What the two have in common by name or by key is one.
            if let place = current[entry.key] ?? named, isKnown(place, entry.section), named ?? place == place {
                change.removed.remove(place)
                change.replaced[place] = member.range
            } else if named == nil {
                change.added.append(member.range)
            } else if let named, isKnown(named, entry.section) {
                if let place = current[entry.key] { change.removed.insert(place) }
                change.removed.remove(named)
                change.replaced[named] = member.range
            }
            changes[entry.section] = change
        }
        let count = changes.values.reduce(0) { $0 + $1.added.count + 1 }
        var copy = SecretBuffer(
            capacity: bytes.byteCount + otherBytes.byteCount + 2 * (count + MSALSection.allCases.count)
                * SectionChange.room)
        DocumentCopy(document: self, changes: changes).write(bytes, otherBytes, to: &copy)
        return copy.withBytes { SecretBytes(copying: $0) }
    }

    fileprivate func section(_ section: MSALSection, _ bytes: RawSpan) -> JSONTape.Value? {
        tape.member(section.rawValue, of: tape.root, in: bytes)
    }

    /// The name of an entry, and where it is with its name.
    private func member(_ entry: Entry, _ bytes: RawSpan) -> (name: String, range: Range<Int>)? {
        guard let section = section(entry.section, bytes) else { return nil }
        var ordinal = 0
        for member in tape.members(of: section, includingSuperseded: true) {
            ordinal += 1
            guard ordinal == entry.ordinal else { continue }
            let range = tape.range(of: member.name).lowerBound..<tape.range(of: member.value).upperBound
            return (tape.string(of: member.name, in: bytes) ?? "", range)
        }
        return nil
    }

    private func ordinal(named name: String, in section: MSALSection, _ bytes: RawSpan) -> Int? {
        guard let section = self.section(section, bytes) else { return nil }
        var ordinal = 0
        for member in tape.members(of: section, includingSuperseded: true) {
            ordinal += 1
            if !member.isSuperseded, tape.string(of: member.name, in: bytes) == name { return ordinal }
        }
        return nil
    }

    private func isKnown(_ ordinal: Int, _ section: MSALSection) -> Bool {
        entries.contains { $0.section == section && $0.ordinal == ordinal }
    }
}

/// What changes in a section, by the numbers of its members; ranges are those of the other cache.
private struct SectionChange {
    /// The most that stands between two members, in bytes.
    static let room = 96

    var removed: Set<Int> = []
    var replaced: [Int: Range<Int>] = [:]
    var added: [Range<Int>] = []
}

/// Copies a cache but for some members of its sections.
private struct DocumentCopy {
    let document: MSALDocument
    let changes: [MSALSection: SectionChange]
    private var tape: JSONTape { document.tape }

    init(document: MSALDocument, changes: [MSALSection: SectionChange]) {
        (self.document, self.changes) = (document, changes)
    }

    func write(_ bytes: RawSpan, _ other: RawSpan, to copy: inout SecretBuffer) {
        var end = 0
        var missing: [(MSALSection, SectionChange)] = []
        var present: [(Range<Int>, JSONTape.Value, SectionChange)] = []
        for section in MSALSection.allCases {
            guard let change = changes[section] else { continue }
            if let value = document.section(section, bytes) {
                present.append((tape.range(of: value), value, change))
            } else if !change.added.isEmpty {
                missing.append((section, change))
            }
        }
        for (range, value, change) in present.sorted(by: { $0.0.lowerBound < $1.0.lowerBound }) {
            copy.append(bytes.extracting(end..<range.lowerBound))
            write(value, change, bytes, other, to: &copy)
            end = range.upperBound
        }
        let root = members(of: tape.root, bytes)
        let place = root.last?.range.upperBound ?? tape.range(of: tape.root).lowerBound + 1
        copy.append(bytes.extracting(end..<max(end, place)))
        var isFirst = root.isEmpty
        let blank = blank(root, tape.range(of: tape.root), bytes)
        for (section, change) in missing {
            append((isFirst ? "" : ",") + blank + "\"\(section.rawValue)\": {", to: &copy)
            append(change.added, blank + (blank.isEmpty ? "" : "    "), isFirst: true, other, to: &copy)
            append(blank + "}", to: &copy)
            isFirst = false
        }
        copy.append(bytes.extracting(max(end, place)..<bytes.byteCount))
    }

    private func write(
        _ value: JSONTape.Value, _ change: SectionChange, _ bytes: RawSpan, _ other: RawSpan,
        to copy: inout SecretBuffer
    ) {
        let range = tape.range(of: value)
        guard tape.kind(of: value) == .object else {
            guard tape.kind(of: value) == .null, !change.added.isEmpty else {
                return copy.append(bytes.extracting(range))
            }
            append("{", to: &copy)
            append(change.added, "", isFirst: true, other, to: &copy)
            return append("}", to: &copy)
        }
        let members = members(of: value, bytes)
        append("{", to: &copy)
        var (end, isFirst, isWhole) = (range.lowerBound + 1, true, true)
        for (index, member) in members.enumerated() {
            defer { end = member.range.upperBound }
            guard !change.removed.contains(index + 1) else {
                isWhole = false
                continue
            }
            if isWhole {
                copy.append(bytes.extracting(end..<member.range.lowerBound))
            } else {
                if !isFirst { append(",", to: &copy) }
                copy.append(bytes.extracting(member.blank))
            }
            if let new = change.replaced[index + 1] {
                copy.append(other.extracting(new))
            } else {
                copy.append(bytes.extracting(member.range))
            }
            (isFirst, isWhole) = (false, true)
        }
        append(change.added, blank(members, range, bytes), isFirst: isFirst, other, to: &copy)
        copy.append(bytes.extracting(end..<range.upperBound))
    }

    private func append(
        _ added: [Range<Int>], _ blank: String, isFirst: Bool, _ other: RawSpan, to copy: inout SecretBuffer
    ) {
        for (index, range) in added.enumerated() {
            append((isFirst && index == 0 ? "" : ",") + blank, to: &copy)
            copy.append(other.extracting(range))
        }
    }

    private func append(_ text: String, to copy: inout SecretBuffer) {
        let bytes = Array(text.utf8)
        bytes.withBytes { copy.append($0) }
    }

    /// The members of an object, each with the white space before its name.
    private func members(
        of object: JSONTape.Value, _ bytes: RawSpan
    ) -> [(blank: Range<Int>, range: Range<Int>)] {
        tape.members(of: object, includingSuperseded: true).map { member in
            let name = tape.range(of: member.name).lowerBound
            var start = name
            while start > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes.byte(at: start - 1)) { start -= 1 }
            return (start..<name, name..<tape.range(of: member.value).upperBound)
        }
    }

    /// What stands before a member that is added: as before the first one.
    private func blank(
        _ members: [(blank: Range<Int>, range: Range<Int>)], _ object: Range<Int>, _ bytes: RawSpan
    ) -> String {
        guard let first = members.first?.blank, first.count <= SectionChange.room / 2 else { return "" }
        return String(decoding: [UInt8](bytes.extracting(first)), as: UTF8.self)
    }
}
