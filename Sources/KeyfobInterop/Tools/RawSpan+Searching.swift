internal import KeyfobSodium

extension RawSpan {
    /// Whether the bytes from `index` on begin as `text` does.
    func begins(with text: String, at index: Int = 0) -> Bool {
        let count = text.utf8.count
        guard index + count <= byteCount else { return false }
        return zip(index..<(index + count), text.utf8).allSatisfy { byte(at: $0) == $1 }
    }

    /// Where an ASCII character first stands.
    func first(of character: Unicode.Scalar, in range: Range<Int>) -> Int? {
        range.first { byte(at: $0) == UInt8(ascii: character) }
    }

    /// A range without the blanks, tabs and carriage returns at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while end > start, [0x0D, 0x20, 0x09].contains(byte(at: end - 1)) { end -= 1 }
        while start < end, [0x0D, 0x20, 0x09].contains(byte(at: start)) { start += 1 }
        return start..<end
    }
}
