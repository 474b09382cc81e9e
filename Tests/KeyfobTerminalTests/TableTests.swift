@testable import KeyfobTerminal
import Testing

@Suite("Tables")
struct TableTests {
    @Test("columns are aligned by what the cells show, and no line ends in a blank")
    func columns() {
        var table = Table(header: ["A", "BB", "C"])
        table.add(["山", "\u{1B}x", ""])
        table.add(["", "y", "z"])
        #expect(table.text == "A   BB  C\n山  \u{FFFD}x\n    y   z\n")
    }

    @Test("on a terminal each line fits, and what is cut ends with an ellipsis", arguments: [80, 40, 20, 3])
    func fitting(columns: Int) {
        var table = Table(header: ["GROUP", "ACCOUNT", "ID"], columns: columns)
        table.add(["default", "ada.lovelace@contoso.example", String(repeating: "0123456789", count: 9)])
        table.add(["山山山山山山山山山", "bob", "1"])
        let lines = table.text.split(separator: "\n").map(String.init)
        #expect(lines.count == 3 && lines.allSatisfy { DisplayWidth.of($0) <= columns }, "\(lines)")
        #expect(lines[1].hasSuffix("…"), "\(lines)")
    }

    @Test("the least important columns are left out before names are cut short")
    func yielding() {
        func table(_ columns: Int) -> String {
            var table = Table(
                header: ["GROUP", "ACCOUNT", "LABEL", "STATE"], yielding: ["GROUP", "LABEL"], columns: columns)
            table.add(["default", "ada@contoso.example", "Contoso production", "signed in"])
            return table.text.split(separator: "\n").last.map(String.init) ?? ""
        }
        #expect(table(60) == "default  ada@contoso.example  Contoso production  signed in")
        #expect(table(57) == "default  ada@contoso.example  Contoso product…  signed in")
        #expect(table(48) == "ada@contoso.example  Contoso product…  signed in")
        #expect(table(40) == "ada@contoso.example  signed in")
        #expect(table(20) == "ada@cont…  signed in")
    }

    @Test("what fits is not cut")
    func whole() {
        var table = Table(header: ["A", "B"], columns: 9)
        table.add(["four", "two"])
        #expect(table.text == "A     B\nfour  two\n")
    }
}
