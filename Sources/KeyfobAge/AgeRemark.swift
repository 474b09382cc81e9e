internal import KeyfobSodium

/// What a file says of itself before it is opened: a stanza of a type that no identity looks at, and other programs skip.
///
/// > Important: whoever can write the file can write another one. Only for those who open the file is it authentic, with
/// the rest of the header: it is what the writer of the file wrote.
package struct AgeRemark: Equatable, Sendable {
    /// The most bytes of ``body``, which is one line.
    package static let bodyLimit = 47
    /// How many bytes of a file ``init(_:atStartOf:)`` wants to see.
    package static let startCount = 1_024

    /// What names the kind of remark, and what is said: printable ASCII without spaces, none of them empty.
    package let arguments: [String]
    /// More that is said, up to ``bodyLimit`` bytes.
    package let body: [UInt8]

    /// A remark of this type.
    package init(_ type: String, _ arguments: [String], body: [UInt8]) {
        precondition(body.count <= Self.bodyLimit, "the body is one line")
        self.arguments = [type] + arguments
        self.body = body
    }

    /// The remark of this type that a binary file begins with; nil for any other file.
    package init?(_ type: String, atStartOf file: [UInt8]) {
        let lines = file.prefix(Self.startCount).split(
            separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        guard lines.count == 4, Array(lines[0]) == AgeHeader.versionLine,
            let arguments = try? Stanza.arguments(of: Array(lines[1])), arguments.first == type,
            lines[2].count < Stanza.columns, let body = Base64.unpadded.decode(Array(lines[2]))
        else { return nil }
        self.arguments = arguments
        self.body = body
    }

    var stanza: Stanza { Stanza(arguments, body: body) }
}
