internal import ArgumentParser
internal import Keyfob
internal import KeyfobModel

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
            return error(of: word, behind: path, among: known)
        }
        return error(in: words.dropFirst(), behind: path + [word], command.configuration.subcommands)
    }

    /// What people type who come from other programs, behind the command that they have got right, and what does it.
    static let meanings = [
        "keyfob": [
            "accounts": "keyfob account list", "audit": "keyfob log", "auth": "keyfob login", "aws": "keyfob setup aws",
            "block": "keyfob program deny",
            "change-passphrase": "keyfob passwd", "change-password": "keyfob passwd", "config": "keyfob setup",
            "configure": "keyfob setup", "current": "keyfob whoami", "delete": "keyfob account remove",
            "deny": "keyfob program deny", "direnv": "keyfob setup direnv", "discover": "keyfob import --discover",
            "docker": "keyfob setup docker", "edit": "keyfob account label",
            "forget": "keyfob account remove", "get": "keyfob token", "git": "keyfob setup git",
            "info": "keyfob status", "keys": "keyfob slot list", "kubectl": "keyfob setup kubectl",
            "label": "keyfob account label", "list": "keyfob account list", "logs": "keyfob log",
            "ls": "keyfob account list",
            "move": "keyfob account move", "mv": "keyfob account move", "new": "keyfob init", "npm": "keyfob exec",
            "passphrase": "keyfob passwd", "password": "keyfob passwd", "permissions": "keyfob program list",
            "pip": "keyfob exec", "programs": "keyfob program list", "print": "keyfob token", "pull": "keyfob sync",
            "push": "keyfob sync", "refresh": "keyfob account refresh", "remove": "keyfob account remove",
            "rename": "keyfob account label", "revoke": "keyfob logout", "rm": "keyfob account remove",
            "rotate": "keyfob rekey", "run": "keyfob exec", "select": "keyfob pick", "show": "keyfob account show",
            "sign-in": "keyfob login", "sign-out": "keyfob logout", "signin": "keyfob login",
            "signout": "keyfob logout", "stolen": "keyfob lost", "switch": "keyfob use",
            "tokens": "keyfob account list", "version": "keyfob --version", "whois": "keyfob which",
        ],
        "keyfob account": [
            "add": "keyfob add", "current": "keyfob whoami", "delete": "keyfob account remove",
            "forget": "keyfob account remove", "ls": "keyfob account list", "login": "keyfob login",
            "logout": "keyfob logout", "mv": "keyfob account move", "rename": "keyfob account label",
            "rm": "keyfob account remove", "select": "keyfob pick", "switch": "keyfob use", "use": "keyfob use",
        ],
        "keyfob group": [
            "add": "keyfob group create", "delete": "keyfob group remove", "ls": "keyfob group list",
            "move": "keyfob account move", "mv": "keyfob account move", "new": "keyfob group create",
            "rm": "keyfob group remove",
        ],
        "keyfob slot": [
            "change": "keyfob passwd", "delete": "keyfob slot remove", "ls": "keyfob slot list",
            "passwd": "keyfob passwd", "rm": "keyfob slot remove",
        ],
        "keyfob sync": [
            "add": "keyfob sync approve", "lost": "keyfob lost", "pull": "keyfob sync", "push": "keyfob sync",
            "remove": "keyfob lost", "rm": "keyfob lost", "start": "keyfob sync init",
        ],
    ]

    private static func error(
        of word: String, behind path: [String], among known: [any ParsableCommand.Type]
    ) -> KeyringError {
        let names = known.compactMap { $0.configuration.commandName }
        let command = path.joined(separator: " ")
        if let meant = meanings[command]?[word.lowercased()] {
            return KeyringError(
                .usage, ParserMessage.line("there is no command '\(command) \(word)'"),
                hint: "did you mean '\(meant)'?")
        }
        // What takes something away is meant only where hardly another could be.
        let offered = names.filter { name in
            !["forget", "remove", "revoke", "uninstall"].contains(name)
                || NearestWord.byOneLetter(word, among: [name]) != nil
        }
        var near = NearestWord.all(word, among: offered).map { "'\(command) \($0)'" }
        // One of another level is what is meant where none of this one is near.
        if near.isEmpty { near = lower(word, known, behind: path) }
        let shown = ParserMessage.line("there is no command '\((path + [word]).joined(separator: " "))'")
        return KeyringError(
            .usage, shown,
            hint: near.isEmpty
                ? "'\(command) --help' lists them" : "did you mean \(near.joined(separator: " or "))?")
    }

    /// The commands below these that are called so.
    private static func lower(_ word: String, _ known: [any ParsableCommand.Type], behind path: [String]) -> [String] {
        let found = known.flatMap { command -> [String] in
            let below = command.configuration.subcommands.compactMap { $0.configuration.commandName }
            guard let meant = below.contains(word) ? word : NearestWord.byOneLetter(word, among: below) else {
                return []
            }
            return ["'\((path + [command.configuration.commandName ?? "", meant]).joined(separator: " "))'"]
        }
        return Array(found.prefix(3))
    }
}
