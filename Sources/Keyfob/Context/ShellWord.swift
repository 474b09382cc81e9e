/// A word of a shell's command line, for commands that a person is advised to run.
enum ShellWord {
    /// The text as one word: as it is where every shell takes it so, else in single quotes.
    static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "/._-+,:@%=".utf8.contains(byte)
                }
            }
        guard !isPlain else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
