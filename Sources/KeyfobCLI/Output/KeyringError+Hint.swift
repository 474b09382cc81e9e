internal import Keyfob

// What the command alone can say, of its options and of files that it writes. The library for C does not have this: what it
// advises is an `Advice`, by a name that is the same at every door.

extension KeyringError {
    /// An error of the command, which says what to do in its own words.
    init(_ code: Code, _ message: String, hint: String?, candidates: [String] = []) {
        self.init(code, message, advice: hint.map(Advice.words), candidates: candidates)
    }

    /// An error of the command about accounts.
    init(_ code: Code, _ message: String, hint: String?, accounts: [Account]) {
        self.init(code, message, advice: hint.map(Advice.words), accounts: accounts)
    }
}
