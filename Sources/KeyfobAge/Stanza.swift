internal import KeyfobSodium

/// A recipient stanza as it stands in the header: arguments and a body (C2SP age, "Recipient stanza").
struct Stanza: Equatable, Sendable {
    /// The columns of a full body line; the last line is shorter, and may be empty.
    static let columns = 64

    /// At least one, each of printable ASCII without spaces; the first is the type.
    let arguments: [String]
    let body: [UInt8]

    var type: String { arguments[0] }

    init(_ arguments: [String], body: [UInt8]) {
        precondition(!arguments.isEmpty, "the first argument is the type")
        self.arguments = arguments
        self.body = body
    }

    /// The stanza's lines, each with its line feed.
    var serialised: [UInt8] {
        var lines = Array("-> ".utf8) + Array(arguments.joined(separator: " ").utf8)
        let text = Base64.unpadded.encode(body)
        for start in stride(from: 0, through: text.count, by: Self.columns) {
            lines.append(UInt8(ascii: "\n"))
            lines += text[start..<min(start + Self.columns, text.count)]
        }
        lines.append(UInt8(ascii: "\n"))
        return lines
    }

    /// The arguments of a stanza's first line (without its line feed).
    ///
    /// - Throws: `malformedHeader(stanzaLine)`.
    static func arguments(of line: [UInt8]) throws(AgeError) -> [String] {
        let mark = Array("-> ".utf8)
        guard line.starts(with: mark) else { throw .malformedHeader(.stanzaLine) }
        let arguments = line.dropFirst(mark.count).split(
            separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        for argument in arguments {
            guard !argument.isEmpty, argument.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw .malformedHeader(.stanzaLine)
            }
        }
        return arguments.map { String(decoding: $0, as: UTF8.self) }
    }
}
