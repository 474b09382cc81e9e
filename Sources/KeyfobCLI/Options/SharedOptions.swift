internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

/// The options of which the help of each command says only that there are such: `keyfob help options` describes them.
struct SharedOptions: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "options")

    /// What `keyfob help` calls the page.
    static let name = "options"

    /// The line at the end of the help of a command that has them.
    static let pointer =
        "Options of all commands, such as --vault and --json: 'keyfob help options'."

    @OptionGroup(title: "Options of all commands") var global: GlobalOptions
    @OptionGroup(title: "Options of commands that use the network") var network: NetworkOptions

    /// The parser's message with what it does not say of options that it hides.
    static func completed(_ message: String) -> String {
        guard
            let option = try? CommandDescription.sharedOptions().first(where: { option in
                (option.names ?? []).contains { message.contains("'\($0.text)'") }
            }), let name = option.names?.last?.text, option.kind == "option"
        else { return message }
        let whole = message.replacing("'\(name)'", with: "'\(name) <\(option.valueName ?? "value")>'")
        guard let values = option.allValues, let last = values.last, values.count > 1, !message.contains("Please")
        else {
            return whole
        }
        let others = values.dropLast().map { "'\($0)'" }.joined(separator: ", ")
        return whole + (whole.hasSuffix(".") ? "" : ".") + " Please provide one of \(others) or '\(last)'."
    }

    /// The page.
    static func page() -> String {
        let help = helpMessage(columns: HelpText.unbroken).split(separator: "\n", omittingEmptySubsequences: false)
        let options = help.drop { !$0.hasPrefix("OPTIONS OF ") }
        let sections = options.prefix { $0 != "OPTIONS:" }.joined(separator: "\n")
        return HelpText.broken(
            """
            Options that may stand behind every command, and before it too.

            \(sections)
            A passphrase is asked for on the terminal where nothing else unlocks the vault.
            'keyfob man' lists the variables too.

            Example:
              keyfob --vault ~/work-vault status
              keyfob token --account ada@contoso.example --no-input --json
            """)
    }
}

/// The help of commands as people read it.
enum HelpText {
    /// Where there is more help than that of all commands.
    static let more = "'keyfob help <subcommand>' for one, 'keyfob help options' for all."

    /// So many columns that the parser breaks no line.
    static let unbroken = 100_000

    /// What the parser wrote without breaking a line, ``completed(_:)`` and as wide as the terminal is.
    static func finished(_ text: String) -> String {
        text.contains("USAGE: keyfob") ? broken(completed(text)) : text
    }

    /// What the parser wrote, with a line about the options that all commands have, and short titles of groups of commands.
    static func completed(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasSuffix(" SUBCOMMANDS:") ? line.dropLast(" SUBCOMMANDS:".count) + ":" : line
        }
        var finished = lines.joined(separator: "\n")
        while finished.hasSuffix("\n") { finished.removeLast() }
        guard !text.contains("<subcommand>' for detailed help.") else {
            return finished.replacing("'keyfob help <subcommand>' for detailed help.", with: more)
        }
        return finished + "\n\n" + SharedOptions.pointer
    }

    /// The longest that a line of help is on a wide terminal.
    static let widest = 80

    /// The text with lines that fit the terminal, or the columns that the environment says, and are no longer than ``widest``.
    static func broken(_ text: String, _ environment: Environment = .current) -> String {
        let columns = environment["COLUMNS"].flatMap(Int.init) ?? StandardOutput.columns ?? widest
        let text = StandardOutput.isTerminal ? TerminalCharset.shown(text) : text
        return TextWrapping.help(text, to: min(max(20, columns), widest))
    }
}
