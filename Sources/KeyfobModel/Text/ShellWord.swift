/// A word of a shell's command line.
package enum ShellWord {
    /// The text as one word: as it is where every shell takes it so, else in single quotes.
    package static func quoted(_ text: String) -> String {
        guard !isPlain(text) else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    /// Whether every shell takes the text as it is.
    package static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._-+,:@%=".utf8.contains($0) }
    }
}
