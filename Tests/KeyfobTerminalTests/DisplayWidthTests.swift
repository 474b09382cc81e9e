@testable import KeyfobTerminal
import Testing

@Suite("The width of a text")
struct DisplayWidthTests {
    @Test(
        "a text takes the cells that terminals give it",
        arguments: [
            ("", 0), ("ada", 3), ("é", 1), ("e\u{301}", 1), ("e\u{301}\u{323}", 1), ("山田", 4), ("ａ", 2), ("ｱ", 1),
            ("가", 2), ("\u{1100}\u{1161}\u{11A8}", 2), ("한국", 4), ("…", 1), ("·", 1), ("→", 1), ("😀", 2), ("👍🏽", 2),
            ("👨‍👩‍👧‍👦", 2), ("🏳️‍🌈", 2), ("🇩🇪", 2), ("🇩🇪🇫🇷", 4), ("❤", 1), ("❤\u{FE0F}", 2), ("⌚", 2), ("⌚\u{FE0E}", 1),
            ("1\u{FE0F}\u{20E3}", 2), ("a\u{FE0F}", 1), ("\u{200B}", 0), ("a\u{200D}b", 2), ("\u{FEFF}", 0),
            ("\u{301}", 0),
            ("\u{93E}", 0), ("\u{1A61}", 1), ("\u{600}a", 2), ("\u{600}山", 3), ("😀\u{FE0E}", 2), ("\u{3164}\u{C43}", 0),
            ("क्षि", 2), ("नि", 2), ("ไทย", 3), ("שָׁלוֹם", 4), ("\u{3000}", 2), ("\u{FFFD}", 1), ("\u{20000}", 2),
        ])
    func widths(text: String, cells: Int) {
        #expect(DisplayWidth.of(text) == cells)
    }

    @Test("a cut text fills what it may, and no character is divided", arguments: 0...14)
    func cutting(cells: Int) {
        for text in ["ada@contoso.example", "山田太郎@例え", "Jose\u{301}Jose\u{301}", "a👨‍👩‍👧‍👦b👨‍👩‍👧‍👦c", "🇩🇪🇫🇷🇮🇹"] {
            let (start, end) = (DisplayWidth.cut(text, to: cells), DisplayWidth.cutStart(text, to: cells))
            guard DisplayWidth.of(text) > cells else {
                #expect(start == text && end == text)
                continue
            }
            #expect(start.isEmpty == (cells == 0) && end.isEmpty == (cells == 0))
            // A wide character may leave one cell.
            #expect((cells - 1...cells).contains(DisplayWidth.of(start)) || cells == 0, "\(start)")
            #expect((cells - 1...cells).contains(DisplayWidth.of(end)) || cells == 0, "\(end)")
            #expect(cells == 0 || (start.last == "…" && text.hasPrefix(String(start.dropLast()))))
            #expect(cells == 0 || (end.first == "…" && text.hasSuffix(String(end.dropFirst()))))
        }
    }
}
