internal import KeyfobSodium

/// The structure of a YAML document: what is where, and no text.
///
/// As a `JSONTape` it never copies what it describes; whoever asks for a text passes the same bytes again. One document of
/// mappings whose names are texts, sequences and scalars is read, in every style. Refused, with the line, are anchors,
/// aliases, tags, directives, merge keys, several documents, a name that comes twice, and what YAML 1.2 and the programs
/// that write these files read differently.
package struct YAMLTape: Sendable {
    /// A value on the tape; means nothing to another tape.
    package struct Value: Hashable, Sendable {
        let index: Int
    }

    /// What a value is.
    package enum Kind: Hashable, Sendable {
        /// Nothing stands there.
        case empty
        case scalar, sequence, mapping
    }

    /// How much a document may ask of its reader.
    package struct Limits: Sendable {
        /// How many values and names there may be; each takes 40 bytes of tape.
        package var nodes = 1 << 18
        /// How many sequences and mappings may be inside each other.
        package var depth = 64

        /// Limits; what is not given is generous.
        package init() {}
    }

    struct Node {
        private let start: UInt32
        private var end: UInt32
        private let leadStart: UInt32
        /// The node after this one and all that is in it.
        var next: UInt32
        let text: YAMLText?
        let kind: Kind
        /// Whether it is written in brackets.
        let isFlow: Bool

        init(_ kind: Kind, _ range: Range<Int>, lead: Int?, next: Int = 0, text: YAMLText? = nil, isFlow: Bool = false)
        {
            (start, end) = (UInt32(range.lowerBound), UInt32(range.upperBound))
            (leadStart, self.next) = (lead.map { UInt32($0) } ?? start, UInt32(next))
            (self.kind, self.text, self.isFlow) = (kind, text, isFlow)
        }

        /// From its first token to the end of its last; empty where nothing stands there.
        var range: Range<Int> { Int(start)..<Int(end) }

        /// Where the dash of an item or the colon before a mapping's value is; the value's own start elsewhere.
        var lead: Int { Int(leadStart) }

        mutating func close(at end: Int, next: Int) {
            (self.end, self.next) = (max(start, UInt32(end)), UInt32(next))
        }
    }

    let nodes: [Node]

    /// Reads UTF-8 text.
    package init(reading bytes: RawSpan, limits: Limits = Limits()) throws(YAMLProblem) {
        guard bytes.byteCount < Int(UInt32.max) else { throw YAMLProblem(line: 1, flaw: .tooLarge) }
        try Self.requireCharacters(bytes)
        let isEnded = bytes.byteCount == 0 || [0x0A, 0x0D].contains(bytes.byte(at: bytes.byteCount - 1))
        var parser = YAMLParser(bytes, limits)
        do throws(YAMLProblem) {
            try parser.parse(bytes)
        } catch {
            // What was cut off is told as that.
            guard !isEnded, error.line == Self.line(of: bytes.byteCount, in: bytes) else { throw error }
            throw YAMLProblem(line: error.line, flaw: .unended)
        }
        nodes = parser.nodes
        // The rest of a name or a token that was cut off might pass for the whole.
        guard isEnded || nodes[0].isFlow && nodes[0].range.upperBound == bytes.byteCount else {
            throw YAMLProblem(line: Self.line(of: bytes.byteCount, in: bytes), flaw: .unended)
        }
    }

    /// The value that the document is.
    package var root: Value { Value(index: 0) }

    /// What a value is.
    package func kind(of value: Value) -> Kind { nodes[value.index].kind }

    /// Where a value is in the source.
    package func range(of value: Value) -> Range<Int> { nodes[value.index].range }

    /// Where the dash of a sequence's item is, or the colon before a mapping's value.
    package func lead(of value: Value) -> Int { nodes[value.index].lead }

    /// Whether a value is a sequence or a mapping in brackets.
    package func isFlow(_ value: Value) -> Bool { nodes[value.index].isFlow }

    /// Where the text of a scalar is; nil for other kinds.
    package func text(of value: Value) -> YAMLText? { nodes[value.index].text }

    /// The names and values of a mapping in their order; none of other kinds.
    package func members(of mapping: Value) -> [(name: Value, value: Value)] {
        let inside = children(of: mapping, if: .mapping)
        return stride(from: 0, to: inside.count, by: 2).map { (inside[$0], inside[$0 + 1]) }
    }

    /// The items of a sequence in their order; none of other kinds.
    package func elements(of sequence: Value) -> [Value] { children(of: sequence, if: .sequence) }

    private func children(of value: Value, if kind: Kind) -> [Value] {
        var (children, index) = ([Value](), value.index + 1)
        guard self.kind(of: value) == kind else { return [] }
        while index < nodes[value.index].next {
            children.append(Value(index: index))
            index = Int(nodes[index].next)
        }
        return children
    }

    /// The number of the line that a byte is in, from 1.
    package static func line(of offset: Int, in bytes: RawSpan) -> Int {
        var line = 1
        for index in 0..<offset {
            let byte = bytes.byte(at: index)
            if byte == 0x0A || byte == 0x0D && !bytes.begins(with: "\r\n", at: index) { line += 1 }
        }
        return line
    }

    /// Refuses characters that are none of YAML's, and those at which YAML 1.1 ends a line and YAML 1.2 does not.
    private static func requireCharacters(_ bytes: RawSpan) throws(YAMLProblem) {
        for index in 0..<bytes.byteCount {
            let byte = bytes.byte(at: index)
            guard byte < 0x20 || byte == 0x7F || byte >= 0xC2 else { continue }
            let isBad =
                switch byte {
                case 0x09, 0x0A, 0x0D: false
                case 0..<0x20, 0x7F: true
                case 0xC2: bytes.byte(at: index + 1) < 0xA0
                case 0xE2: bytes.begins(with: "\u{2028}", at: index) || bytes.begins(with: "\u{2029}", at: index)
                case 0xEF:
                    bytes.begins(with: "\u{FEFF}", at: index) && index > 0 || bytes.begins(with: "\u{FFFE}", at: index)
                        || bytes.begins(with: "\u{FFFF}", at: index)
                default: false
                }
            if isBad { throw YAMLProblem(line: line(of: index, in: bytes), flaw: .character) }
        }
    }
}
