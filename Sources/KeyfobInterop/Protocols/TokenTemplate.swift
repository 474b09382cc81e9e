internal import KeyfobModel

/// A text with references to tokens: `keyfob://ACCOUNT/SCOPE`.
///
/// Each part is percent-encoded and may be empty; besides what a URL need not encode, the account may hold `@`, `:` and
/// `+`. A reference ends before the first byte that cannot belong to the scope.
package struct TokenTemplate: Sendable {
    /// What a reference is about.
    package struct Reference: Hashable, Sendable {
        /// The account as a person types it; nil for whoever is chosen.
        package let account: String?
        /// The scopes, parted by spaces; nil for what is asked for otherwise.
        package let scope: String?
    }

    /// A piece of the text.
    package enum Piece: Hashable, Sendable {
        case text(Range<Int>)
        /// A token, by its place among the references.
        case token(Int)
    }

    /// Why a text is no template.
    package struct Refusal: Error, Hashable, CustomStringConvertible {
        /// Counted from 1.
        package let line: Int
        /// What is wrong there.
        package let description: String
    }

    /// The text piece by piece.
    package private(set) var pieces: [Piece] = []
    /// The references, each once, and the line where it comes first, counted from 1.
    package private(set) var references: [(reference: Reference, line: Int)] = []

    /// The largest template, in bytes, and how many different references it may have.
    package static let (maximumCount, maximumReferences) = (1 << 20, 256)
    private static let start = Array("keyfob://".utf8)

    /// Reads a template.
    package init(_ text: [UInt8]) throws(Refusal) {
        var (line, done, position) = (1, 0, 0)
        while position < text.count {
            if text[position] == UInt8(ascii: "\n") { line += 1 }
            guard text[position...].starts(with: Self.start) else {
                position += 1
                continue
            }
            if done < position { pieces.append(.text(done..<position)) }
            position += Self.start.count
            let account = Self.word(text, &position, also: "@:+")
            guard position < text.count, text[position] == UInt8(ascii: "/") else {
                throw Refusal(
                    line: line, description: "a reference is keyfob://ACCOUNT/SCOPE, each part percent-encoded")
            }
            position += 1
            let scope = Self.word(text, &position, also: "")
            guard !text[position...].starts(with: [UInt8(ascii: "/")]), !text[position...].starts(with: "://".utf8)
            else {
                throw Refusal(line: line, description: "in the scope of a reference ':' is written %3A, and '/' %2F")
            }
            let reference = Reference(
                account: try Self.decoded(account, line, "account"), scope: try Self.decoded(scope, line, "scope"))
            pieces.append(.token(try place(of: reference, line)))
            done = position
        }
        if done < text.count { pieces.append(.text(done..<text.count)) }
    }

    private mutating func place(of reference: Reference, _ line: Int) throws(Refusal) -> Int {
        if let known = references.firstIndex(where: { $0.reference == reference }) { return known }
        guard references.count < Self.maximumReferences else {
            throw Refusal(line: line, description: "there are more than \(Self.maximumReferences) different references")
        }
        references.append((reference, line))
        return references.count - 1
    }

    private static func word(_ text: [UInt8], _ position: inout Int, also marks: String) -> ArraySlice<UInt8> {
        let rest = text[position...]
        let word = rest.prefix {
            PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "%") || marks.utf8.contains($0)
        }
        position = word.endIndex
        return word
    }

    private static func decoded(_ word: ArraySlice<UInt8>, _ line: Int, _ name: String) throws(Refusal) -> String? {
        guard !word.isEmpty else { return nil }
        guard let bytes = PercentEncoding.decode(word), let text = String(validating: bytes, as: UTF8.self),
            Identifier.isAcceptable(text)
        else { throw Refusal(line: line, description: "the \(name) of a reference is not a percent-encoded name") }
        return text
    }
}
