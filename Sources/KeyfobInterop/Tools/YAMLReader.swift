internal import KeyfobModel
internal import KeyfobSodium

/// Reads as much of YAML as tools write for themselves: one document of mappings and sequences in block style, with
/// texts in one line, which stay where they are.
///
/// What it knows no meaning of, such as texts over several lines, is passed over (``ToolValue/other``); anchors, tags,
/// several documents and what is no YAML are refused.
struct YAMLReader {
    /// Why a text was not read; no case holds any of it.
    enum Flaw: String, Error, Hashable {
        case tab = "a tab stands where blanks should"
        case controlCharacter = "there is a control character"
        case tooLong = "there are more lines than any such file has"
        case tooDeep = "it nests more levels than any such file does"
        case indentation = "the line begins further in or out than those around it"
        case noKey = "a name with a colon was expected"
        case repeatedKey = "the name comes a second time"
        case unsupported = "there is an anchor, a tag, a directive or a list over several lines, which is not read"
        case badQuotes = "a text in quotation marks does not end, or has something behind it"
        case severalDocuments = "a second document begins"
        case unended = "it does not end with its line; if a program was writing the file, try again"
    }

    /// What is wrong in which line, from 1.
    struct Problem: Error, Hashable {
        let line: Int
        let flaw: Flaw
    }

    /// A line with something in it, without the blanks around that.
    private struct Line {
        let number: Int
        /// At which column it begins.
        var indent: Int
        var range: Range<Int>
    }

    private static let (mostLines, mostLevels) = (100_000, 64)

    private var lines: [Line] = []
    private var next = 0

    /// The value that UTF-8 text is.
    static func read(_ bytes: RawSpan) throws(Problem) -> ToolValue {
        var reader = try YAMLReader(bytes)
        guard let first = reader.current else { return .other }
        let value = try reader.value(at: first.indent, level: 0, bytes)
        if let rest = reader.current { throw Problem(line: rest.number, flaw: .indentation) }
        return value
    }

    private init(_ bytes: RawSpan) throws(Problem) {
        var (start, number) = (bytes.begins(with: "\u{FEFF}") ? 3 : 0, 0)
        while start < bytes.byteCount {
            number += 1
            guard number <= Self.mostLines else { throw Problem(line: number, flaw: .tooLong) }
            // The rest of a name or a token that was cut off might pass for the whole.
            guard let feed = bytes.first(of: "\n", in: start..<bytes.byteCount) else {
                throw Problem(line: number, flaw: .unended)
            }
            try add(bytes.trimmed(start..<feed), from: start, number, bytes)
            start = feed + 1
        }
    }

    private mutating func add(_ range: Range<Int>, from start: Int, _ number: Int, _ bytes: RawSpan) throws(Problem) {
        guard let first = range.first, bytes.byte(at: first) != UInt8(ascii: "#") else { return }
        func problem(_ flaw: Flaw) -> Problem { Problem(line: number, flaw: flaw) }
        guard bytes.first(of: "\t", in: start..<first) == nil else { throw problem(.tab) }
        for index in range where bytes.byte(at: index) < 0x20 || bytes.byte(at: index) == 0x7F {
            throw problem(bytes.byte(at: index) == 0x09 ? .tab : .controlCharacter)
        }
        if first == start, range.count == 3, bytes.begins(with: "---", at: first) {
            guard lines.isEmpty else { throw problem(.severalDocuments) }
            return
        }
        if first == start, bytes.begins(with: "---", at: first) || bytes.begins(with: "...", at: first) {
            throw problem(.severalDocuments)
        }
        lines.append(Line(number: number, indent: first - start, range: range))
    }

    private var current: Line? { next < lines.count ? lines[next] : nil }

    private func fail(_ flaw: Flaw) -> Problem { Problem(line: current?.number ?? lines.last?.number ?? 1, flaw: flaw) }

    private func isItem(_ line: Line, _ bytes: RawSpan) -> Bool {
        bytes.begins(with: "-", at: line.range.lowerBound)
            && (line.range.count == 1 || bytes.begins(with: " ", at: line.range.lowerBound + 1))
    }

    // MARK: Values

    private mutating func value(at indent: Int, level: Int, _ bytes: RawSpan) throws(Problem) -> ToolValue {
        guard level < Self.mostLevels else { throw fail(.tooDeep) }
        guard let line = current else { return .other }
        if isItem(line, bytes) { return try list(at: indent, level: level, bytes) }
        guard try key(of: line, bytes) != nil else {
            next += 1
            return try scalar(line.range, line, below: indent - 1, bytes)
        }
        return try object(at: indent, level: level, bytes)
    }

    private mutating func list(at indent: Int, level: Int, _ bytes: RawSpan) throws(Problem) -> ToolValue {
        var elements: [ToolValue] = []
        while let line = current, line.indent == indent, isItem(line, bytes) {
            let rest = bytes.trimmed(line.range.dropFirst())
            if rest.isEmpty || bytes.begins(with: "#", at: rest.lowerBound) {
                next += 1
                elements.append(try below(indent, level: level, bytes))
            } else {
                // What stands behind the dash begins further in, and goes on there.
                lines[next].indent = indent + rest.lowerBound - line.range.lowerBound
                lines[next].range = rest
                elements.append(try value(at: lines[next].indent, level: level + 1, bytes))
            }
        }
        if let line = current, line.indent > indent { throw fail(.indentation) }
        return .list(elements)
    }

    private mutating func object(at indent: Int, level: Int, _ bytes: RawSpan) throws(Problem) -> ToolValue {
        var members: [(name: String, value: ToolValue)] = []
        var names: Set<String> = []
        while let line = current, line.indent == indent, !isItem(line, bytes) {
            guard let key = try key(of: line, bytes) else { throw fail(.noKey) }
            guard names.insert(key.name).inserted else { throw fail(.repeatedKey) }
            let rest = bytes.trimmed(key.end..<line.range.upperBound)
            next += 1
            let value =
                rest.isEmpty || bytes.begins(with: "#", at: rest.lowerBound)
                ? try below(indent, level: level, mayBeItems: true, bytes)
                : try scalar(rest, line, below: indent, bytes)
            members.append((key.name, value))
        }
        if let line = current, line.indent > indent { throw fail(.indentation) }
        return .object(members)
    }

    /// What stands further in than `indent`, or, of a mapping's value, the items of a list right below its name.
    private mutating func below(
        _ indent: Int, level: Int, mayBeItems: Bool = false, _ bytes: RawSpan
    ) throws(Problem) -> ToolValue {
        guard let line = current, line.indent > indent || mayBeItems && line.indent == indent && isItem(line, bytes)
        else { return .other }
        return try value(at: line.indent, level: level + 1, bytes)
    }

    /// The name at the beginning of a line, and where what stands behind its colon begins; nil where there is none.
    private func key(of line: Line, _ bytes: RawSpan) throws(Problem) -> (name: String, end: Int)? {
        let first = bytes.byte(at: line.range.lowerBound)
        if "\"'".utf8.contains(first) {
            let text = try quoted(line.range, line, bytes)
            guard text.end < line.range.upperBound, bytes.begins(with: ":", at: text.end) else { return nil }
            guard let name = text.value.name(bytes) else { throw fail(.noKey) }
            return (name, text.end + 1)
        }
        guard !"?[{|>".utf8.contains(first), let colon = colon(in: line.range, bytes) else { return nil }
        try refuseMark(first, line)
        let name = JSONText(range: line.range.lowerBound..<colon, hasEscapes: false).string(in: bytes)
        return (name, colon + 1)
    }

    /// The first colon that parts a name from its value.
    private func colon(in range: Range<Int>, _ bytes: RawSpan) -> Int? {
        range.first { index in
            bytes.byte(at: index) == UInt8(ascii: ":")
                && (index + 1 == range.upperBound || bytes.byte(at: index + 1) == 0x20)
        }
    }

    // MARK: Texts

    /// The text at `range`, and in what follows further in than `indent`.
    private mutating func scalar(
        _ range: Range<Int>, _ line: Line, below indent: Int, _ bytes: RawSpan
    ) throws(Problem) -> ToolValue {
        func problem(_ flaw: Flaw) -> Problem { Problem(line: line.number, flaw: flaw) }
        let first = bytes.byte(at: range.lowerBound)
        switch first {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let text = try quoted(range, line, bytes)
            let rest = bytes.trimmed(text.end..<range.upperBound)
            guard rest.isEmpty || bytes.begins(with: "#", at: rest.lowerBound) else { throw problem(.badQuotes) }
            return text.value
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            // The bracket that closes is two further in ASCII.
            guard bytes.byte(at: range.upperBound - 1) == first + 2 else { throw problem(.unsupported) }
            guard range.count == 2 else { return .other }
            return first == UInt8(ascii: "[") ? .list([]) : .object([])
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            _ = skipFurtherIn(than: indent)
            return .other
        default:
            try refuseMark(first, line)
            let comment = range.first { bytes.begins(with: " #", at: $0) }
            let range = bytes.trimmed(range.lowerBound..<(comment ?? range.upperBound))
            if colon(in: range, bytes) != nil { throw problem(.noKey) }
            if skipFurtherIn(than: indent) { return .other }
            let isNoText = ["~", "null", "true", "false"].contains {
                $0.utf8.count == range.count && bytes.begins(with: $0, at: range.lowerBound)
            }
            return isNoText ? .other : .text(SecretLocation(plain: range))
        }
    }

    /// Passes over what goes on with a text; whether something did.
    private mutating func skipFurtherIn(than indent: Int) -> Bool {
        let before = next
        while let line = current, line.indent > indent { next += 1 }
        return next > before
    }

    /// A text in quotation marks, and where it ends with them.
    private func quoted(
        _ range: Range<Int>, _ line: Line, _ bytes: RawSpan
    ) throws(Problem) -> (value: ToolValue, end: Int) {
        let mark = bytes.byte(at: range.lowerBound)
        var (index, hasEscapes) = (range.lowerBound + 1, false)
        while index < range.upperBound {
            let byte = bytes.byte(at: index)
            let isEscape =
                mark == UInt8(ascii: "\"")
                ? byte == UInt8(ascii: "\\") : byte == mark && bytes.begins(with: "''", at: index)
            if !isEscape, byte == mark {
                return (quotedValue(range.lowerBound..<(index + 1), hasEscapes, bytes), index + 1)
            }
            hasEscapes = hasEscapes || isEscape
            index += isEscape ? 2 : 1
        }
        throw Problem(line: line.number, flaw: .badQuotes)
    }

    /// YAML has the escapes of JSON, and others, which no tool writes in what is read here.
    private func quotedValue(_ range: Range<Int>, _ hasEscapes: Bool, _ bytes: RawSpan) -> ToolValue {
        let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
        guard hasEscapes else { return .text(SecretLocation(plain: inner)) }
        let isJSON =
            bytes.begins(with: "\"", at: range.lowerBound)
            && (try? JSONTape(reading: bytes.extracting(range))) != nil
        return isJSON ? .text(SecretLocation(JSONText(range: inner, hasEscapes: true))) : .other
    }

    private func refuseMark(_ first: UInt8, _ line: Line) throws(Problem) {
        if "&*!%@`".utf8.contains(first) { throw Problem(line: line.number, flaw: .unsupported) }
    }
}

extension RawSpan {
    /// Whether the bytes from `index` on begin as `text` does.
    func begins(with text: String, at index: Int = 0) -> Bool {
        let count = text.utf8.count
        guard index + count <= byteCount else { return false }
        return zip(index..<(index + count), text.utf8).allSatisfy { byte(at: $0) == $1 }
    }

    /// Where an ASCII character first stands.
    func first(of character: Unicode.Scalar, in range: Range<Int>) -> Int? {
        range.first { byte(at: $0) == UInt8(ascii: character) }
    }

    /// A range without the blanks, tabs and carriage returns at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while end > start, [0x0D, 0x20, 0x09].contains(byte(at: end - 1)) { end -= 1 }
        while start < end, [0x0D, 0x20, 0x09].contains(byte(at: start)) { start += 1 }
        return start..<end
    }
}
