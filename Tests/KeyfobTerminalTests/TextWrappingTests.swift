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
        #expect(TextWrapping.lines("a 'b c' d", to: 6, hanging: 2) == ["a", " 'b c'", "  d"])
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

    @Test("a word that is longer than a line is whole, and the terminal breaks it", arguments: [20, 40, 80])
    func longWords(columns: Int) {
        let path = "/" + String(repeating: "folder/", count: 30) + "日本語"
        #expect(TextWrapping.lines("vault   \(path)", to: columns, hanging: 8) == ["vault   \(path)"])
        #expect(
            TextWrapping.lines("ok      vault: \(path) opens", to: columns, hanging: 8) == [
                "ok      vault:", path, "        opens",
            ])
        // What fits without the spaces before it is not longer than a line.
        let word = String(repeating: "山", count: columns / 2 - 1)
        #expect(TextWrapping.lines("state   \(word)", to: columns, hanging: 8) == ["state", "  \(word)"])
    }

    @Test("a message is broken under its text, and a command in it never")
    func messages() {
        let message =
            "keyfob: there is no account 'nobody'; 'keyfob account list' shows them (or 'keyfob use 'Ada B' --here')"
        #expect(
            TextWrapping.message(message, to: 40) == [
                "keyfob: there is no account 'nobody';", "        'keyfob account list' shows them",
                "        (or 'keyfob use 'Ada B' --here')",
            ])
        #expect(
            TextWrapping.message(message, to: 20) == [
                "keyfob: there is no", "        account", "        'nobody';", "'keyfob account list'",
                "        shows them",
                "        (or", "'keyfob use 'Ada B' --here')",
            ])
        #expect(TextWrapping.message(message, to: 200) == [message])
        #expect(TextWrapping.message("say --account ada", to: 14) == ["say", " --account ada"])
        #expect(TextWrapping.message("note: aa bb", to: 8) == ["note: aa", "    bb"])
        #expect(TextWrapping.message("removed what is gone", to: 12) == ["removed what", "  is gone"])
        #expect(
            TextWrapping.message("to bring it back: keyfob undo 0123", to: 12) == [
                "to bring it", "  back:", "keyfob undo 0123",
            ])
        // What is quoted and no command is broken as all is, and so is what has no end.
        #expect(TextWrapping.message("x 'Not a b' c", to: 7) == ["x 'Not", "  a b'", "  c"])
        #expect(TextWrapping.message("who's 'there is", to: 8) == ["who's", "  'there", "  is"])
    }

    @Test("nothing is lost, whatever is quoted, and only what is whole is longer than a line", arguments: 1...60)
    func any(columns: Int) {
        let texts = [
            "keyfob: a 'b c' (d 'e 'f' g', [h i] j's k'", "'' ' '", "  - a step of https://a.example/b with [x y",
            "日本 語日本語 👨‍👩‍👧‍👦 e\u{301}e\u{301} 'keyfob use '日本 語''", #"say 'keyfob use 'it'\''s' --here' now"#,
        ]
        for text in texts {
            let lines = TextWrapping.message(text, to: columns)
            func letters(_ text: String) -> String { text.filter { $0 != " " } }
            #expect(letters(lines.joined()) == letters(text), "\(lines)")
            for line in lines where DisplayWidth.of(line) > columns {
                let piece = String(line.drop { $0 == " " })
                #expect(!piece.contains(" ") || piece.contains("'") || line == lines[0], "\(columns): \(lines)")
            }
        }
    }

    @Test("a command keeps each of its spaces, and a quote within double quotes ends nothing")
    func spaces() {
        let command = #"'keyfob use "Ada  B"'"#
        #expect(TextWrapping.message("say which: \(command) decides it here", to: 24).contains { $0.contains(command) })
        let apostrophe = #"'keyfob use "the boys' x y"'"#
        #expect(TextWrapping.message("say \(apostrophe) now", to: 30).contains { $0.contains(apostrophe) })
    }

    @Test("marks that combine with the space before them end no table", arguments: 10...60)
    func marks(columns: Int) {
        let name = "a" + String(repeating: " \u{903}b", count: 30)
        var table = Table(header: ["NAME", "STATE"], wrapping: ["NAME"], columns: columns)
        table.add([name, "signed in"])
        #expect(table.text.contains("signed"))
        let lines = table.text.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= max(columns, 12) }, "\(lines)")
    }

    @Test("no word of a name begins a line where rows begin", arguments: 10...40)
    func rows(columns: Int) {
        var table = Table(header: ["NAME", "STATE"], columns: columns)
        table.add(["x ada.lovelace@contoso-engineering.example", "signed in"])
        let lines = table.text.split(separator: "\n")
        #expect(lines.count { !$0.hasPrefix(" ") } <= 2, "\(lines)")
    }
}
