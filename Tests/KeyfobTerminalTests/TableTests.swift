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

    @Test(
        "where names have no room beside each other each row is a block, and none is cut", arguments: [80, 40, 20, 3])
    func blocks(columns: Int) {
        var table = Table(header: ["GROUP", "ACCOUNT", "ID"], columns: columns)
        let id = String(repeating: "0123456789", count: 9)
        table.add(["default", "ada.lovelace@contoso.example", id])
        table.add(["山山山山山山山山山", "bob", "-"])
        let lines = table.text.split(separator: "\n").map(String.init)
        for line in lines where line.drop(while: { $0 == " " }).contains(" ") && !line.contains(id) {
            #expect(DisplayWidth.of(line) <= columns, "\(lines)")
        }
        for name in ["ada.lovelace@contoso.example", id, "山山山山山山山山山", "bob"] {
            #expect(lines.contains { $0.hasSuffix(name) }, "\(lines)")
        }
        guard columns == 40 else { return }
        #expect(
            lines == [
                "default", "  account  ada.lovelace@contoso.example", "  id       \(id)", "山山山山山山山山山", "  account  bob",
            ])
    }

    @Test("the least important columns are left out before names are cut short")
    func yielding() {
        func whole(_ columns: Int) -> [String] {
            var table = Table(
                header: ["GROUP", "ACCOUNT", "LABEL", "STATE"], yielding: ["GROUP", "LABEL"], columns: columns)
            table.add(["default", "ada@contoso.example", "Contoso production", "signed in"])
            return table.text.split(separator: "\n").map(String.init)
        }
        func table(_ columns: Int) -> String { whole(columns).last ?? "" }
        #expect(table(60) == "default  ada@contoso.example  Contoso production  signed in")
        #expect(table(57) == "default  ada@contoso.example  Contoso product…  signed in")
        #expect(table(48) == "ada@contoso.example  Contoso product…  signed in")
        #expect(table(40) == "ada@contoso.example  signed in")
        #expect(
            whole(20) == [
                "ada@contoso.example", "  state  signed in", "  group  default", "  label  Contoso",
                "         production",
            ])
    }

    @Test("what fits is not cut")
    func whole() {
        var table = Table(header: ["A", "B"], columns: 9)
        table.add(["four", "two"])
        #expect(table.text == "A     B\nfour  two\n")
    }

    /// A table as it stands on terminals of 120, 80 and 40 columns.
    struct Golden: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable (Int?) -> Table
        let screens: [Int: String]
    }

    private static let verdicts = Golden(
        testDescription: "verdicts wrap, and a group that all have goes first",
        make: { columns in
            var table = Table(
                header: ["ACCOUNT", "GROUP", "LIKELY", "VERDICT"], yielding: ["LIKELY", "GROUP"], wrapping: ["VERDICT"],
                usual: ["GROUP": "default"], columns: columns)
            let verdict = "chosen: the repository's user.email, ben@fabrikam.example, is its address"
            table.add(["Fabrikam lab", "default", "97 %", verdict])
            table.add([
                "cleo@contoso.example", "default", "< 1 %",
                "rejected: it cannot get https://graph.microsoft.com/.default",
            ])
            return table
        },
        screens: [
            .max: """
            ACCOUNT               GROUP    LIKELY  VERDICT
            Fabrikam lab          default  97 %    chosen: the repository's user.email, \
            ben@fabrikam.example, is its address
            cleo@contoso.example  default  < 1 %   rejected: it cannot get \
            https://graph.microsoft.com/.default

            """,
            120: """
            ACCOUNT               LIKELY  VERDICT
            Fabrikam lab          97 %    chosen: the repository's user.email, \
            ben@fabrikam.example, is its address
            cleo@contoso.example  < 1 %   rejected: it cannot get \
            https://graph.microsoft.com/.default

            """,
            80: """
            ACCOUNT               LIKELY  VERDICT
            Fabrikam lab          97 %    chosen: the repository's user.email,
                                          ben@fabrikam.example, is its address
            cleo@contoso.example  < 1 %   rejected: it cannot get
                                          https://graph.microsoft.com/.default

            """,
            40: """
            Fabrikam lab
              verdict  chosen: the repository's
                       user.email,
                       ben@fabrikam.example, is its
                       address
              likely   97 %
            cleo@contoso.example
              verdict  rejected: it cannot get
                https://graph.microsoft.com/.default
              likely   < 1 %

            """,
        ])

    private static let places = Golden(
        testDescription: "paths keep their last part, and what says nothing goes before they are cut",
        make: { columns in
            var table = Table(
                header: ["KIND", "SUBJECT", "ACCOUNT", "GROUP", "FROM", "STATE"],
                yielding: ["FROM", "GROUP", "STATE", "KIND"],
                usual: ["GROUP": "default", "FROM": "keyring", "STATE": "in force"], columns: columns)
            table.add(["directory", "/home/ada/contoso", "Contoso production", "default", "keyring", "in force"])
            table.add([
                "directory", "/home/ada/fabrikam", "Fabrikam lab", "default", "/home/ada/fabrikam/.keyfob.toml",
                "in force",
            ])
            return table
        },
        screens: [
            .max: """
            KIND       SUBJECT             ACCOUNT             GROUP    FROM                             STATE
            directory  /home/ada/contoso   Contoso production  default  keyring                          in force
            directory  /home/ada/fabrikam  Fabrikam lab        default  /home/ada/fabrikam/.keyfob.toml  in force

            """,
            120: """
            KIND       SUBJECT             ACCOUNT             FROM
            directory  /home/ada/contoso   Contoso production  keyring
            directory  /home/ada/fabrikam  Fabrikam lab        /home/ada/fabrikam/.keyfob.toml

            """,
            80: """
            KIND       SUBJECT             ACCOUNT             FROM
            directory  /home/ada/contoso   Contoso production  keyring
            directory  /home/ada/fabrikam  Fabrikam lab        …me/ada/fabrikam/.keyfob.toml

            """,
            40: """
            SUBJECT             ACCOUNT
            /home/ada/contoso   Contoso production
            /home/ada/fabrikam  Fabrikam lab

            """,
        ])

    private static let labels = Golden(
        testDescription: "what stands beside a label wraps, and no name of a column is needed",
        make: { columns in
            var table = Table(header: [], columns: columns)
            table.add(["account", "Contoso production (ada@contoso.example)"])
            table.add(["why", "the repository's user.email, ada@contoso.example, is its address, and nobody else's"])
            return table
        },
        screens: [
            120: """
            account  Contoso production (ada@contoso.example)
            why      the repository's user.email, ada@contoso.example, is its address, and nobody else's

            """,
            80: """
            account  Contoso production (ada@contoso.example)
            why      the repository's user.email, ada@contoso.example, is its address, and
                     nobody else's

            """,
            40: """
            account  Contoso production
                     (ada@contoso.example)
            why      the repository's user.email,
                     ada@contoso.example, is its
                     address, and nobody else's

            """,
        ])

    @Test("screens are as they are written down", arguments: [verdicts, places, labels])
    func golden(table: Golden) {
        for (columns, screen) in table.screens where columns != .max {
            #expect(table.make(columns).text == screen, "\(columns)")
        }
        // Elsewhere nothing is left out, whatever it says.
        #expect(table.make(nil).text == table.screens[.max] ?? table.screens[120])
    }

    @Test("what wraps is whole at any width, and no line is longer than the terminal", arguments: 36...130)
    func wrapping(columns: Int) {
        for table in [Self.verdicts, Self.labels] {
            let lines = table.make(columns).text.split(separator: "\n").map(String.init)
            for line in lines { #expect(DisplayWidth.of(line) <= columns, "\(line)") }
            let letters = lines.joined().filter { $0 != " " }
            #expect(letters.contains("isitsaddress") && !letters.hasSuffix("…"), "\(lines)")
        }
    }

    @Test("a progress bar has room on any terminal", arguments: [10, 20, 40, 45, 46, 80, 120])
    func progress(columns: Int) {
        let line = Progress.line("importing", 100, 1_800, columns: columns)
        #expect(
            DisplayWidth.of(line) < columns && line.hasPrefix("import") && (columns < 20) == !line.contains("100 %"))
    }
}
