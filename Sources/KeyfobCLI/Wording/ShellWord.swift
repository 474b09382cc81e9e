internal import Keyfob

/// A word of a shell's command line, for commands that a person is advised to run.
enum ShellWord {
    /// The text as one word: as it is where every shell takes it so, else in quotes.
    ///
    /// Double quotes where nothing within them is special in any shell, because commands in messages stand in single
    /// ones.
    static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    ? UInt8(ascii: scalar).isASCIIAlphanumeric || "/._-+,:@%=".unicodeScalars.contains(scalar)
                    : scalar.properties.isAlphabetic
            }
        guard !isPlain else { return text }
        guard text.utf8.contains(where: { "\"$`\\!".utf8.contains($0) }) else { return "\"\(text)\"" }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
