import Foundation
import KeyfobTerminal
import Testing

/// A terminal as people have one: so many columns, with or without colour, in a locale.
struct Screen: CustomTestStringConvertible, Sendable {
    /// The variables of a locale, in the form of env(1); the others are unset.
    enum Locale: String, CaseIterable {
        case utf8 = "LC_ALL=C.UTF-8"
        case ascii = "LC_ALL=C"
        /// As an old login sets it, and nothing else.
        case german = "LANG=de_DE"

        /// The same as variables.
        var variables: [String: String] {
            let parts = rawValue.split(separator: "=").map(String.init)
            return ["LC_ALL": "", "LC_CTYPE": "", "LANG": ""].merging([parts[0]: parts[1]]) { $1 }
        }
    }

    let columns: Int
    let isColored: Bool
    let locale: Locale

    /// Each width with and without colour, each locale with both.
    static let all: [Screen] = [
        Screen(columns: 40, isColored: false, locale: .utf8), Screen(columns: 40, isColored: true, locale: .ascii),
        Screen(columns: 80, isColored: true, locale: .utf8), Screen(columns: 80, isColored: false, locale: .german),
        Screen(columns: 120, isColored: false, locale: .ascii), Screen(columns: 120, isColored: true, locale: .german),
    ]

    var isUTF8: Bool { TerminalCharset.isUTF8(locale.variables) }

    var testDescription: String { "\(columns) columns, \(isColored ? "colour" : "no colour"), \(locale.rawValue)" }

    /// A name as it stands there.
    func shown(_ name: String) -> String { TerminalCharset.shown(name, isUTF8: isUTF8) }

    /// A line of the shell on this terminal.
    func line(_ command: String) -> String {
        """
        stty cols \(columns) rows 24
        unset LC_ALL LC_CTYPE LANG NO_COLOR
        export TERM=xterm-256color \(locale.rawValue) \(isColored ? "" : "NO_COLOR=1")
        \(command)

        """
    }

    /// The rows of what came, without what moves the cursor or colours.
    static func rows(_ screen: String) -> [String] {
        let placed = screen.replacing(/\u{1B}\[[0-9]+;1H/, with: "\n")
        let plain = placed.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "").replacing("\r\n", with: "\n")
        return plain.split(separator: "\n", omittingEmptySubsequences: false).map {
            String($0.replacing("\r", with: ""))
        }
    }

    /// Expects rows that have room, signs that the terminal shows, and colour only where there is any.
    @discardableResult
    func expectKept(_ run: TerminalRun, location: SourceLocation = #_sourceLocation) -> [String] {
        let rows = Self.rows(run.screen)
        // An id is whole, so that it can be copied.
        for row in rows where !row.contains(/^(id|words) +\S+$/) {
            #expect(
                DisplayWidth.of(row) <= columns, "\(testDescription): \(row)\n\(run.screen)", sourceLocation: location)
        }
        #expect(
            isUTF8 || run.screen.utf8.allSatisfy { $0 < 0x80 }, "\(testDescription): \(run)", sourceLocation: location)
        #expect(
            isColored || !run.screen.contains(/\u{1B}\[[0-9;]*m/), "\(testDescription): \(run)",
            sourceLocation: location)
        return rows
    }
}

extension Workplace {
    /// Runs a line of the shell on a terminal of that kind.
    func onTerminal(
        _ command: String, on screen: Screen, _ steps: [(waitFor: String, type: String)] = []
    ) throws -> TerminalRun {
        let script = "io/\(UUID().uuidString).sh"
        try write(script, screen.line(command))
        return try onTerminal("sh \(script)", steps)
    }
}
