internal import KeyfobModel
internal import KeyfobSodium

/// What a plain text of YAML stands for where that is no text.
package enum YAMLWord {
    /// Whether every program takes the plain text at `range` for a text, or for a whole number with the same digits.
    ///
    /// `no`, `1_000`, `0x1F`, `1:30` and dates are no texts: YAML 1.1 and 1.2, and programs, differ in what they are.
    package static func isText(_ range: Range<Int>, in bytes: RawSpan) -> Bool {
        guard let first = range.first else { return false }
        // Longer than any of these; and what is copied nowhere stays a secret.
        guard range.count <= 64 else { return true }
        guard !words.contains(where: { isWord($0, range, bytes) }) else { return false }
        let byte = bytes.byte(at: first)
        guard byte.isASCIIDigit || "+-.".utf8.contains(byte) else { return true }
        return isWholeNumber(range, bytes) || !isNumber(range, bytes) && !isDate(range, bytes)
    }

    private static let words = [
        "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", "+.inf", "-.inf", ".nan", "=",
    ]

    private static func isWord(_ word: String, _ range: Range<Int>, _ bytes: RawSpan) -> Bool {
        word.utf8.count == range.count
            && zip(range, word.utf8).allSatisfy { index, small in
                let byte = bytes.byte(at: index)
                return byte == small || small.isASCIISmallLetter && byte | 0x20 == small
            }
    }

    /// Whether it is `0`, `17` or `-4`, which are the same for all.
    private static func isWholeNumber(_ range: Range<Int>, _ bytes: RawSpan) -> Bool {
        let digits = bytes.begins(with: "-", at: range.lowerBound) ? range.dropFirst() : range
        guard (1...15).contains(digits.count), digits.allSatisfy({ bytes.byte(at: $0).isASCIIDigit }) else {
            return false
        }
        return !bytes.begins(with: "0", at: digits.lowerBound) || range.count == 1
    }

    /// Whether it is a number in some notation: `007`, `0x1F`, `1_000`, `1:30:00`, `-1.5e3`.
    private static func isNumber(_ range: Range<Int>, _ bytes: RawSpan) -> Bool {
        var index = range.lowerBound
        func at(_ characters: String) -> Bool {
            index < range.upperBound && characters.utf8.contains(bytes.byte(at: index))
        }
        func run(_ characters: String) -> Int {
            let start = index
            while at(characters) { index += 1 }
            return index - start
        }
        if at("+-") { index += 1 }
        let start = index
        if at("0"), index + 2 < range.upperBound, "xob".utf8.contains(bytes.byte(at: index + 1)) {
            index += 2
            _ = run("0123456789abcdefABCDEF_")
            if index == range.upperBound { return true }
            index = start
        }
        guard at("0123456789.") else { return false }
        var digits = run("0123456789_")
        while at(":") {
            index += 1
            guard (1...2).contains(run("0123456789")) else { return false }
        }
        if at(".") {
            index += 1
            digits += run("0123456789_")
        }
        guard digits > 0 else { return false }
        if at("eE") {
            index += 1
            if at("+-") { index += 1 }
            guard run("0123456789") > 0 else { return false }
        }
        return index == range.upperBound
    }

    /// Whether it is a date, perhaps with a time: `2026-11-26`.
    private static func isDate(_ range: Range<Int>, _ bytes: RawSpan) -> Bool {
        var (index, lengths) = (range.lowerBound, [Int]())
        while lengths.count < 3 {
            let start = index
            while index < range.upperBound, bytes.byte(at: index).isASCIIDigit { index += 1 }
            lengths.append(index - start)
            guard lengths.count < 3 else { break }
            guard index < range.upperBound, bytes.byte(at: index) == UInt8(ascii: "-") else { return false }
            index += 1
        }
        guard lengths[0] == 4, (1...2).contains(lengths[1]), (1...2).contains(lengths[2]) else { return false }
        return index == range.upperBound || "Tt \t".utf8.contains(bytes.byte(at: index))
    }
}
