internal import KeyfobSodium

/// The digest of a bundle's lines in their order: 32 zero bytes at first, and after each line BLAKE2b-256 of the
/// digest before it and BLAKE2b-256 of the line, which is taken without its line feed.
struct LineChain {
    private(set) var digest = [UInt8](repeating: 0, count: 32)

    mutating func add(_ line: RawSpan) {
        digest = BLAKE2b.hash(digest + BLAKE2b.hash(line, count: 32), count: 32)
    }

    /// The digest in 64 small hexadecimal digits.
    var text: String { Hexadecimal.text(digest) }
}

/// Bytes as small hexadecimal digits.
enum Hexadecimal {
    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes that small digits are; nil for anything else, or for another number of bytes.
    static func bytes(_ text: String, count: Int) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 2 * count else { return nil }
        var bytes: [UInt8] = []
        for index in 0..<count {
            guard let high = value(digits[2 * index]), let low = value(digits[2 * index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
