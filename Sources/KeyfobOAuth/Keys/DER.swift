internal import KeyfobSodium

/// Elements of DER (X.690), one after the other, where they lie.
struct DERElements {
    /// An element.
    struct Element {
        let tag: UInt8
        let content: Range<Int>
    }

    private var rest: Range<Int>

    /// The elements at `range`.
    init(_ range: Range<Int>) { rest = range }

    /// Whether there is no other.
    var isAtEnd: Bool { rest.isEmpty }

    /// The next one; nil where there is none, or it is longer than what is there.
    mutating func next(in bytes: RawSpan) -> Element? {
        guard rest.count >= 2 else { return nil }
        let tag = bytes.byte(at: rest.lowerBound)
        var length = Int(bytes.byte(at: rest.lowerBound + 1))
        var start = rest.lowerBound + 2
        if length >= 0x80 {
            let digits = length & 0x7F
            guard (1...3).contains(digits), start + digits <= rest.upperBound else { return nil }
            length = (start..<start + digits).reduce(0) { $0 << 8 | Int(bytes.byte(at: $1)) }
            start += digits
        }
        guard length <= rest.upperBound - start else { return nil }
        rest = start + length..<rest.upperBound
        return Element(tag: tag, content: start..<start + length)
    }

    /// The bytes of the next element, where it has this tag: for what is no secret.
    mutating func next(_ tag: UInt8, in bytes: RawSpan) -> [UInt8]? {
        guard let element = next(in: bytes), element.tag == tag else { return nil }
        return [UInt8](bytes.extracting(element.content))
    }
}

/// The tags that keys are made of.
enum DERTag {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octets: UInt8 = 0x04
    static let object: UInt8 = 0x06
    static let sequence: UInt8 = 0x30
    static let first: UInt8 = 0xA0
    static let second: UInt8 = 0xA1
}

extension SecretBuffer {
    /// Appends an element of DER, of fewer than 65536 bytes.
    mutating func append(_ tag: UInt8, _ content: RawSpan) {
        let count = content.byteCount
        precondition(count < 1 << 16, "a key is shorter")
        let length =
            count < 0x80
            ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        ([tag] + length).withBytes { append($0) }
        append(content)
    }

    /// Appends a number that is not negative, of these bytes, the highest first.
    mutating func append(number: RawSpan) {
        var start = 0
        while start + 1 < number.byteCount, number.byte(at: start) == 0 { start += 1 }
        let digits = number.extracting(start..<number.byteCount)
        var content = SecretBuffer(capacity: digits.byteCount + 1)
        if digits.byteCount == 0 || digits.byte(at: 0) >= 0x80 { [0].withBytes { content.append($0) } }
        content.append(digits)
        content.withBytes { append(DERTag.integer, $0) }
    }
}
