package import KeyfobSodium

/// Base64 (RFC 4648): its URL alphabet without padding, and the ordinary one with padding for `Basic`.
package enum Base64 {
    /// `bytes` in the URL alphabet, as text: for what is not secret.
    package static func urlEncode(_ bytes: [UInt8]) -> String {
        bytes.withBytes { span in
            var text = [UInt8](repeating: 0, count: urlCount(span.byteCount))
            for index in text.indices { text[index] = letter(sextet(span, index), isURL: true) }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// `bytes` in the URL alphabet, from guarded memory to guarded memory.
    static func urlEncode(_ bytes: borrowing SecretBytes) -> SecretBytes {
        bytes.withBytes { span in
            SecretBytes(count: urlCount(span.byteCount), placement: .recycled) { output in
                for index in 0..<urlCount(span.byteCount) {
                    output.storeBytes(
                        of: letter(sextet(span, index), isURL: true), toByteOffset: index, as: UInt8.self)
                }
            }
        }
    }

    /// `prefix`, which is ASCII, and `bytes` in the ordinary alphabet with padding.
    static func encode(_ bytes: borrowing SecretBytes, behind prefix: String) -> SecretBytes {
        let start = Array(prefix.utf8)
        return bytes.withBytes { span in
            let count = (span.byteCount + 2) / 3 * 4
            let letters = urlCount(span.byteCount)
            return SecretBytes(count: start.count + count, placement: .recycled) { output in
                for index in start.indices { output.storeBytes(of: start[index], toByteOffset: index, as: UInt8.self) }
                for index in 0..<count {
                    let byte = index < letters ? letter(sextet(span, index), isURL: false) : UInt8(ascii: "=")
                    output.storeBytes(of: byte, toByteOffset: start.count + index, as: UInt8.self)
                }
            }
        }
    }

    /// What `text` in the URL alphabet means, or nil where it is not written as RFC 7515, section 2, wants it.
    ///
    /// Padding, white space and bits behind the end are refused, so every value has one spelling.
    package static func urlDecode(_ text: RawSpan) -> SecretBytes? {
        let count = text.byteCount
        guard count % 4 != 1 else { return nil }
        for index in 0..<count where value(of: text.byte(at: index)) == nil { return nil }
        let spare: UInt8 = count % 4 == 2 ? 15 : count % 4 == 3 ? 3 : 0
        if spare != 0, (value(of: text.byte(at: count - 1)) ?? 0) & spare != 0 { return nil }
        return SecretBytes(count: count * 3 / 4, placement: .recycled) { output in
            for index in 0..<count * 3 / 4 {
                let first = index / 3 * 4 + index % 3
                let high = UInt16(value(of: text.byte(at: first)) ?? 0) << 6
                let pair = high | UInt16(value(of: text.byte(at: first + 1)) ?? 0)
                let byte = UInt8(truncatingIfNeeded: pair >> UInt16(4 - 2 * (index % 3)))
                output.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
            }
        }
    }

    private static func urlCount(_ count: Int) -> Int { (count * 8 + 5) / 6 }

    /// The six bits of the letter at `index`.
    private static func sextet(_ bytes: RawSpan, _ index: Int) -> UInt8 {
        let first = index * 6 / 8
        let high = UInt16(bytes.byte(at: first)) << 8
        let low = first + 1 < bytes.byteCount ? UInt16(bytes.byte(at: first + 1)) : 0
        return UInt8(truncatingIfNeeded: (high | low) >> UInt16(10 - index * 6 % 8)) & 63
    }

    private static func letter(_ value: UInt8, isURL: Bool) -> UInt8 {
        switch value {
        case 0..<26: 0x41 + value
        case 26..<52: 0x61 + value - 26
        case 52..<62: 0x30 + value - 52
        case 62: isURL ? UInt8(ascii: "-") : UInt8(ascii: "+")
        default: isURL ? UInt8(ascii: "_") : UInt8(ascii: "/")
        }
    }

    private static func value(of letter: UInt8) -> UInt8? {
        switch letter {
        case 0x41...0x5A: letter - 0x41
        case 0x61...0x7A: letter - 0x61 + 26
        case 0x30...0x39: letter - 0x30 + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
