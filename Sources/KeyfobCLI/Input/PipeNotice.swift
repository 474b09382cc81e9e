internal import KeyfobTerminal

/// Tells a person at a terminal what is waited for, where nothing comes through a pipe.
enum PipeNotice {
    /// For a pipe that messages call so; nil where nobody sees it, or wants it.
    static func of(_ name: String) -> (() -> Void)? {
        let words = CommandLine.arguments.prefix { $0 != "--" }
        guard StandardError.isTerminal, !words.contains("-q"), !words.contains("--quiet") else { return nil }
        return { StandardError.write(line: "keyfob: waiting for what comes through \(name)") }
    }

    /// The same for a file that is named, where it is a pipe.
    static func of(file path: String) -> (() -> Void)? { of("the pipe \(path)") }
}
