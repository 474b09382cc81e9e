/// Gives the bytes of a JSON string one by one, escapes resolved, for a string that was found sound.
///
/// It keeps at most one character, so a secret can go from its source straight to guarded memory.
struct JSONTextDecoder {
    private var position: Int
    private let end: Int
    /// The rest of a resolved escape, the next byte lowest.
    private var pending: UInt32 = 0
    private var pendingCount = 0

    init(_ range: Range<Int>) {
        self.position = range.lowerBound
        self.end = range.upperBound
    }

    mutating func next(in bytes: Span<UInt8>) -> UInt8? {
        if pendingCount > 0 {
            defer {
                pending >>= 8
                pendingCount -= 1
            }
            return UInt8(truncatingIfNeeded: pending)
        }
        guard position < end else { return nil }
        let byte = bytes[position]
        position += 1
        guard byte == UInt8(ascii: "\\") else { return byte }
        let letter = bytes[position]
        position += 1
        switch letter {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"): return scalar(in: bytes)
        default: return letter
        }
    }

    private mutating func scalar(in bytes: Span<UInt8>) -> UInt8 {
        var value = unit(in: bytes)
        if value & 0xFC00 == 0xD800 {
            position += 2
            value = 0x10000 + (value & 0x3FF) << 10 + unit(in: bytes) & 0x3FF
        }
        switch value {
        case 0..<0x80: return UInt8(truncatingIfNeeded: value)
        case 0..<0x800: return take(0xC0 | value >> 6, tail(value, 0), 0, 0, count: 1)
        case 0..<0x10000: return take(0xE0 | value >> 12, tail(value, 6), tail(value, 0), 0, count: 2)
        default: return take(0xF0 | value >> 18, tail(value, 12), tail(value, 6), tail(value, 0), count: 3)
        }
    }

    private mutating func take(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, count: Int) -> UInt8 {
        pending = b | c << 8 | d << 16
        pendingCount = count
        return UInt8(truncatingIfNeeded: a)
    }

    private func tail(_ value: UInt32, _ shift: UInt32) -> UInt32 { 0x80 | value >> shift & 0x3F }

    /// The four digits at the position.
    private mutating func unit(in bytes: Span<UInt8>) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            value = value << 4 | UInt32(Hexadecimal.value(of: bytes[position]) ?? 0)
            position += 1
        }
        return value
    }
}
