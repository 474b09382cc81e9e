import Foundation
import KeyfobTerminal
import KeyfobTestSupport
import Testing

/// What holds of all that is shown on a terminal, however wide it is.
@Suite("Screens of each size", .waitsForPrograms)
struct ScreenRuleTests {
    /// Commands that list, and the columns that are never cut: what says which row it is, and what comes of it.
    private static let lists: [(typed: String, whole: [String])] = [
        ("account list", ["ACCOUNT", "STATE"]), ("which --url https://github.com/contoso/app", ["ACCOUNT", "VERDICT"]),
        ("bindings", ["SUBJECT", "ACCOUNT"]), ("group list", ["GROUP"]), ("slot list", ["SLOT", "KIND"]),
        ("undo --list", ["ID", "COMMAND", "ACCOUNT", "UNDOING"]), ("history show", ["GROUP"]),
        ("sync status", ["DEVICE", "WORDS", "SHARES"]),
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

    @Test(
        "tables keep to the screen, cut no reason, break no word and leave out what says nothing", arguments: Screen.all
    )
    func tables(screen: Screen) throws {
        let place = try Self.home()
        for (typed, whole) in Self.lists {
            let full = try place.run("keyfob \(typed)")
            let run = try place.onTerminal("keyfob \(typed)", on: screen)
            screen.expectWords(screen.expectKept(run), of: typed, full, whole: whole)
            if ["group list", "history show"].contains(typed) { continue }
            #expect(!run.screen.contains("GROUP"), "there is one group: \(typed)\n\(run.screen)")
        }
    }

    @Test("lines and errors keep to the screen, and errors and help have each word whole", arguments: Screen.all)
    func lines(screen: Screen) throws {
        let place = try Self.home()
        let commands = Self.lines + Self.helps.map { "\($0) --help" } + Self.errors
        for typed in commands {
            let run = try place.onTerminal("keyfob \(typed)", on: screen)
            let rows = screen.expectKept(run)
            guard !Self.lines.contains(typed) else { continue }
            let outcome = try place.run("keyfob \(typed)")
            let shown = Set(rows.flatMap(Screen.words))
            for word in Screen.words(screen.shown(outcome.text + outcome.errors)) {
                #expect(shown.contains(word), "\(typed), \(screen): '\(word)'\n\(run.screen)")
            }
            #expect(run.status == outcome.status, "\(run)")
        }
    }

    private static func undated(_ text: String) -> String { text.replacing(/\([0-9]+ [a-z]+ ago\)/, with: "(ago)") }

    @Test("a pipe is neither wrapped nor coloured, and neither is a terminal that has no colour")
    func pipes() throws {
        let place = try Self.home()
        for typed in Self.lists.map(\.typed) + Self.errors {
            let narrow = try place.run("COLUMNS=40 TERM=xterm-256color keyfob \(typed)")
            let wide = try place.run("TERM=dumb keyfob \(typed)")
            // A second may go by between the two: "2 s ago".
            #expect(Self.undated(narrow.text) == Self.undated(wide.text) && narrow.errors == wide.errors, "\(typed)")
            #expect(!(narrow.text + narrow.errors).contains("\u{1B}"), "\(typed)")
        }
        for typed in Self.lists.map(\.typed) + Self.lines {
            let dumb = try place.onTerminal("env TERM=dumb keyfob \(typed)", [])
            #expect(!dumb.screen.contains("\u{1B}"), "\(dumb)")
        }
    }
}
