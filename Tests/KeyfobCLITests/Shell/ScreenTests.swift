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

    /// The rows of a screen, without what moves the cursor or colours.
    private func rows(_ screen: String) -> [String] {
        let placed = screen.replacing(/\u{1B}\[[0-9]+;1H/, with: "\n")
        let plain = placed.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "").replacing("\r\n", with: "\n")
        return plain.split(separator: "\n", omittingEmptySubsequences: false).map {
            String($0.replacing("\r", with: ""))
        }
    }

    @Test(
        "no row is longer than the terminal is wide, and what is cut ends with …",
        arguments: [
            "account list", "status", "which --no-input", "doctor", "whoami --account bob",
        ],
        [80, 40, 20])
    func lists(command: String, columns: Int) throws {
        let place = try home()
        let run = try place.onTerminal("sh -c 'stty cols \(columns) rows 24; exec keyfob \(command) 2> errors'", [])
        let rows = rows(run.screen)
        #expect(rows.count > 3, "\(run)")
        for row in rows { #expect(DisplayWidth.of(row) <= columns, "\(columns): \(row)\n\(run.screen)") }
        guard command.hasPrefix("account list") || command.hasPrefix("which") else { return }
        for name in Self.names {
            let isWhole = rows.contains { $0.contains(name) }
            if columns >= 40, DisplayWidth.of(name) <= 18 { #expect(isWhole, "\(name): \(run.screen)") }
            let isCut = rows.contains { row in
                row.split(separator: " ").contains { $0.hasSuffix("…") && name.hasPrefix($0.dropLast()) }
            }
            #expect(isWhole || isCut, "\(name): \(run.screen)")
        }
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
        for row in rows(run.screen) { #expect(DisplayWidth.of(row) <= columns, "\(columns): \(row)\n\(run.screen)") }
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

    @Test("the picker keeps to the terminal", arguments: [80, 40])
    func picker(columns: Int) throws {
        let place = try home()
        let run = try place.onTerminal(
            "sh -c 'stty cols \(columns) rows 24; exec keyfob pick'", [("bob", "\u{3}")])
        #expect(run.status == 15, "\(run)")
        // What is said behind it is on the screen that was there before.
        let rows = rows(run.screen.split(separator: "\u{1B}[?1049l").first.map(String.init) ?? "")
        #expect(rows.contains { $0.contains("bob") }, "\(run)")
        for row in rows { #expect(DisplayWidth.of(row) <= columns, "\(columns): \(row)\n\(run.screen)") }
        for name in Self.names {
            let isShown = rows.contains { row in
                row.contains(name)
                    || row.split(separator: " ").contains { $0.hasSuffix("…") && name.hasPrefix($0.dropLast()) }
            }
            #expect(isShown, "\(name), whole or cut with …: \(run)")
        }
    }
}
