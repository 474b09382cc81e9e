internal import ArgumentParser

/// What `keyfob --help` says, made of the commands' names and abstracts.
///
/// Asked for it, the parser looks at every command's options, which takes as long as all else together. A test compares
/// the text with the parser's own.
enum TopHelp {
    /// The text, of which no line is broken.
    static var text: String {
        let configuration = KeyfobCommand.configuration
        var lines = [
            "OVERVIEW: \(configuration.abstract)", "", configuration.discussion, "", "USAGE: keyfob <subcommand>", "",
            "OPTIONS:", row("--version", "Show the version."), row("-h, --help", "Show help information."),
        ]
        for group in configuration.groupedSubcommands {
            lines += ["", "\(group.name.uppercased()):"]
            lines += group.subcommands.map { row($0._commandName, $0.configuration.abstract) }
        }
        return (lines + ["", "  See \(HelpText.more)"]).joined(separator: "\n")
    }

    /// A word with what it stands for, in the parser's columns.
    private static func row(_ word: String, _ words: String) -> String {
        "  " + word + String(repeating: " ", count: max(1, 24 - word.count)) + words
    }
}
