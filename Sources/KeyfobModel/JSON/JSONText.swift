/// Where the text of a JSON string is in its source: the bytes between the quotation marks.
package struct JSONText: Hashable, Sendable {
    /// The bytes between the quotation marks, as they are written.
    package let range: Range<Int>
    /// Whether they hold escapes; otherwise they are the text already.
    package let hasEscapes: Bool

    /// A text that is known to be one of JSON: other bytes give other texts, or none.
    package init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }

    /// The number of bytes the text takes in UTF-8.
    package func decodedCount(in bytes: RawSpan) -> Int {
        guard hasEscapes else { return range.count }
        let octets = Span<UInt8>(_bytes: bytes)
        var decoder = JSONTextDecoder(range)
        var count = 0
        while decoder.next(in: octets) != nil { count += 1 }
        return count
    }

    /// Writes the text in UTF-8 to the start of `output`, which must have room for it.
    package func decode(from bytes: RawSpan, into output: inout MutableRawSpan) {
        let octets = Span<UInt8>(_bytes: bytes)
        var decoder = JSONTextDecoder(range)
        var offset = 0
        while let byte = decoder.next(in: octets) {
            output.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            offset += 1
        }
    }

    /// A copy of the text.
    ///
    /// Not for secrets.
    package func string(in bytes: RawSpan) -> String {
        let octets = Span<UInt8>(_bytes: bytes)
        if !hasEscapes, let text = try? UTF8Span(validating: octets.extracting(range)) {
            return String(copying: text)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        var decoder = JSONTextDecoder(range)
        while let byte = decoder.next(in: octets) { decoded.append(byte) }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Whether it is this text, byte for byte.
    package func equals(_ text: String, in bytes: RawSpan) -> Bool {
        guard !hasEscapes else { return string(in: bytes).utf8.elementsEqual(text.utf8) }
        guard range.count == text.utf8.count else { return false }
        let octets = Span<UInt8>(_bytes: bytes)
        return zip(range, text.utf8).allSatisfy { octets[$0] == $1 }
    }
}

extension JSONTape {
    /// Where the text of a string is, or nil for other kinds.
    package func text(of value: Value) -> JSONText? {
        let node = self[value]
        guard node.kind == .string else { return nil }
        return JSONText(range: Int(node.start) + 1..<Int(node.end) - 1, hasEscapes: node.hasEscapes)
    }

    /// A copy of the text of a string, or nil for other kinds.
    ///
    /// Not for secrets.
    package func string(of value: Value, in bytes: RawSpan) -> String? {
        text(of: value)?.string(in: bytes)
    }

    /// A copy of a value as it is written: the way to a number's digits.
    ///
    /// Not for secrets.
    package func raw(_ value: Value, in bytes: RawSpan) -> String {
        JSONText(range: range(of: value), hasEscapes: false).string(in: bytes)
    }
}
