/// Hexadecimal digits, two for a byte.
package enum Hexadecimal {
    /// `bytes` in small digits.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that small digits are; nil for anything else.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = smallValue(digits[index]), let low = smallValue(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The value of a digit, small or capital; nil for anything else.
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    fileprivate static func smallValue(_ digit: UInt8) -> UInt8? {
        (0x41...0x46).contains(digit) ? nil : value(of: digit)
    }
}

extension UInt64 {
    /// Sixteen small hexadecimal digits.
    package var hexadecimal: String {
        Hexadecimal.text((0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) })
    }

    /// The number that sixteen small hexadecimal digits are; nil for anything else.
    package init?(hexadecimal digits: some StringProtocol) {
        self.init(hexadecimal: digits.utf8)
    }

    /// The same for digits in ASCII.
    package init?(hexadecimal digits: some Sequence<UInt8>) {
        var (number, count): (UInt64, Int) = (0, 0)
        for digit in digits {
            guard count < 16, let value = Hexadecimal.smallValue(digit) else { return nil }
            (number, count) = (number << 4 | UInt64(value), count + 1)
        }
        guard count == 16 else { return nil }
        self = number
    }
}
