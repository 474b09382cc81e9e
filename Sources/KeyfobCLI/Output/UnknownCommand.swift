internal import ArgumentParser
internal import Keyfob

/// A word in the place of a command that is none.
enum UnknownCommand {
    /// The error for the first such word; nil where all of them are commands.
    ///
    /// - Parameter arguments: The words behind the program's name; those behind `help` are commands too.
    static func error(in arguments: [String]) -> KeyringError? {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        return error(in: words, behind: ["keyfob"], KeyfobCommand.configuration.subcommands)
    }

    private static func error(
        in words: ArraySlice<String>, behind path: [String], _ known: [any ParsableCommand.Type]
    ) -> KeyringError? {
        // What stands behind an option may be its value.
        guard !known.isEmpty, let word = words.first, !word.hasPrefix("-") else { return nil }
        guard let command = known.first(where: { $0.configuration.commandName == word }) else {
            return error(of: word, behind: path, among: known.compactMap { $0.configuration.commandName })
        }
        return error(in: words.dropFirst(), behind: path + [word], command.configuration.subcommands)
    }

    /// What people type who come from other programs.
    private static let meanings = [
        "version": "keyfob --version", "list": "keyfob account list", "ls": "keyfob account list",
        "accounts": "keyfob account list", "rm": "keyfob account remove", "remove": "keyfob account remove",
        "delete": "keyfob account remove", "signin": "keyfob login", "sign-in": "keyfob login", "auth": "keyfob login",
        "signout": "keyfob logout", "sign-out": "keyfob logout", "switch": "keyfob use", "get": "keyfob token",
        "print": "keyfob token", "undo": "keyfob backup --list",
    ]

    private static func error(of word: String, behind path: [String], among names: [String]) -> KeyringError {
        let command = path.joined(separator: " ")
        if let meant = meanings[word], path == ["keyfob"] {
            return KeyringError(
                .usage, ParserMessage.line("there is no command 'keyfob \(word)'"), hint: "did you mean '\(meant)'?")
        }
        let near = names.map { (distance(word, $0), $0) }.filter { $0.0 <= max(1, word.count / 3) }.min { $0 < $1 }
        let shown = ParserMessage.line("there is no command '\((path + [word]).joined(separator: " "))'")
        return KeyringError(
            .usage, shown, hint: near.map { "did you mean '\(command) \($0.1)'?" } ?? "'\(command) --help' lists them")
    }

    /// How many letters are to be added, left out, replaced or swapped with the next to make one word of another (the
    /// Damerau-Levenshtein distance); as many as the longer one has where a word is no command's by its length.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count <= 32 else { return left.count }
        var (beforeLast, last) = ([Int](), Array(0...right.count))
        for (row, letter) in left.enumerated() {
            var line = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, line[column] + 1)
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                line.append(best)
            }
            (beforeLast, last) = (last, line)
        }
        return last[right.count]
    }
}
