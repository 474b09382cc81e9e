/// A change of a text at some places; every other byte stays what it is.
package struct TextEdit: Hashable, Sendable {
    /// A part that goes, and what comes in its place.
    package struct Change: Hashable, Sendable {
        /// Where it is in the text before; empty where something is only added.
        package let range: Range<Int>
        /// What comes in its place.
        package let bytes: [UInt8]
    }

    /// In the order of the text; none overlaps another.
    package let changes: [Change]

    /// An edit that leaves all as it is.
    package static let none = TextEdit([])

    init(_ changes: [Change]) { self.changes = changes }

    /// An edit that adds text at one place.
    init(adding text: String, at place: Int) {
        self.init([Change(range: place..<place, bytes: Array(text.utf8))])
    }

    /// An edit that takes parts out.
    init(removing ranges: [Range<Int>]) { self.init(ranges.map { Change(range: $0, bytes: []) }) }

    /// Whether it leaves all as it is.
    package var isEmpty: Bool { changes.isEmpty }

    /// The text after it.
    package func applied(to text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for change in changes {
            result += text[position..<change.range.lowerBound] + change.bytes
            position = change.range.upperBound
        }
        return result + text[position...]
    }

    /// A line that an edit takes out or adds.
    package struct PreviewLine: Hashable, Sendable {
        /// Where it is in the text before, from 1.
        package let number: Int
        package let isAdded: Bool
        package let text: String
    }

    /// What goes and what comes, line by line, and nothing of what stays: that may be secret.
    package func preview(of text: [UInt8]) -> [PreviewLine] {
        changes.flatMap { change in
            lines(text[change.range], isAdded: false, change, text)
                + lines(change.bytes[...], isAdded: true, change, text)
        }
    }

    private func lines(
        _ part: ArraySlice<UInt8>, isAdded: Bool, _ change: Change, _ text: [UInt8]
    ) -> [PreviewLine] {
        let isBlank = { (byte: UInt8) in byte == 0x0A || byte == 0x0D }
        // A line's end at its beginning is that of the line before.
        var start = text[..<change.range.lowerBound].count { $0 == 0x0A } + 1
        start += part.prefix(while: isBlank).count { $0 == 0x0A }
        return part.split(separator: 0x0A, omittingEmptySubsequences: true).enumerated().compactMap { index, line in
            let line = String(decoding: line.filter { $0 != 0x0D }, as: UTF8.self)
            return line.isEmpty
                ? nil : PreviewLine(number: isAdded ? start : start + index, isAdded: isAdded, text: line)
        }
    }
}
