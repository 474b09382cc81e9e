import Testing

@testable import KeyfobTerminal

@Suite("Breaking lines")
struct TextWrappingTests {
    @Test("between words, behind the label")
    func words() {
        #expect(
            TextWrapping.lines("state   unlocked by the key file", to: 20, hanging: 8) == [
                "state   unlocked by", "        the key file",
            ])
        #expect(TextWrapping.lines("short", to: 20, hanging: 8) == ["short"])
        #expect(TextWrapping.lines("a 'b c' d", to: 6, hanging: 2) == ["a 'b", "  c' d"])
        #expect(TextWrapping.lines("aaaa 'b c' d", to: 8, hanging: 2) == ["aaaa", "  'b c'", "  d"])
    }

    @Test("the text of an option whose name fills the column stands in that column")
    func fullLabel() {
        let option = "  --new-passphrase-fd <n> Read the passphrase from here."
        #expect(
            TextWrapping.help(option, to: 48) == "  --new-passphrase-fd <n>\n      Read the passphrase from here.")
        #expect(
            TextWrapping.help(option + " Another.", to: 60)
                == "\(option)\n\(String(repeating: " ", count: 26))Another.")
        // A line of an example with a space there has no label.
        #expect(
            TextWrapping.help("  keyfob backup --verify x a-file-with-a-long-name and another one.age", to: 60)
                == "  keyfob backup --verify x a-file-with-a-long-name and\n    another one.age")
    }

    @Test("a word that does not fit is broken, and nothing is lost", arguments: [20, 40, 80])
    func longWords(columns: Int) {
        let text = "vault   /" + String(repeating: "folder/", count: 30) + "日本語"
        let lines = TextWrapping.lines(text, to: columns, hanging: 8)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= columns })
        #expect(lines.map { $0.replacing(" ", with: "") }.joined() == text.replacing(" ", with: ""))
    }
}
