internal import KeyfobModel

/// Where the text of a YAML scalar is in its source.
package struct YAMLText: Hashable, Sendable {
    /// How a scalar is written (YAML 1.2.2, chapters 7 and 8).
    package enum Style: UInt8, Hashable, Sendable {
        case plain, singleQuoted, doubleQuoted, literal, folded
    }

    /// What becomes of the line breaks at the end of a literal or a folded text.
    enum Chomping: UInt8, Hashable, Sendable {
        case clip, strip, keep
    }

    private let start: UInt32
    private let end: UInt32
    private let blanks: UInt32
    /// How it is written.
    package let style: Style
    /// Whether the bytes are another spelling of the text; otherwise they are the text already.
    package let isSpelled: Bool
    let chomping: Chomping

    init(_ range: Range<Int>, _ style: Style, isSpelled: Bool, indent: Int = 0, chomping: Chomping = .clip) {
        (start, end, blanks) = (UInt32(range.lowerBound), UInt32(range.upperBound), UInt32(indent))
        (self.style, self.isSpelled, self.chomping) = (style, isSpelled, chomping)
    }

    /// Between the quotation marks; of a literal or a folded text, all its lines.
    package var range: Range<Int> { Int(start)..<Int(end) }

    /// By how many blanks the lines of a literal or a folded text are indented.
    var indent: Int { Int(blanks) }

    /// The number of bytes the text takes in UTF-8.
    package func decodedCount(in bytes: RawSpan) -> Int {
        guard isSpelled else { return range.count }
        let octets = Span<UInt8>(_bytes: bytes)
        var decoder = YAMLTextDecoder(self)
        var count = 0
        while decoder.next(in: octets) != nil { count += 1 }
        return count
    }

    /// Writes the text in UTF-8 to the start of `output`, which must have room for it.
    package func decode(from bytes: RawSpan, into output: inout MutableRawSpan) {
        let octets = Span<UInt8>(_bytes: bytes)
        var decoder = YAMLTextDecoder(self)
        var offset = 0
        while let byte = decoder.next(in: octets) {
            output.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            offset += 1
        }
    }

    /// A copy of the text in UTF-8.
    ///
    /// Not for secrets.
    package func copy(in bytes: RawSpan) -> [UInt8] {
        let octets = Span<UInt8>(_bytes: bytes)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        var decoder = YAMLTextDecoder(self)
        while let byte = decoder.next(in: octets) { decoded.append(byte) }
        return decoded
    }
}
