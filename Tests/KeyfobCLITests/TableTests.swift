@testable import KeyfobCLI
import Testing

@Suite("Tables")
struct TableTests {
    @Test(
        "what a terminal would obey or hide is replaced",
        arguments: [
            "\u{0}", "\t", "\n", "\u{1B}", "\u{7F}", "\u{80}", "\u{9B}", "\u{AD}", "\u{61C}", "\u{180E}", "\u{200B}",
            "\u{200C}", "\u{200D}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202E}", "\u{2060}", "\u{2064}",
            "\u{2066}", "\u{2069}", "\u{FEFF}", "\u{FFF9}", "\u{FFFB}", "\u{E0000}", "\u{E007F}",
        ] as [Unicode.Scalar])
    func replaced(scalar: Unicode.Scalar) {
        #expect(Table.printable("a\(Character(scalar))b") == "a\u{FFFD}b")
    }

    @Test(
        "all other text stays as it is",
        arguments: [
            "", "ada@contoso.example", "José", "e\u{301}", "山田太郎", "שָׁלוֹם", "محمد", "क्षि", "\u{A0}", "\u{AC}", "\u{AE}",
            "❤\u{FE0F}", "👍🏽", "🇩🇪", "\u{2010}", "\u{2027}", "\u{202F}", "\u{206A}", "\u{FFFC}", "\u{E0100}",
        ])
    func kept(text: String) {
        #expect(Table.printable(text).unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test("columns are aligned by what the cells show, and no line ends in a blank")
    func columns() {
        var table = Table(header: ["A", "BB", "C"])
        table.add(["山", "\u{1B}x", ""])
        table.add(["", "y", "z"])
        #expect(table.text == "A   BB  C\n山  \u{FFFD}x\n    y   z\n")
    }
}
