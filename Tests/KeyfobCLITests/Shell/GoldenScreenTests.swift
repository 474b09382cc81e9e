import Foundation
import KeyfobTerminal
import KeyfobTestSupport
import Testing

/// What a person with long names sees of the main commands: as it stands in `Screens/COLUMNS.txt`.
///
/// With `KEYFOB_WRITE_SCREENS=1` these files are written anew; read the difference before you keep it. The rules hold for
/// whatever stands there.
@Suite("Screens as they are written down", .waitsForPrograms)
struct GoldenScreenTests {
    /// User names, hosts and labels.
    private static let accounts = [
        ("ada.lovelace@contoso-engineering.example", "github.com", "Contoso engineering, production"),
        ("ada.lovelace@fabrikam.example", "github.com", "Fabrikam lab"),
        ("deployment-robot@contoso-engineering.example", "gitlab.com", ""),
        ("charles.babbage@analytical-engines.example", "git.example", ""),
        ("grace.hopper@navy.example", "git.example", "Navy"), ("ada@x.example", "git.example", ""),
    ]
    private static let commands = [
        "keyfob", "keyfob status", "keyfob doctor", "keyfob account list", "keyfob which",
        "keyfob which --url https://github.com/fabrikam/app", "keyfob bindings", "keyfob group list", "keyfob log",
        "keyfob undo --list", "keyfob program list",
    ]
    private static let failures = [
        "keyfob token --no-input", "keyfob token --account nobody",
        "keyfob account move grace.hopper@navy.example --to engineering",
        "keyfob token --account ada@x.example --frobnicate", "keyfob init",
    ]
    /// Columns that say which row it is, and what comes of it.
    private static let whole: [String: [String]] = [
        "keyfob account list": ["ACCOUNT", "STATE"], "keyfob which": ["ACCOUNT", "VERDICT"],
        "keyfob which --url https://github.com/fabrikam/app": ["ACCOUNT", "VERDICT"],
        "keyfob bindings": ["SUBJECT", "ACCOUNT"], "keyfob group list": ["GROUP"],
        "keyfob log": ["ACCOUNT", "TOOL", "WHERE"], "keyfob undo --list": ["ID", "COMMAND", "ACCOUNT", "UNDOING"],
        "keyfob program list": ["PROGRAM", "MAY", "ACCOUNT"], "keyfob sync status": ["DEVICE", "WORDS", "SHARES"],
    ]
    /// As long as the path of the home, and what stands for it.
    private static let home = "/home/ada.lovelace"

    private static func place() throws -> Workplace {
        let place = try Workplace(
            keyFile: "key", in: ScratchFolder(letters: home.utf8.count - "/tmp/".utf8.count))
        try place.makeKey("key")
        let adding = accounts.map { name, host, label in
            "echo t | keyfob add -q --account \(name) --host \(host) \(label.isEmpty ? "" : "--label '\(label)'")"
        }
        try place.run(
            """
            keyfob init --quiet --recovery-file recovery
            \(adding.joined(separator: "\n"))
            mkdir -p work/contoso/app && cp /bin/true work/nightly-report && chmod 700 work/nightly-report
            keyfob bind -q --directory work/contoso ada.lovelace@contoso-engineering.example
            keyfob bind -q --url https://github.com/fabrikam ada.lovelace@fabrikam.example
            keyfob bind -q --tool kubectl deployment-robot@contoso-engineering.example
            keyfob account label -q grace.hopper@navy.example 'Navy, reserve'
            keyfob group create -q work-of-the-consultancy
            (cd work/contoso/app; keyfob token > ../out); keyfob token --account grace.hopper@navy.example > out
            keyfob program allow -q "$PWD/work/nightly-report" --account grace.hopper@navy.example
            """
        ).expectSuccess()
        return place
    }

    /// What each command prints in one session of a terminal.
    private static func shown(
        _ place: Workplace, _ commands: [String], on screen: Screen
    ) throws -> [(command: String, screen: String)] {
        let lines = commands.map { "printf '\\001%s\\n' \"\($0)\"; \($0)" }
        let run = try place.onTerminal(lines.joined(separator: "\n"), on: screen)
        return run.screen.split(separator: "\u{1}").map { part in
            let (command, rest) = part.split(separator: "\r\n", maxSplits: 1, omittingEmptySubsequences: false)
                .reduce(into: ("", "")) { $0 = $0.0.isEmpty ? (String($1), "") : ($0.0, String($1)) }
            return (command, rest)
        }
    }

    /// The first screen of the picker.
    private static func picker(_ place: Workplace, on screen: Screen) throws -> String {
        let run = try place.onTerminal("keyfob pick > out 2> err", on: screen, [("Enter choose", "\u{1B}")])
        return run.screen.split(separator: "\u{1B}[?1049l").first.map(String.init) ?? run.screen
    }

    /// The text with what is another one each time replaced, and without what the machine says of itself.
    private static func written(_ rows: [String], _ place: Workplace) -> String {
        var kept: [String] = []
        var isLeftOut = false
        for row in rows {
            if row.contains(/^(?:ok|warning|failure) +(?:memory|confinement|session keyring|user keyring|git)\b/) {
                isLeftOut = true
            } else if !row.hasPrefix("        ") {
                isLeftOut = row.hasPrefix("synced ")
            }
            if !isLeftOut { kept.append(row) }
        }
        // With colour, what is chosen is filled up to the edge.
        kept = kept.map { row in String(row.reversed().drop { $0 == " " }.reversed()) }
        while kept.last?.isEmpty == true { kept.removeLast() }
        return kept.joined(separator: "\n").replacing(place.path, with: home)
            .replacing(/\b(?:[a-z]{5}-){5}[a-z]{5}\b/, with: "vocah-bufim-sagor-hodil-pemat-zibup")
            .replacing(/\b[0-9a-f]{32}\b/, with: "0123456789abcdef0123456789abcdef")
            .replacing(/\b[0-9a-f]{8}\b/, with: "01234567")
            .replacing(/\b\d{4}-\d\d-\d\d \d\d:\d\d\b/, with: "2026-03-04 05:06")
    }

    @Test("they are these, with and without colour, and keep the rules", arguments: [40, 80, 120])
    func screens(columns: Int) throws {
        let place = try Self.place()
        let syncing = try Self.place()
        try syncing.run("mkdir remote && keyfob sync init -q remote --name ada-laptop-at-the-office").expectSuccess()
        var texts: [String] = []
        for isColored in [false, true] {
            let screen = Screen(columns: columns, isColored: isColored, locale: .utf8)
            var text = ""
            for (home, commands) in [(place, Self.commands + Self.failures), (syncing, ["keyfob sync status"])] {
                let sections = try Self.shown(home, commands, on: screen)
                #expect(sections.map(\.command) == commands)
                for (command, printed) in sections {
                    let rows = screen.expectKept(printed)
                    #expect(isColored || !printed.contains("\u{1B}"), "\(command): \(printed)")
                    // Elsewhere than on a terminal that is the help.
                    if command == "keyfob" {
                        text += "$ \(command)\n\(Self.written(rows, home))\n\n"
                        continue
                    }
                    let full = try home.run(command)
                    screen.expectWords(rows, of: command, full, whole: Self.whole[command] ?? [])
                    text += "$ \(command)\n\(Self.written(rows, home))\n\n"
                }
            }
            let picked = try Self.picker(place, on: screen)
            let rows = screen.expectKept(picked)
            for (name, _, label) in Self.accounts where label.isEmpty && DisplayWidth.of(name) + 2 <= columns {
                #expect(rows.contains { $0.contains(name) }, "\(name)\n\(rows)")
            }
            texts.append(text + "$ keyfob pick\n\(Self.written(rows, place))\n")
        }
        #expect(texts[0] == texts[1], "colour changes more than looks")
        let file = ProjectFolder.tests.appending(path: "Screens/\(columns).txt")
        if ProcessInfo.processInfo.environment["KEYFOB_WRITE_SCREENS"] == "1" {
            try Data(texts[0].utf8).write(to: file)
        }
        let wanted = try String(contentsOf: file, encoding: .utf8)
        let (lines, others) = (texts[0].split(separator: "\n"), wanted.split(separator: "\n"))
        let first = zip(lines, others).first { $0 != $1 }
        #expect(
            texts[0] == wanted,
            "'\(first?.0 ?? "")' in place of '\(first?.1 ?? "")'; KEYFOB_WRITE_SCREENS=1 writes it anew\n\(texts[0])")
    }
}
