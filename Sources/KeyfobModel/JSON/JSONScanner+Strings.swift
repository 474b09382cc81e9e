extension JSONScanner {
    /// Reads the string that begins at the position.
    mutating func scanString(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        var hasEscapes = false
        position += 1
        while true {
            skipPlainText(bytes)
            guard position < bytes.count else { throw malformed(.endsEarly, bytes) }
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                guard position - start - 1 <= limits.stringCount else {
                    throw .stringTooLong(limit: limits.stringCount, at: JSONPosition(offset: start, in: bytes))
                }
                position += 1
                return try append(.string, from: start, to: position, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try scanEscape(bytes)
            case 0..<0x20: throw malformed(.controlCharacter, bytes)
            case 0x20..<0x80: position += 1
            default: try scanMultibyteCharacter(bytes)
            }
        }
    }

    /// Moves over text in steps of eight bytes as long as it is ASCII without quotation marks, backslashes and
    /// control characters.
    ///
    /// Stops at or before anything else.
    private mutating func skipPlainText(_ bytes: Span<UInt8>) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits = ones << 7
        let raw = unsafe bytes.bytes
        while position &+ 8 <= raw.byteCount {
            let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            // A borrow marks bytes below the subtrahend, and perhaps some above such a byte: never too few.
            let special =
                (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
                | (word &- (ones &* 0x20)) & ~word | word
            let found = UInt64(littleEndian: special & highBits)
            if found != 0 {
                position &+= found.trailingZeroBitCount >> 3
                return
            }
            position &+= 8
        }
    }

    /// Reads the escape at the position, and the second half of a surrogate pair with it.
    private mutating func scanEscape(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        guard position + 1 < bytes.count else { throw malformed(.endsEarly, at: bytes.count, bytes) }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            let first = try scanUnit(bytes)
            guard first & 0xF800 == 0xD800 else { return }
            guard first & 0xFC00 == 0xD800, position + 1 < bytes.count,
                bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u"),
                try scanUnit(bytes) & 0xFC00 == 0xDC00
            else { throw malformed(.loneSurrogate, at: start, bytes) }
        default: throw malformed(.badEscape, bytes)
        }
    }

    /// Reads `\uXXXX` at the position.
    private mutating func scanUnit(_ bytes: Span<UInt8>) throws(JSONError) -> UInt32 {
        guard position + 6 <= bytes.count else { throw malformed(.endsEarly, at: bytes.count, bytes) }
        var unit: UInt32 = 0
        for offset in 2..<6 {
            guard let digit = Hexadecimal.value(of: bytes[position + offset]) else {
                throw malformed(.badEscape, bytes)
            }
            unit = unit << 4 | UInt32(digit)
        }
        position += 6
        return unit
    }

    /// Reads a character of two to four bytes (RFC 3629, section 4).
    private mutating func scanMultibyteCharacter(_ bytes: Span<UInt8>) throws(JSONError) {
        let length: Int
        let second: ClosedRange<UInt8>
        switch bytes[position] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw malformed(.badUTF8, bytes)
        }
        guard position + length <= bytes.count else { throw malformed(.badUTF8, bytes) }
        guard second.contains(bytes[position + 1]) else { throw malformed(.badUTF8, bytes) }
        for offset in 2..<max(length, 2) where bytes[position + offset] & 0xC0 != 0x80 {
            throw malformed(.badUTF8, bytes)
        }
        position += length
    }
}
