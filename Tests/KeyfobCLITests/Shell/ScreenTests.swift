import Foundation
import KeyfobTerminal
import KeyfobTestSupport
import Testing

@Suite("Screens", .waitsForPrograms)
struct ScreenTests {
    /// Names long enough to be cut, one of wide characters.
    private static let names = [
        "ada.lovelace-of-the-analytical-engine@contoso.example", "bob", "日本語の名前@contoso.example", "eve@contoso.example",
        "שלום@contoso.example", "zo\u{65}\u{308}\u{323}@contoso.example",
    ]

    private func home() throws -> Workplace {
        let place = try Workplace.withVault()
        for (number, name) in Self.names.enumerated() {
            try place.run(
                "printf t | keyfob add -q --account id\(number) --host git.example --username '\(name)' --scope repo"
            ).expectSuccess()
        }
        return place
    }

    @Test(
        "no row is longer than the terminal is wide, but for a name that is",
        arguments: Screen.all + [Screen(columns: 20, isColored: true, locale: .utf8)])
    func lists(screen: Screen) throws {
        let place = try home()
        for command in ["account list", "status", "which --no-input", "doctor", "whoami --account bob", "slot list"] {
            let run = try place.onTerminal("keyfob \(command) 2> errors", on: screen)
            let rows = screen.expectKept(run)
            #expect(rows.count > 3, "\(run)")
            guard ["account list", "which --no-input"].contains(command) else { continue }
            for name in Self.names.map(screen.shown) {
                #expect(rows.contains { $0.contains(name) }, "\(name): \(run.screen)")
            }
        }
    }

    @Test("a verdict is whole at any width, whatever else is cut or left out", arguments: Screen.all)
    func verdict(screen: Screen) throws {
        let place = try home()
        let words = "rejected: its tokens do not go to a-long-name-of-a-host.in-another-domain.example"
        let run = try place.onTerminal(
            "keyfob which --no-input --url https://a-long-name-of-a-host.in-another-domain.example 2> errors",
            on: screen)
        // The words of the last column, or of the block's line, one after the other.
        let rows = screen.expectKept(run)
        let isTable = rows.first?.contains("VERDICT") == true
        let letters = rows.map { row in isTable ? String(row.drop { $0 != " " }) : row }.joined().filter { $0 != " " }
        #expect(letters.contains(words.filter { $0 != " " }), "\(run)")
        #expect(screen.columns == 120 || !run.screen.contains("GROUP"), "\(run)")
    }

    @Test(
        "help is broken between words",
        arguments: [
            "--help", "help options", "token --help", "account list --help", "backup --help", "login --help",
            "helper docker --help", "provider add --help",
        ], [80, 40])
    func help(command: String, columns: Int) throws {
        let run = try Workplace().onTerminal("sh -c 'stty cols \(columns) rows 24; exec keyfob \(command)'", [])
        #expect(run.status == 0, "\(run)")
        Screen(columns: columns, isColored: true, locale: .utf8).expectKept(run)
    }

    @Test(
        "a terminal without UTF-8 gets ASCII alone, and what goes elsewhere is whole",
        arguments: ["C", "de_AT.ISO-8859-1"],
        [
            "account list", "which --no-input", "status", "slot add --help", "account list --format '{username}'",
            "account list --json", "pick",
        ])
    func locale(locale: String, command: String) throws {
        let place = try home()
        let line = "sh -c 'stty cols 40 rows 24; LC_ALL=\(locale) exec keyfob \(command.replacing("'", with: "\""))'"
        let run = try place.onTerminal(line, command == "pick" ? [("bob", "\u{3}")] : [])
        #expect(run.screen.utf8.allSatisfy { $0 < 0x80 }, "\(run)")
        if command.hasSuffix("--json") { #expect(run.screen.contains("\\u65e5\\u672c"), "\(run)") }
        guard ["account list", "which --no-input"].contains(command) else { return }
        #expect(run.screen.contains("bob") && run.screen.contains("??"), "\(run)")
        #expect(try place.run("LC_ALL=\(locale) keyfob account list").text.contains(Self.names[2]))
    }

    @Test("colour tells what is wrong, where there is colour", arguments: ["status", "doctor"])
    func colour(command: String) throws {
        let place = try home()
        let yellow = "\u{1B}[1;33mwarning\u{1B}[0m "
        #expect(try place.onTerminal("keyfob \(command)", []).screen.contains(yellow))
        for plain in [
            "env NO_COLOR=1 keyfob \(command)", "env TERM=dumb keyfob \(command)", "keyfob \(command) --color never",
        ] {
            let screen = try place.onTerminal(plain, []).screen
            #expect(screen.contains("warning ") && !screen.contains("\u{1B}["), "\(plain): \(screen)")
        }
        #expect(try !place.run("keyfob \(command)").text.contains("\u{1B}["))
        #expect(try place.run("keyfob \(command) --color always").text.contains(yellow))
    }

    @Test("the picker keeps to the terminal", arguments: Screen.all)
    func picker(screen: Screen) throws {
        let place = try home()
        let run = try place.onTerminal("keyfob pick", on: screen, [("bob", "\u{3}")])
        #expect(run.status == 15, "\(run)")
        // What is said behind it is on the screen that was there before.
        let rows = Screen.rows(run.screen.split(separator: "\u{1B}[?1049l").first.map(String.init) ?? "")
        #expect(rows.contains { $0.contains("bob") }, "\(run)")
        for row in rows { #expect(DisplayWidth.of(row) <= screen.columns, "\(row)\n\(run.screen)") }
        #expect(screen.isUTF8 || run.screen.utf8.allSatisfy { $0 < 0x80 }, "\(run)")
        let sign = screen.isUTF8 ? "…" : "..."
        for name in Self.names.map(screen.shown) {
            let isShown = rows.contains { row in
                row.contains(name)
                    || row.split(separator: " ").contains {
                        $0.hasSuffix(sign) && name.hasPrefix($0.dropLast(sign.count))
                    }
            }
            #expect(isShown, "\(name), whole or cut with \(sign): \(run)")
        }
    }
}
