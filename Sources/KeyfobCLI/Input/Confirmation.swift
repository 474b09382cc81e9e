internal import Keyfob
internal import KeyfobTerminal

/// A question before something that takes much away.
enum Confirmation {
    /// Asks on the terminal; the answer must be `expected`.
    ///
    /// - Parameter change: What is to be agreed to, for where there is nobody to ask.
    /// - Throws: `cancelled` for another answer, `usage` where there is nobody to ask.
    static func ask(
        _ question: String, _ expected: String, _ global: GlobalOptions, to change: String
    ) throws(KeyringError) {
        let terminal = try terminal(global, otherwise: "--force does it without asking", change)
        guard try terminal.ask(question) == expected else { throw cancelled }
    }

    /// Asks a question that ends with `[y/N]`, after lines that say what it is about.
    ///
    /// - Parameters:
    ///   - change: What is to be agreed to, for where there is nobody to ask; nil where that has been told.
    ///   - hint: What does it without asking, for where there is nobody to ask.
    /// - Throws: `cancelled` where the person does not agree, `usage` where there is nobody to ask.
    static func requireConsent(
        _ question: String, to lines: [String] = [], _ change: String? = nil, otherwise hint: String,
        _ global: GlobalOptions
    ) throws(KeyringError) {
        let terminal = try terminal(global, otherwise: hint, change)
        for line in lines { StandardError.write(line: line) }
        guard try agrees(question, terminal) else { throw cancelled }
    }

    /// The error where a person has thought better of it.
    static var cancelled: KeyringError { KeyringError(.cancelled, "cancelled; nothing was changed") }

    private static func terminal(
        _ global: GlobalOptions, otherwise hint: String, _ change: String? = nil
    ) throws(KeyringError) -> Terminal {
        guard !global.noInput, let terminal = Terminal() else {
            let why = change.map { "\($0), and " } ?? ""
            throw KeyringError(.usage, "nothing was changed: \(why)there is nobody to ask", hint: hint)
        }
        return terminal
    }

    /// Whether the person agrees to a question that ends with `[y/N]`.
    static func agrees(_ question: String, _ terminal: borrowing Terminal) throws(KeyringError) -> Bool {
        ["y", "yes"].contains(try terminal.ask(question).lowercased())
    }
}
