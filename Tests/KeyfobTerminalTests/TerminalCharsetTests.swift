@testable import KeyfobTerminal
import Testing

@Suite("The characters of a terminal")
struct TerminalCharsetTests {
    @Test(
        "the first variable that is set says whether they are those of UTF-8",
        arguments: [
            (["LANG": "tr_TR.UTF-8"], true), (["LANG": "C.utf8"], true), (["LANG": "C"], false), ([:], false),
            (["LANG": "de_AT.UTF-8", "LC_CTYPE": "de_AT.ISO-8859-1"], false),
            (["LANG": "C", "LC_ALL": "", "LC_CTYPE": "C.UTF-8"], true),
            (["LANG": "de_AT.UTF-8", "LC_ALL": "POSIX"], false),
        ] as [([String: String], Bool)])
    func locale(variables: [String: String], isUTF8: Bool) {
        #expect(TerminalCharset.isUTF8(variables) == isUTF8)
    }

    @Test("without UTF-8 own signs have others in their place, and each character that is missing is one question mark")
    func shown() {
        let text = "age1… · │ Größe 日本 ↑\n"
        #expect(TerminalCharset.shown(text, isUTF8: true) == text)
        #expect(TerminalCharset.shown(text, isUTF8: false) == "age1... - | Gr??e ?? Up\n")
        #expect(TerminalCharset.shown("\u{1B}[7m>", isUTF8: false) == "\u{1B}[7m>")
    }
}
