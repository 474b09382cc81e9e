internal import KeyfobModel

/// Gives the bytes of a YAML scalar one by one, with escapes resolved and lines folded, for a scalar that was found sound.
///
/// It keeps at most one character, so that a secret goes from its source straight to guarded memory.
struct YAMLTextDecoder {
    private let text: YAMLText
    private var position: Int
    private let end: Int
    /// The rest of a resolved escape, the next byte lowest.
    private var pending: UInt32 = 0
    private var pendingCount = 0
    /// Line breaks that are to come.
    private var breaks = 0
    /// Up to where blanks stand within a line.
    private var blanksEnd: Int
    private var block = Block()

    /// Where a literal or a folded text is.
    private struct Block {
        var isInLine = false
        var hasLine = false
        /// Whether the last line was ended, and began with something else than a blank.
        var isEnded = false
        var isFlush = false
        var isDone = false
    }

    init(_ text: YAMLText) {
        self.text = text
        (position, end) = (text.range.lowerBound, text.range.upperBound)
        blanksEnd = position
    }

    mutating func next(in bytes: Span<UInt8>) -> UInt8? {
        if pendingCount > 0 {
            defer {
                pending >>= 8
                pendingCount -= 1
            }
            return UInt8(truncatingIfNeeded: pending)
        }
        if breaks > 0 {
            breaks -= 1
            return 0x0A
        }
        switch text.style {
        case .literal, .folded: return nextOfBlock(in: bytes)
        case .plain, .singleQuoted, .doubleQuoted: return nextOfFlow(in: bytes)
        }
    }

    // MARK: Plain and quoted texts

    private mutating func nextOfFlow(in bytes: Span<UInt8>) -> UInt8? {
        while position < end {
            let byte = bytes[position]
            switch byte {
            case 0x20, 0x09:
                if position >= blanksEnd {
                    blanksEnd = position
                    while blanksEnd < end, Self.isBlank(bytes[blanksEnd]) { blanksEnd += 1 }
                    // Blanks at the end of a line are none of the text.
                    if blanksEnd < end, Self.isBreak(bytes[blanksEnd]) {
                        position = blanksEnd
                        continue
                    }
                }
                position += 1
                return byte
            case 0x0A, 0x0D:
                let count = foldedBreaks(in: bytes)
                guard count > 0 else { return 0x20 }
                breaks = count - 1
                return 0x0A
            case UInt8(ascii: "'") where text.style == .singleQuoted:
                position += 2
                return byte
            case UInt8(ascii: "\\") where text.style == .doubleQuoted:
                position += 1
                guard Self.isBreak(bytes[position]) else { return escaped(in: bytes) }
                let count = foldedBreaks(in: bytes)
                guard count > 0 else { continue }
                breaks = count - 1
                return 0x0A
            default:
                position += 1
                return byte
            }
        }
        return nil
    }

    /// Passes the end of a line and the empty ones behind it; how many these are.
    private mutating func foldedBreaks(in bytes: Span<UInt8>) -> Int {
        var count = -1
        while position < end, Self.isBreak(bytes[position]) {
            count += 1
            passBreak(in: bytes)
            while position < end, Self.isBlank(bytes[position]) { position += 1 }
        }
        return count
    }

    private mutating func escaped(in bytes: Span<UInt8>) -> UInt8 {
        let letter = bytes[position]
        position += 1
        if let count = YAMLEscape.digits(of: letter) {
            var value: UInt32 = 0
            for _ in 0..<count {
                value = value << 4 | UInt32(Hexadecimal.value(of: bytes[position]) ?? 0)
                position += 1
            }
            return utf8(value)
        }
        return utf8(YAMLEscape.scalar(of: letter) ?? 0xFFFD)
    }

    private mutating func utf8(_ value: UInt32) -> UInt8 {
        func tail(_ shift: UInt32) -> UInt32 { 0x80 | value >> shift & 0x3F }
        let lead: UInt32
        switch value {
        case 0..<0x80: return UInt8(truncatingIfNeeded: value)
        case 0..<0x800: (lead, pending, pendingCount) = (0xC0 | value >> 6, tail(0), 1)
        case 0..<0x10000: (lead, pending, pendingCount) = (0xE0 | value >> 12, tail(6) | tail(0) << 8, 2)
        default: (lead, pending, pendingCount) = (0xF0 | value >> 18, tail(12) | tail(6) << 8 | tail(0) << 16, 3)
        }
        return UInt8(truncatingIfNeeded: lead)
    }

    // MARK: Literal and folded texts

    private mutating func nextOfBlock(in bytes: Span<UInt8>) -> UInt8? {
        while !block.isDone {
            if block.isInLine {
                if position < end, !Self.isBreak(bytes[position]) {
                    position += 1
                    return bytes[position - 1]
                }
                block.isInLine = false
                block.isEnded = position < end
                if block.isEnded { passBreak(in: bytes) }
            }
            if let byte = startLine(in: bytes) { return byte }
        }
        return nil
    }

    /// Passes what stands before the next line that has something in it, or at the end; the first byte that this means.
    private mutating func startLine(in bytes: Span<UInt8>) -> UInt8? {
        var empty = 0
        while true {
            let start = position
            while position < end, position - start < text.indent, bytes[position] == 0x20 { position += 1 }
            guard position < end else {
                block.isDone = true
                let last = block.hasLine && block.isEnded ? 1 : 0
                switch text.chomping {
                case .strip: return nil
                case .clip: return give(last)
                case .keep: return give(last + empty)
                }
            }
            guard Self.isBreak(bytes[position]) else { break }
            empty += 1
            passBreak(in: bytes)
        }
        let isFlush = !Self.isBlank(bytes[position])
        let isFolded = text.style == .folded && block.hasLine && block.isFlush && isFlush
        let count = block.hasLine ? isFolded ? empty : empty + 1 : empty
        block.isInLine = true
        block.hasLine = true
        block.isFlush = isFlush
        return isFolded && count == 0 ? 0x20 : give(count)
    }

    /// A line break, with the rest of `count` to come; nil where there is none.
    private mutating func give(_ count: Int) -> UInt8? {
        guard count > 0 else { return nil }
        breaks = count - 1
        return 0x0A
    }

    // MARK: Bytes

    private mutating func passBreak(in bytes: Span<UInt8>) {
        position += bytes[position] == 0x0D && position + 1 < end && bytes[position + 1] == 0x0A ? 2 : 1
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}

/// What stands behind a backslash in double quotation marks (YAML 1.2.2, section 5.7).
enum YAMLEscape {
    /// How many hexadecimal digits follow a letter.
    static func digits(of letter: UInt8) -> Int? {
        switch letter {
        case UInt8(ascii: "x"): 2
        case UInt8(ascii: "u"): 4
        case UInt8(ascii: "U"): 8
        default: nil
        }
    }

    /// The character that a letter stands for.
    static func scalar(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "0"): 0
        case UInt8(ascii: "a"): 0x07
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "t"), 0x09: 0x09
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "v"): 0x0B
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "e"): 0x1B
        case 0x20, UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"): UInt32(letter)
        case UInt8(ascii: "N"): 0x85
        case UInt8(ascii: "_"): 0xA0
        case UInt8(ascii: "L"): 0x2028
        case UInt8(ascii: "P"): 0x2029
        default: nil
        }
    }
}
