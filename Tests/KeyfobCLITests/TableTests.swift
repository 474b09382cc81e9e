@testable import KeyfobCLI
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
}
