/// Reads what a project file is written in: a small part of TOML 1.0.
///
/// Lines `key = "text"` or `key = 'text'`, comments and blank lines. A key is bare or in quotation marks; text in double
/// ones has TOML's escapes. All other TOML is refused with its line, because a file that whoever sends a repository has
/// written is read before anybody has looked at it.
package struct ProjectFileReader {
    /// Text, and the line that it is in, from 1.
    package struct Text: Hashable {
        /// What it says.
        package let value: String
        /// Its line.
        package let line: Int
    }

    /// What is wrong in a line.
    package struct Flaw: Error, Hashable {
        /// What is wrong.
        package enum Kind: Hashable {
            /// No TOML.
            case control, unreadable
            case twice(String)
            /// TOML, but for nothing here.
            case unknown(String)
            case noText(String)
            case table, severalLines
        }

        /// What is wrong.
        package let kind: Kind
        /// In which line, from 1.
        package let line: Int
    }

    private var rest: ArraySlice<UInt8>
    private let line: Int

    /// The texts of a file whose keys may be `keys`, or any where that is nil.
    ///
    /// - Parameter bytes: Valid UTF-8.
    package static func texts(of bytes: [UInt8], keys: Set<String>?) throws(Flaw) -> [String: Text] {
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var texts: [String: Text] = [:]
        for (index, line) in lines.enumerated() {
            let isEnded = index + 1 < lines.count
            let body = isEnded && line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            var reader = ProjectFileReader(rest: body, line: index + 1)
            guard let (key, value) = try reader.entry(keys) else { continue }
            guard texts.updateValue(Text(value: value, line: index + 1), forKey: key) == nil else {
                throw Flaw(kind: .twice(key), line: index + 1)
            }
        }
        return texts
    }

    /// The key and the text of the line; nil where it has none.
    private mutating func entry(_ keys: Set<String>?) throws(Flaw) -> (String, String)? {
        guard !rest.contains(where: { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7F }) else {
            throw flaw(.control)
        }
        guard !isAtEnd() else { return nil }
        guard rest.first != UInt8(ascii: "[") else { throw flaw(.table) }
        let quoted = try string()
        let key = if let quoted { quoted } else { try bareKey() }
        skipBlanks()
        // A key that is unknown is told before whatever stands behind it.
        guard rest.first == UInt8(ascii: "=") || rest.first == UInt8(ascii: ".") else { throw flaw(.unreadable) }
        guard keys?.contains(key) ?? true else { throw flaw(.unknown(key)) }
        guard rest.removeFirst() == UInt8(ascii: "=") else { throw flaw(.noText(key)) }
        skipBlanks()
        guard let value = try string() else { throw flaw(isOtherValue ? .noText(key) : .unreadable) }
        guard isAtEnd() else { throw flaw(.unreadable) }
        return (key, value)
    }

    private func flaw(_ kind: Flaw.Kind) -> Flaw { Flaw(kind: kind, line: line) }

    private mutating func skipBlanks() {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    /// Skips blanks; whether nothing but a comment is left.
    private mutating func isAtEnd() -> Bool {
        skipBlanks()
        return rest.isEmpty || rest.first == UInt8(ascii: "#")
    }

    /// Whether a number, a date, a truth value, an array or a table begins here.
    private var isOtherValue: Bool {
        guard let first = rest.first else { return false }
        return "0123456789+-[{".utf8.contains(first)
            || ["true", "false", "inf", "nan"].contains { rest.starts(with: $0.utf8) }
    }

    private mutating func bareKey() throws(Flaw) -> String {
        let key = rest.prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard !key.isEmpty else { throw flaw(.unreadable) }
        rest = rest.dropFirst(key.count)
        return String(decoding: key, as: UTF8.self)
    }

    /// Text in quotation marks; nil where none begins.
    private mutating func string() throws(Flaw) -> String? {
        guard let mark = rest.first, mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'") else { return nil }
        guard !rest.starts(with: [mark, mark, mark]) else { throw flaw(.severalLines) }
        rest.removeFirst()
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == mark { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\"), mark == UInt8(ascii: "\"") {
                text += String(Character(try escaped())).utf8
            } else {
                text.append(byte)
            }
        }
        throw flaw(.unreadable)
    }

    /// The character of an escape whose backslash is taken.
    private mutating func escaped() throws(Flaw) -> Unicode.Scalar {
        switch rest.popFirst() {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "u"): return try scalar(digits: 4)
        case UInt8(ascii: "U"): return try scalar(digits: 8)
        default: throw flaw(.unreadable)
        }
    }

    private mutating func scalar(digits count: Int) throws(Flaw) -> Unicode.Scalar {
        let digits = rest.prefix(count)
        rest = rest.dropFirst(count)
        guard digits.count == count, digits.allSatisfy({ Hexadecimal.value(of: $0) != nil }),
            let scalar = UInt32(String(decoding: digits, as: UTF8.self), radix: 16).flatMap(Unicode.Scalar.init)
        else { throw flaw(.unreadable) }
        return scalar
    }
}
