internal import Keyfob
internal import KeyfobTerminal

/// A question before something that takes much away.
enum Confirmation {
    /// Asks on the terminal; the answer must be `expected`.
    ///
    /// - Throws: `cancelled` for another answer, `usage` where there is nobody to ask.
    static func ask(_ question: String, _ expected: String, _ global: GlobalOptions) throws(KeyringError) {
        guard !global.noInput, let terminal = Terminal() else {
            throw KeyringError(
                .usage, "nothing was changed: there is nobody to ask", hint: "--force does it without asking")
        }
        guard try terminal.ask(question) == expected else {
            throw KeyringError(.cancelled, "cancelled; nothing was changed")
        }
    }

    /// Whether the person agrees to a question that ends with `[y/N]`.
    static func agrees(_ question: String, _ terminal: borrowing Terminal) throws(KeyringError) -> Bool {
        ["y", "yes"].contains(try terminal.ask(question).lowercased())
    }
}
