import Foundation
import KeyfobTerminal
import KeyfobTestSupport
import Testing

/// What holds of all that is shown on a terminal, however wide it is.
@Suite("Screens of each size", .waitsForPrograms)
struct ScreenRuleTests {
    /// Commands that list, and the column that is never cut.
    private static let lists: [(typed: String, whole: String?)] = [
        ("account list", "STATE"), ("which --url https://github.com/contoso/app", "VERDICT"), ("bindings", nil),
        ("group list", nil), ("slot list", nil), ("undo --list", nil), ("history show", nil), ("sync status", "WORDS"),
    ]
    /// Commands that print lines, of which a terminal gets each word.
    private static let lines = ["whoami", "status", "doctor"]
    private static let errors = [
        "password", "account use ada", "token --account nobody", "token --account ada --scope repo --frobnicate",
        "slot remove ffff",
        "init", "bind --tool git nobody", "restore nofile --force", "login nosuch", "account move ada --to nogroup",
    ]
    private static let helps = [
        "token", "which", "passwd", "lost", "uninstall", "account list", "sync", "login", "exec", "backup",
    ]

    private static func home() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: 3).json())
        try place.run(
            """
            keyfob import -q cache.json > out
            for name in ada ada-contoso; do
                echo t | keyfob add -q --account $name --host github.com --scope repo --label label-of-$name
            done
            echo t | keyfob add -q --account gone --host git.example && keyfob account remove -q gone --force
            keyfob bind -q --url https://github.com/contoso ada-contoso && keyfob use -q ada
            keyfob sync init -q remote --name laptop
            """
        ).expectSuccess()
        return place
    }

    private static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0.isNewline }.map(String.init)
    }

    /// Whether a word of the screen is one of the text, or a part of one that is longer than a line, or says that it was cut.
    private static func isWhole(_ word: String, of known: Set<String>, _ screen: Screen) -> Bool {
        // Seconds go by between the two.
        if known.contains(word) || word.contains(/^\([0-9]+$/) || word.contains("…") || word.contains("...") {
            return true
        }
        return known.contains { DisplayWidth.of($0) > screen.columns / 2 && $0.contains(word) }
    }

    /// What a column has in each line of a table.
    private static func column(_ name: String, of table: String) -> [String] {
        let lines = table.split(separator: "\n", omittingEmptySubsequences: false)
        guard let header = lines.firstIndex(where: { $0.contains(name) }), let range = lines[header].range(of: name)
        else { return [] }
        let start = lines[header].distance(from: lines[header].startIndex, to: range.lowerBound)
        return lines[(header + 1)...].prefix { !$0.isEmpty }.map { line in
            let rest = line.dropFirst(start)
            return String(rest.range(of: "  ").map { rest[..<$0.lowerBound] } ?? rest)
        }
    }

    @Test(
        "tables keep to the screen, cut no reason, break no word and leave out what says nothing", arguments: Screen.all
    )
    func tables(screen: Screen) throws {
        let place = try Self.home()
        for (typed, whole) in Self.lists {
            let full = try place.run("keyfob \(typed)").text
            let run = try place.onTerminal("keyfob \(typed)", on: screen)
            let rows = screen.expectKept(run)
            let (known, shown) = (Set(Self.words(screen.shown(full))), rows.flatMap(Self.words))
            for word in shown {
                #expect(Self.isWhole(word, of: known, screen), "\(typed), \(screen): '\(word)'\n\(run.screen)\n\(full)")
            }
            for cell in whole.map({ Self.column($0, of: full) }) ?? [] {
                for word in Self.words(screen.shown(cell)) where DisplayWidth.of(word) <= screen.columns / 2 {
                    #expect(shown.contains(word), "\(typed), \(screen): '\(word)'\n\(run.screen)")
                }
            }
            if ["group list", "history show"].contains(typed) { continue }
            #expect(!run.screen.contains("GROUP"), "there is one group: \(typed)\n\(run.screen)")
        }
    }

    @Test("lines keep to the screen, and help has each word whole too", arguments: Screen.all)
    func lines(screen: Screen) throws {
        let place = try Self.home()
        let commands = Self.lines + Self.helps.map { "\($0) --help" }
        for typed in commands {
            let run = try place.onTerminal("keyfob \(typed)", on: screen)
            let rows = screen.expectKept(run)
            guard !Self.lines.contains(typed) else { continue }
            let outcome = try place.run("keyfob \(typed)")
            let full = outcome.text + outcome.errors
            let shown = Set(rows.flatMap(Self.words))
            for word in Self.words(screen.shown(full)) where DisplayWidth.of(word) <= screen.columns / 2 {
                #expect(shown.contains(word), "\(typed), \(screen): '\(word)'\n\(run.screen)")
            }
            #expect(run.status == outcome.status, "\(run)")
        }
    }

    @Test("a pipe is neither wrapped nor coloured, and neither is a terminal that has no colour")
    func pipes() throws {
        let place = try Self.home()
        for typed in Self.lists.map(\.typed) + Self.errors {
            let narrow = try place.run("COLUMNS=40 TERM=xterm-256color keyfob \(typed)")
            let wide = try place.run("TERM=dumb keyfob \(typed)")
            #expect(narrow.text == wide.text && narrow.errors == wide.errors, "\(typed)")
            #expect(!(narrow.text + narrow.errors).contains("\u{1B}"), "\(typed)")
        }
        for typed in Self.lists.map(\.typed) + Self.lines {
            let dumb = try place.onTerminal("env TERM=dumb keyfob \(typed)", [])
            #expect(!dumb.screen.contains("\u{1B}"), "\(dumb)")
        }
    }
}
