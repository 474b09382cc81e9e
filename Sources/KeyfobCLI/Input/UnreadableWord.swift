internal import Keyfob
internal import KeyfobFiles

/// A word of the command line that cannot be shown, or means nothing: it is told by its place, and never printed.
enum UnreadableWord {
    /// The error where a word is no UTF-8, but of those that are for another program; nil where all are.
    ///
    /// - Parameter line: The words as the system has them, each with a zero behind it.
    static func error(
        in words: [String], line: @autoclosure () -> [UInt8] = systemLine()
    ) -> KeyringError? {
        // What is no UTF-8 has come as this.
        guard words.prefix(while: { $0 != "--" }).contains(where: { $0.contains("\u{FFFD}") }) else { return nil }
        let raw = line().split(separator: 0, omittingEmptySubsequences: false).prefix { !$0.elementsEqual("--".utf8) }
        for (index, word) in raw.enumerated() where index > 0 {
            guard String(validating: word, as: UTF8.self) == nil else { continue }
            let texts = raw[1...].map { String(decoding: $0, as: UTF8.self) }
            return error(
                at: index, behind: texts, "is not UTF-8, from its \(ordinal(validCount(word) + 1)) byte on",
                "type it anew, or write it in UTF-8")
        }
        return nil
    }

    /// The error where a word has a control character that a message of the parser's would repeat; nil where none has.
    static func control(in words: [String]) -> KeyringError? {
        for (index, word) in words.prefix(while: { $0 != "--" }).enumerated() {
            let scalars = Array(word.unicodeScalars)
            guard let place = scalars.firstIndex(where: { $0.properties.generalCategory == .control }) else { continue }
            let number = String(scalars[place].value, radix: 16, uppercase: true)
            let code = String(repeating: "0", count: max(0, 4 - number.count)) + number
            return error(
                at: index + 1, behind: words,
                "has the control character U+\(code) as its \(ordinal(place + 1)) character",
                "type it anew")
        }
        return nil
    }

    /// - Parameters:
    ///   - number: Which word after `keyfob`, from 1.
    ///   - words: All of them.
    private static func error(at number: Int, behind words: [String], _ flaw: String, _ hint: String) -> KeyringError {
        let before = number >= 2 && number - 2 < words.count ? words[number - 2] : ""
        let isValue =
            before.hasPrefix("-") && before.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !before.contains("=")
        return KeyringError(
            .usage, "the \(ordinal(number)) word after keyfob\(isValue ? ", the value of \(before)," : "") \(flaw)",
            hint: hint)
    }

    private static func systemLine() -> [UInt8] {
        FileAccess.head("/proc/self/cmdline", count: 1 << 21) ?? []
    }

    /// How many bytes at the start are UTF-8.
    private static func validCount(_ word: some Collection<UInt8>) -> Int {
        var (parser, bytes, count) = (Unicode.UTF8.ForwardParser(), word.makeIterator(), 0)
        while case .valid(let scalar) = parser.parseScalar(from: &bytes) { count += scalar.count }
        return count
    }

    private static func ordinal(_ number: Int) -> String {
        switch (number % 10, number % 100) {
        case (_, 11...13): "\(number)th"
        case (1, _): "\(number)st"
        case (2, _): "\(number)nd"
        case (3, _): "\(number)rd"
        default: "\(number)th"
        }
    }
}
