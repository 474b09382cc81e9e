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

    /// Whether a row is one word, or one command in quotes, perhaps behind a label: whole, so that it can be copied.
    static func isOnePiece(_ row: String) -> Bool {
        row.contains(/^ *(?:[a-z]+:? +|--[a-z-]+ )?(?:\S+|\(?'[a-z][^;]*'\S*)$/)
    }

    /// Expects rows that have room, signs that the terminal shows, and colour only where there is any.
    @discardableResult
    func expectKept(_ run: TerminalRun, location: SourceLocation = #_sourceLocation) -> [String] {
        expectKept(run.screen, location: location)
    }

    /// The same of what came on the screen.
    @discardableResult
    func expectKept(_ screen: String, location: SourceLocation = #_sourceLocation) -> [String] {
        let rows = Self.rows(screen)
        for row in rows where !Self.isOnePiece(row) {
            #expect(
                DisplayWidth.of(row) <= columns, "\(testDescription): \(row)\n\(screen)", sourceLocation: location)
        }
        #expect(
            isUTF8 || screen.utf8.allSatisfy { $0 < 0x80 }, "\(testDescription): \(screen)", sourceLocation: location)
        #expect(
            isColored || !screen.contains(/\u{1B}\[[1-9][0-9;]*m/), "\(testDescription): \(screen)",
            sourceLocation: location)
        return rows
    }

    /// The words of a text.
    static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0.isNewline }.map(String.init)
    }

    /// What a column has in each line of a table that goes into a pipe.
    static func column(_ name: String, of table: String) -> [String] {
        let lines = table.split(separator: "\n", omittingEmptySubsequences: false)
        guard let header = lines.firstIndex(where: { Self.words(String($0)).contains(name) && !$0.contains(/[a-z]/) }),
            let range = lines[header].range(of: "\\b\(name)\\b", options: .regularExpression)
        else { return [] }
        let start = lines[header].distance(from: lines[header].startIndex, to: range.lowerBound)
        return lines[(header + 1)...].prefix { !$0.isEmpty }.map { line in
            let rest = line.dropFirst(start)
            return String(rest.range(of: "  ").map { rest[..<$0.lowerBound] } ?? rest)
        }
    }

    /// Expects that no word is broken, and that of the columns `whole` each word is there.
    ///
    /// - Parameter full: What the command prints into a pipe.
    func expectWords(
        _ rows: [String], of typed: String, _ full: Outcome, whole: [String],
        location: SourceLocation = #_sourceLocation
    ) {
        let text = shown(full.text + full.errors)
        // A row that has a block of its own begins its lines with the names of columns.
        let known = Set(Self.words(text) + Self.words(text).map { $0.lowercased() })
        let words = rows.flatMap(Self.words)
        for word in words where !known.contains(word) {
            // Seconds go by between the two, and what is cut says so.
            let isOther = word.contains(/^\(?[0-9]+$/) || word.contains("…") || word.contains("...")
            #expect(
                isOther, "\(typed), \(testDescription): '\(word)'\n\(rows.joined(separator: "\n"))",
                sourceLocation: location)
        }
        let there = Set(words)
        for name in whole {
            let cells = Self.column(name, of: full.text)
            #expect(!cells.isEmpty, "no column \(name): \(full)", sourceLocation: location)
            for word in cells.flatMap({ Self.words(shown($0)) }) where word != "-" {
                #expect(
                    there.contains(word),
                    "\(typed), \(testDescription): '\(word)' of \(name)\n\(rows.joined(separator: "\n"))",
                    sourceLocation: location)
            }
        }
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
