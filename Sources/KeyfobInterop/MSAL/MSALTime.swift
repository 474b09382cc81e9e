internal import KeyfobModel

/// Reads times: whole seconds since 1970, as a JSON number or a string of digits.
///
/// A fraction is cut off.
enum MSALTime {
    /// The last second of the year 9999; what is later was not counted in seconds.
    static let latest: Int64 = 253_402_300_799

    /// The time, or nil for what is none.
    static func timestamp(of value: JSONTape.Value, on tape: JSONTape, in bytes: RawSpan) -> Timestamp? {
        let range =
            switch tape.kind(of: value) {
            case .number: tape.range(of: value)
            case .string: tape.text(of: value)?.range ?? 0..<0
            default: 0..<0
            }
        let octets = Span<UInt8>(_bytes: bytes)
        var seconds: Int64 = 0
        var position = range.lowerBound
        while position < range.upperBound, let digit = digit(octets[position]) {
            seconds = seconds * 10 + digit
            guard seconds <= latest else { return nil }
            position += 1
        }
        guard position > range.lowerBound else { return nil }
        if position < range.upperBound {
            guard octets[position] == UInt8(ascii: "."), position + 1 < range.upperBound else { return nil }
            for index in position + 1..<range.upperBound where digit(octets[index]) == nil { return nil }
        }
        return Timestamp(seconds: seconds)
    }

    private static func digit(_ byte: UInt8) -> Int64? {
        byte >= 0x30 && byte <= 0x39 ? Int64(byte - 0x30) : nil
    }
}
