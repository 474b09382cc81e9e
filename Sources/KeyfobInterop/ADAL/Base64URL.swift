/// Base64 with the alphabet for URLs (RFC 4648, section 5), with or without padding.
enum Base64URL {
    /// The bytes, or nil for what is no such text.
    static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var pending: UInt32 = 0
        var pendingBits = 0
        var hasEnded = false
        for character in text {
            if character == UInt8(ascii: "=") {
                hasEnded = true
                continue
            }
            guard !hasEnded, let value = value(of: character) else { return nil }
            pending = pending << 6 | value
            pendingBits += 6
            if pendingBits >= 8 {
                pendingBits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(pendingBits)))
                pending &= 1 << UInt32(pendingBits) - 1
            }
        }
        return pendingBits == 6 || pending != 0 ? nil : bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
        case UInt8(ascii: "_"), UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
