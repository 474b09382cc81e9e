/// A word of a shell's command line.
package enum ShellWord {
    /// The text as one word: as it is where every shell takes it so, else in single quotes.
    package static func quoted(_ text: String) -> String {
        guard !isPlain(text) else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    /// The same within a command that stands in single quotes in a message: in double quotes where nothing in the text is
    /// special within those.
    package static func inMessage(_ text: String) -> String {
        let isSpecial = text.utf8.contains { "\"$`\\!".utf8.contains($0) }
        return isPlain(text) || isSpecial ? quoted(text) : "\"\(text)\""
    }

    /// Whether every shell takes the text as it is.
    package static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._-+,:@%=".utf8.contains($0) }
    }
}
