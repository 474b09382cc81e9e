internal import KeyfobSodium

/// Base64 with padding (RFC 4648, section 4) from guarded memory to guarded memory.
///
/// Without a table, so that no access to memory tells of the secret.
enum SecretBase64 {
    static func encodedCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    static func encode(_ bytes: RawSpan, into output: inout MutableRawSpan, at start: Int) {
        var offset = start
        for group in stride(from: 0, to: bytes.byteCount, by: 3) {
            let count = min(3, bytes.byteCount - group)
            var bits: UInt32 = 0
            for index in 0..<3 {
                bits = bits << 8 | (index < count ? UInt32(bytes.byte(at: group + index)) : 0)
            }
            for index in 0..<4 {
                let digit = index <= count ? digit(bits >> UInt32(18 - 6 * index) & 63) : UInt8(ascii: "=")
                output.storeBytes(of: digit, toByteOffset: offset, as: UInt8.self)
                offset += 1
            }
        }
    }

    /// The bytes that the digits at `range` are; nil unless they are canonical.
    static func decode(_ text: RawSpan) -> SecretBytes? {
        guard text.byteCount % 4 == 0 else { return nil }
        var padding = 0
        while padding < min(2, text.byteCount), text.byte(at: text.byteCount - 1 - padding) == UInt8(ascii: "=") {
            padding += 1
        }
        var isCanonical = true
        let digits = text.byteCount - padding
        let count = text.byteCount / 4 * 3 - padding
        let secret = SecretBytes(count: count, placement: .recycled) { output in
            for group in stride(from: 0, to: text.byteCount, by: 4) {
                var bits: UInt32 = 0
                for index in 0..<4 {
                    let value = group + index < digits ? value(text.byte(at: group + index)) : 0
                    if value > 63 { isCanonical = false }
                    bits = bits << 6 | value & 63
                }
                for index in 0..<3 {
                    let byte = UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * index))
                    let offset = group / 4 * 3 + index
                    if offset < count {
                        output.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
                    } else if byte != 0 {
                        isCanonical = false
                    }
                }
            }
        }
        guard isCanonical else { return nil }
        return secret
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        let byte =
            switch value {
            case 0..<26: value + 65
            case 26..<52: value + 71
            case 52..<62: value - 4
            case 62: UInt32(UInt8(ascii: "+"))
            default: UInt32(UInt8(ascii: "/"))
            }
        return UInt8(truncatingIfNeeded: byte)
    }

    /// The value of a digit; 64 for what is none.
    private static func value(_ digit: UInt8) -> UInt32 {
        switch digit {
        case 65...90: UInt32(digit) - 65
        case 97...122: UInt32(digit) - 71
        case 48...57: UInt32(digit) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: 64
        }
    }
}
