internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

/// What may stand at the end of an unfinished command line.
struct CompletionAnswer {
    /// The first argument with which shells ask.
    static let argument = "---complete"

    private typealias Argument = CommandDescription.Argument

    /// What the shell offers.
    private enum Offer {
        case files, folders, commands
        /// Words, each with what it means where that helps.
        case words([(word: String, meaning: String?)])
    }

    private let offer: Offer

    /// Lines for the shell: first `files`, `folders`, `commands` or `words`, then the words, with a tab before what they mean.
    var text: String {
        switch offer {
        case .files: "files\n"
        case .folders: "folders\n"
        case .commands: "commands\n"
        case .words(let words):
            "words\n"
                + words.map { $0.word + ($0.meaning.map { "\t" + TerminalText.line($0) } ?? "") + "\n" }.joined()
        }
    }

    /// - Parameter arguments: `line` and the line as far as the cursor, or `words` and the words behind the program's name.
    init?(_ arguments: ArraySlice<String>) {
        guard let form = arguments.first else { return nil }
        let words =
            form == "line" ? CommandLineWords.split(arguments.dropFirst().first ?? "") : Array(arguments.dropFirst())
        guard let last = words.last else { return nil }
        var line = UnfinishedLine()
        for word in words.dropLast() { line.take(word) }
        offer = Self.filtered(Self.offer(at: line, last), last)
    }

    /// Those that begin as the word does, each once, and none with which a line would be another.
    private static func filtered(_ offer: Offer, _ word: String) -> Offer {
        guard case .words(let words) = offer else { return offer }
        var seen: Set<String> = []
        return .words(
            words.filter { candidate in
                candidate.word.hasPrefix(word) && TerminalText.line(candidate.word) == candidate.word
                    && seen.insert(candidate.word).inserted
            })
    }

    private static func offer(at line: UnfinishedLine, _ word: String) -> Offer {
        if line.isForProgram { return line.positionals == 0 ? .commands : .files }
        if let option = line.option { return values(of: option, in: line) }
        if !line.isBehindTerminator, word.hasPrefix("-") {
            guard let equals = word.firstIndex(of: "=") else { return .words(options(of: line)) }
            let name = String(word[..<equals])
            guard let option = line.argument(called: name), case .words(let words) = values(of: option, in: line) else {
                return .words([])
            }
            return .words(words.map { (name + "=" + $0.word, $0.meaning) })
        }
        if line.isAboutCommands || !line.subcommands.isEmpty { return .words(line.commandNames) }
        let places = line.arguments.filter { $0.kind == "positional" }
        guard let last = places.last else { return .words([]) }
        let place = line.positionals < places.count ? places[line.positionals] : last
        guard line.positionals < places.count || last.isRepeating else { return .words([]) }
        return values(of: place, in: line)
    }

    /// The options that may follow: of those that stand there already, only what may be said again.
    private static func options(of line: UnfinishedLine) -> [(word: String, meaning: String?)] {
        let known = line.subcommands.isEmpty || line.isAboutCommands ? line.arguments : UnfinishedLine.shared
        return known.flatMap { argument -> [(word: String, meaning: String?)] in
            let names = (argument.names ?? []).map(\.text)
            let isSaid = names.contains { line.said[$0] != nil }
            guard argument.isRepeating || !isSaid else { return [] }
            return names.filter { $0.hasPrefix("--") }.map { ($0, argument.abstract) }
        } + (line.path.count == 1 && !line.isAboutCommands ? [("--help", nil), ("--version", nil)] : [("--help", nil)])
    }

    /// What an argument may be.
    private static func values(of argument: CommandDescription.Argument, in line: UnfinishedLine) -> Offer {
        if let values = argument.allValues, !values.isEmpty { return .words(values.map { ($0, nil) }) }
        switch argument.valueName {
        case "file", "files": return .files
        case "dir", "folder": return .folders
        case "program" where argument.kind == "positional": return .commands
        default: break
        }
        guard let kind = CompletionValues.Kind(argument, line) else { return .words([]) }
        return .words(CompletionValues(line).words(kind).map { ($0.word, $0.meaning) })
    }
}

/// What stands before the word that is being typed.
struct UnfinishedLine {
    /// The commands from the root on.
    private(set) var path: [any ParsableCommand.Type] = [KeyfobCommand.self]
    /// The options and arguments of the command, described once they are needed.
    private(set) var arguments: [CommandDescription.Argument] = []
    /// How many positional arguments stand there; behind a program's name, how many words.
    private(set) var positionals = 0
    /// The option whose value comes next.
    private(set) var option: CommandDescription.Argument?
    /// Whether `--` stands there.
    private(set) var isBehindTerminator = false
    /// The options that stand there, with their last value.
    private(set) var said: [String: String] = [:]
    /// Whether what follows names the command that help, or a page of the manual, is about.
    private(set) var isAboutCommands = false
    private var isForHelp = false
    private var optionName = ""

    /// The words of the command, without the program's name.
    var words: [String] { path.dropFirst().compactMap { $0.configuration.commandName } }

    /// The words that may follow in the place of a command, and what they mean.
    var commandNames: [(word: String, meaning: String?)] {
        guard positionals == 0 else { return [] }
        let names = subcommands.compactMap { type in
            type.configuration.commandName.map { (word: $0, meaning: Optional(type.configuration.abstract)) }
        }
        guard path.count == 1 else { return names }
        return names
            + (isAboutCommands
                ? isForHelp ? [(SharedOptions.name, "Options of all commands.")] : []
                : [("help", "Show how a command is used.")])
    }

    /// The commands that may follow.
    var subcommands: [any ParsableCommand.Type] { path.last?.configuration.subcommands ?? [] }

    /// Whether the word is the name of a program that is run, or for it.
    var isForProgram: Bool { isBehindTerminator && words == [ExecCommand.name] }

    /// Takes a finished word in.
    mutating func take(_ word: String) {
        if option != nil {
            said[optionName] = word
            option = nil
        } else if isBehindTerminator {
            positionals += 1
        } else if word == "--" {
            isBehindTerminator = true
        } else if word.hasPrefix("-"), word.count > 1 {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            optionName = parts[0]
            said[parts[0]] = parts.count > 1 ? parts[1] : ""
            // Of those that stand before the command, its own are not known yet.
            if parts.count == 1, let found = argument(called: word), found.kind == "option" { option = found }
        } else if path.count == 1, positionals == 0, !isAboutCommands, ["help", ManCommand.name].contains(word) {
            (isAboutCommands, isForHelp) = (true, word == "help")
            if !isForHelp { arguments = (try? CommandDescription(of: ManCommand.self))?.arguments ?? [] }
        } else if positionals == 0, let next = subcommands.first(where: { $0.configuration.commandName == word }) {
            path.append(next)
            if subcommands.isEmpty, !isAboutCommands {
                arguments = (try? CommandDescription(of: next))?.arguments ?? []
            }
        } else {
            positionals += 1
        }
    }

    /// The argument that an option's name stands for.
    func argument(called name: String) -> CommandDescription.Argument? {
        let known = path.count == 1 && !isAboutCommands ? Self.shared : arguments
        return known.first { ($0.names ?? []).contains { $0.text == name } }
    }

    /// The options that every command has.
    static var shared: [CommandDescription.Argument] { (try? CommandDescription.sharedOptions()) ?? [] }

    /// The last value of the option of one of these names.
    func value(_ names: String...) -> String? { names.lazy.compactMap { said[$0] }.first }
}
