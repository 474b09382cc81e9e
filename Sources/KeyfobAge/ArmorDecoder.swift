internal import KeyfobSodium

/// Reads an ASCII armor line by line, accepting what the reference implementation accepts.
///
/// Whitespace may precede and follow the armor, and each line may end with LF or CRLF. Everything else must be as
/// it is written: else an armored file could be altered without its content telling.
struct ArmorDecoder {
    private enum Expectation {
        case openingLine
        /// A line of base64, or the closing line.
        case line
        case closingLine
        case whitespace
    }

    private var expectation = Expectation.openingLine
    private var line: [UInt8] = []
    /// Whitespace before the opening line, and later after the closing line.
    private var whitespaceCount = 0
    /// Whether whitespace stands before the next byte in its line.
    private var isIndented = false

    /// Takes more text; calls `body` with the bytes of each line.
    ///
    /// - Throws: `malformedArmor`, and what `body` throws.
    mutating func update(
        _ text: RawSpan, _ body: (RawSpan) throws(AgeError) -> Void
    ) throws(AgeError) {
        for offset in 0..<text.byteCount { try take(text.byte(at: offset), body) }
    }

    /// Says that the text is at its end, which may stand in for the line feed of the closing line.
    ///
    /// - Throws: `malformedArmor`, and what `body` throws.
    mutating func finish(_ body: (RawSpan) throws(AgeError) -> Void) throws(AgeError) {
        if !line.isEmpty { try endLine(body) }
        guard expectation == .whitespace else { throw .malformedArmor(.truncated) }
    }

    private mutating func take(
        _ byte: UInt8, _ body: (RawSpan) throws(AgeError) -> Void
    ) throws(AgeError) {
        switch expectation {
        case .openingLine where line.isEmpty && Armor.isWhitespace(byte):
            whitespaceCount += 1
            isIndented = byte != UInt8(ascii: "\n")
            guard whitespaceCount <= Armor.whitespaceLimit else { throw .malformedArmor(.leadingWhitespace) }
        case .openingLine where isIndented:
            throw .malformedArmor(.openingLine)
        case .whitespace:
            whitespaceCount += 1
            guard Armor.isWhitespace(byte), whitespaceCount < Armor.whitespaceLimit else {
                throw .malformedArmor(.trailingData)
            }
        default:
            if byte == UInt8(ascii: "\n") { return try endLine(body) }
            line.append(byte)
            // One more than a full line, for a carriage return.
            guard line.count <= Armor.columns + 1 else {
                throw .malformedArmor(expectation == .openingLine ? .openingLine : .longLine)
            }
        }
    }

    private mutating func endLine(_ body: (RawSpan) throws(AgeError) -> Void) throws(AgeError) {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        switch expectation {
        case .openingLine:
            guard line == Armor.openingLine else { throw .malformedArmor(.openingLine) }
            expectation = .line
        case .line where line == Armor.closingLine, .closingLine where line == Armor.closingLine:
            expectation = .whitespace
            whitespaceCount = 0
        case .line:
            try decodeLine(body)
        case .closingLine, .whitespace:
            throw .malformedArmor(.closingLine)
        }
        line.removeAll(keepingCapacity: true)
    }

    private mutating func decodeLine(_ body: (RawSpan) throws(AgeError) -> Void) throws(AgeError) {
        guard !line.isEmpty else { throw .malformedArmor(.emptyLine) }
        guard line.count <= Armor.columns else { throw .malformedArmor(.longLine) }
        guard let bytes = Base64.standard.decode(line) else { throw .malformedArmor(.base64) }
        if bytes.count < Armor.bytesPerLine { expectation = .closingLine }
        try bytes.withBytes(body)
    }
}
