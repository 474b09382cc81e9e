extension JSONScanner {
    /// Reads the number at the position (RFC 8259, section 6); its digits are not evaluated.
    mutating func scanNumber(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            try scanDigits(bytes)
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try scanDigits(bytes)
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            try scanDigits(bytes)
        }
        // What cannot follow a number is part of a bad one (01, 1x).
        if position < bytes.count, bytes[position] > 0x20, !Self.canFollowNumber(bytes[position]) {
            throw malformed(.badNumber, bytes)
        }
        guard position - start <= limits.stringCount else {
            throw .stringTooLong(limit: limits.stringCount, at: JSONPosition(offset: start, in: bytes))
        }
        try append(.number, from: start, to: position)
    }

    /// Reads a literal at the position.
    mutating func scanLiteral(_ word: StaticString, _ kind: JSONKind, _ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        for letter in "\(word)".utf8 {
            guard position < bytes.count else { throw malformed(.endsEarly, bytes) }
            guard bytes[position] == letter else { throw malformed(.badLiteral, at: start, bytes) }
            position += 1
        }
        try append(kind, from: start, to: position)
    }

    private mutating func scanDigits(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        guard position > start else {
            throw malformed(position < bytes.count ? .badNumber : .endsEarly, bytes)
        }
    }

    private static func canFollowNumber(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }
}
