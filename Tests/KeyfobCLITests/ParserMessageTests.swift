import Testing

@testable import KeyfobCLI

@Suite("What the parser says, in one line")
struct ParserMessageTests {
    private static func unexpected(_ words: [String]) -> String {
        "\(words.count) unexpected arguments: '\(words.joined(separator: "', '"))'"
    }

    @Test(
        "a sentence, without its lines and its full stop",
        arguments: [
            ("Unknown option '--x'.", "Unknown option '--x'"), ("Please wait...", "Please wait..."), ("", "bad usage"),
            ("The value is invalid.\n  - a\n  - b", "The value is invalid. - a - b"),
        ])
    func sentence(text: String, line: String) {
        #expect(ParserMessage.line(text) == line)
    }

    @Test("of many words it shows the first, and says how many more there are")
    func many() {
        let words = (1...1_000).map { "\($0)" }
        #expect(
            ParserMessage.line(Self.unexpected(words))
                == "1000 unexpected arguments: '1', '2', '3', '4', '5', '6', '7', '8', '9', '10' and 990 more")
        #expect(ParserMessage.line(Self.unexpected(Array(words[..<10]))) == Self.unexpected(Array(words[..<10])))
        #expect(ParserMessage.line(Self.unexpected(Array(words[..<11]))).hasSuffix("'10' and 1 more"))
    }

    @Test("the values to choose from are all shown")
    func values() {
        let values =
            "The value 'x' is invalid. Please provide one of '\((1...30).map { "v\($0)" }.joined(separator: "', '"))'"
        #expect(ParserMessage.line(values) == values)
    }

    @Test("long words are cut in the middle of all", arguments: [1, 2, 20])
    func long(count: Int) {
        let word = String(repeating: "ä", count: 100_000)
        let line = ParserMessage.line(Self.unexpected(Array(repeating: word, count: count)))
        #expect(line.count == ParserMessage.limit + 1 && line.hasPrefix("\(count) unexpected") && line.contains("ä…ä"))
        #expect(line.hasSuffix(count > ParserMessage.wordLimit ? "ä' and 10 more" : "ä'"))
    }
}
