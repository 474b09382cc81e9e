internal import Keyfob

/// A word of a shell's command line, for commands that a person is advised to run.
enum ShellWord {
    /// The text as one word: as it is where every shell takes it so, else in single quotes.
    static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._-+,:@%=".utf8.contains($0) }
        guard !isPlain else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
