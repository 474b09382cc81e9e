import Foundation
import KeyfobTestSupport
import Testing

@testable import KeyfobTerminal

@Suite("Text for a terminal")
struct TerminalTextTests {
    @Test("what a terminal would obey or hide is replaced", arguments: ObeyedText.scalars)
    func replaced(scalar: Unicode.Scalar) {
        let text = "a\(Character(scalar))b"
        #expect(TerminalText.line(text) == "a\u{FFFD}b")
        #expect(TerminalText.lines(text) == (scalar == "\n" ? text : "a\u{FFFD}b"))
    }

    @Test(
        "all other text stays as it is",
        arguments: [
            "", "ada@contoso.example", "José", "e\u{301}", "山田太郎", "שָׁלוֹם", "محمد", "क्षि", "\u{A0}", "\u{AC}", "\u{AE}",
            "❤\u{FE0F}", "👍🏽", "🇩🇪", "\u{2010}", "\u{2027}", "\u{202F}", "\u{206A}", "\u{FFFC}", "\u{E0100}",
        ])
    func kept(text: String) {
        #expect(TerminalText.line(text).unicodeScalars.elementsEqual(text.unicodeScalars))
        #expect(
            TerminalText.lines(text + "\n" + text).unicodeScalars.elementsEqual((text + "\n" + text).unicodeScalars))
        #expect(TerminalText.json("[\"\(text)\"]").unicodeScalars.elementsEqual("[\"\(text)\"]".unicodeScalars))
    }

    @Test("a JSON document holds none of it, and is the same document", arguments: ObeyedText.scalars)
    func json(scalar: Unicode.Scalar) throws {
        let value = "a\(Character(scalar))b"
        let document = try JSONEncoder().encode(Document(value: value))
        let text = TerminalText.json(String(decoding: document, as: UTF8.self))
        #expect(!text.unicodeScalars.contains { $0 != "\n" && ($0.value < 0x20 || ObeyedText.scalars.contains($0)) })
        #expect(
            try JSONDecoder().decode(Document.self, from: Data(text.utf8)).value.unicodeScalars.elementsEqual(
                value.unicodeScalars))
    }

    private struct Document: Codable {
        let value: String
    }
}
