/// Bytes in hexadecimal digits.
enum Hex {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func text(_ text: String) -> String { self.text(text.utf8) }

    static func decoded(_ digits: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = digits.utf8.makeIterator()
        while let high = rest.next() {
            guard let low = rest.next(), let first = value(high), let second = value(low) else { return nil }
            bytes.append(first << 4 | second)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - 0x57
        default: nil
        }
    }
}
