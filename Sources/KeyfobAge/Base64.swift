/// Canonical base64 (RFC 4648, sections 3.5 and 4), with padding in the armor and without it in the header.
///
/// What passes through here is public; the tables are not constant-time.
enum Base64 {
    private static let symbols = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    private static let invalid: UInt8 = 0xFF

    /// The value of each byte as a symbol, or `invalid`.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: invalid, count: 256)
        for (value, symbol) in symbols.enumerated() { values[Int(symbol)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: ArraySlice<UInt8>, isPadded: Bool) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(symbols[Int(pending >> bits & 0x3F)])
            }
        }
        if bits > 0 { text.append(symbols[Int(pending << (6 - bits) & 0x3F)]) }
        while isPadded && text.count % 4 != 0 { text.append(padding) }
        return text
    }

    /// The bytes that `text` is the canonical encoding of, or `nil`.
    static func decode(_ text: ArraySlice<UInt8>, isPadded: Bool) -> [UInt8]? {
        var text = text
        if isPadded {
            guard text.count % 4 == 0 else { return nil }
            if text.last == padding { text.removeLast() }
            if text.last == padding { text.removeLast() }
        }
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var pending: UInt32 = 0
        var bits = 0
        for symbol in text {
            let value = values[Int(symbol)]
            guard value != invalid else { return nil }
            pending = pending << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        // Bits that encode nothing must be zero.
        guard pending & ((1 << bits) - 1) == 0 else { return nil }
        return bytes
    }

    /// The bytes of a stanza's argument, which must be `count` of them.
    static func decode(argument: String, count: Int) -> [UInt8]? {
        guard let bytes = decode(Array(argument.utf8)[...], isPadded: false), bytes.count == count else { return nil }
        return bytes
    }
}
