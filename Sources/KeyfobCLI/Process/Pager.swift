internal import Keyfob
internal import KeyfobFiles
internal import KeyfobTerminal

/// A command whose results may be longer than the screen, and hold no secret.
protocol PagedCommand {
    /// Whether it only lists; false where it asks, or changes something.
    var isListing: Bool { get }
    var pagerOptions: GlobalOptions { get }
}

/// Shows results that are longer than the screen by a pager, as git does: `KEYFOB_PAGER`, `PAGER`, or less.
enum Pager {
    /// Runs a command; its results are held back until it has ended, so that they are shown as a whole.
    static func run(_ body: () throws -> Void, of command: Any, _ environment: Environment = .current) throws {
        guard let paged = command as? any PagedCommand, paged.isListing, !paged.pagerOptions.noPager,
            !paged.pagerOptions.json, StandardOutput.isTerminal, environment["TERM"] != "dumb",
            let words = words(environment)
        else { return try body() }
        var variables = environment.variables
        if variables["LESS"] == nil { variables["LESS"] = "FRX" }
        guard let pager = WaitingPager(words, variables) else { return try body() }
        StandardOutput.holdBack()
        let outcome = Result { try body() }
        let held = StandardOutput.release()
        if isLonger(held) {
            if !pager.show(held) {
                StandardError.write(line: "keyfob: warning: the pager '\(words)' cannot be run; --no-pager shows all")
                try? StandardOutput.put(held)
            }
        } else {
            pager.end()
            do { try StandardOutput.put(held) } catch { throw KeyringError(error, to: "standard output") }
        }
        try outcome.get()
    }

    /// What is run; nil for none.
    private static func words(_ environment: Environment) -> String? {
        for name in ["KEYFOB_PAGER", "PAGER"] {
            guard let words = environment.variables[name] else { continue }
            return words.isEmpty || words == "cat" ? nil : words
        }
        return SearchPath.program("less") == nil ? nil : "less"
    }

    /// Whether the lines do not fit the screen, with one for the shell's prompt.
    private static func isLonger(_ bytes: [UInt8]) -> Bool {
        guard let rows = StandardOutput.rows else { return false }
        return bytes.count { $0 == UInt8(ascii: "\n") } >= rows
    }
}
