import Foundation
@testable import KeyfobCLI
import Testing

@Suite("Text for a terminal")
struct TerminalTextTests {
    static let obeyed: [Unicode.Scalar] = [
        "\u{0}", "\t", "\n", "\r", "\u{1B}", "\u{7F}", "\u{80}", "\u{85}", "\u{9B}", "\u{9D}", "\u{AD}", "\u{61C}",
        "\u{180E}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202B}",
        "\u{202C}", "\u{202D}", "\u{202E}", "\u{2060}", "\u{2064}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
        "\u{FEFF}", "\u{FFF9}", "\u{FFFB}", "\u{E0000}", "\u{E007F}",
    ]

    @Test("what a terminal would obey or hide is replaced", arguments: obeyed)
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

    @Test("a JSON document holds none of it, and is the same document", arguments: obeyed)
    func json(scalar: Unicode.Scalar) throws {
        let value = "a\(Character(scalar))b"
        let text = try JSONOutput.text(Document(value: value))
        #expect(!text.unicodeScalars.contains { $0 != "\n" && ($0.value < 0x20 || Self.obeyed.contains($0)) })
        #expect(
            try JSONDecoder().decode(Document.self, from: Data(text.utf8)).value.unicodeScalars.elementsEqual(
                value.unicodeScalars))
    }

    private struct Document: JSONDocument, Decodable {
        var formatVersion: Int { 1 }
        let value: String
    }
}
