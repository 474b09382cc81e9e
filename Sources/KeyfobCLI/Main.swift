internal import ArgumentParser
internal import Glibc
internal import Keyfob
internal import KeyfobConfinement
internal import KeyfobLookup
internal import KeyfobTerminal

@main
enum Main {
    static func main() {
        let words = CommandLine.arguments
        let typed = (words.first.flatMap(ToolCall.init(path:))?.words ?? []) + words.dropFirst()
        // What a library starts has nothing to be moved, and is waited for.
        let arguments = typed == [RefreshProgram.argument] ? typed : LeadingOptions.moved(typed)
        // What is to become another program has limits and signals that are the other's, and no keys.
        if arguments.first == ExecCommand.name {
            ProcessHardening.applyNotInherited()
        } else {
            ProcessHardening.apply()
        }
        if let refusal = ProcessLimits.full.refusal {
            StandardError.write(line: "keyfob: \(refusal)")
            exit(with: .init(.unavailable))
        }
        SecretServiceOptions.silenceLibraries()
        exit(with: run(arguments))
    }

    /// Runs one command line and tells of its error.
    private static func run(_ arguments: [String]) -> ExitStatus {
        // What stands behind is for another program.
        let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
        do {
            if arguments.first == CompletionAnswer.argument {
                if let answer = CompletionAnswer(arguments.dropFirst()) { try StandardOutput.write(data: answer.text) }
                return .done
            }
            if arguments == [RefreshProgram.argument] { try RefreshProcess.serveLibrary() }
            if arguments.isEmpty, StandardOutput.isTerminal {
                let global = try GlobalOptions.parse([])
                try Overview(global).show(global)
                return .done
            }
            if let text = plainAnswer(to: arguments) {
                try StandardOutput.write(lines: text + "\n")
                return .done
            }
            if arguments.first == "help", let error = UnknownCommand.error(in: arguments) { throw error }
            if let error = UnreadableWord.error(in: CommandLine.arguments) { throw error }
            var command = try PlainLine.command(arguments) ?? parsed(arguments)
            try Pager.run({ try command.run() }, of: command)
            return .done
        } catch let error as KeyringError {
            // Who does not read on is not told that there was more.
            if error.message != StandardOutput.readerLeft {
                ErrorOutput.tell(VariableText.naming(error, of: arguments), isJSON: isJSON)
            }
            return ExitStatus(error.code)
        } catch let error as ReportedFailure {
            return error.status
        } catch {
            return tell(error, of: arguments, isJSON: isJSON)
        }
    }

    /// The command with its options, each once that is taken once.
    private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        let command = try CommandPath(of: arguments).parsed(arguments)
        if let error = RepeatedOption.error(in: arguments) { throw error }
        return command
    }

    /// What is answered without the parser, which looks at every command's options and takes longer than all else.
    private static func plainAnswer(to arguments: [String]) -> String? {
        switch arguments {
        case [], ["--help"], ["-h"], ["help"]: HelpText.broken(TopHelp.text)
        case ["help", SharedOptions.name]: SharedOptions.page()
        case ["help", ExitStatus.pageName]: ExitStatus.page()
        case ["--version"]: Release.version
        default: nil
        }
    }

    /// Help and version are no errors; the rest is about how the command was typed.
    private static func tell(_ error: any Error, of arguments: [String], isJSON: Bool) -> ExitStatus {
        guard KeyfobCommand.exitCode(for: error) != .success else {
            do {
                try StandardOutput.write(
                    lines: HelpText.finished(KeyfobCommand.fullMessage(for: error, columns: HelpText.unbroken)) + "\n")
                return .done
            } catch {
                ErrorOutput.tell(error, isJSON: isJSON)
                return ExitStatus(error.code)
            }
        }
        if let error = UnreadableWord.control(in: arguments) {
            ErrorOutput.tell(error, isJSON: isJSON)
            return .usage
        }
        if let unknown = UnknownCommand.error(in: arguments) {
            ErrorOutput.tell(unknown, isJSON: isJSON)
            return .usage
        }
        if LeadingOptions.lackCommand(arguments) {
            ErrorOutput.tell(
                KeyringError(.usage, "there is no command behind \(arguments[0])", hint: "see 'keyfob --help'"),
                isJSON: isJSON)
            return .usage
        }
        let message = ParserMessage.line(SharedOptions.completed(KeyfobCommand.message(for: error)))
        let page = "see '\(CommandPath(of: arguments).text) --help'"
        if let error = ParserMessage.wordBehindName(message, arguments) {
            ErrorOutput.tell(error, isJSON: isJSON)
            return .usage
        }
        let (flaw, question) = ParserMessage.parted(ParserMessage.negative(message, arguments))
        let way = ParserMessage.way(after: flaw, arguments).map { "\($0); \(page)" }
        let hint = way ?? question.map { "\($0) S\(page.dropFirst())" } ?? page
        ErrorOutput.tell(KeyringError(.usage, flaw, hint: hint), isJSON: isJSON)
        return .usage
    }

    private static func exit(with status: ExitStatus) -> Never {
        Glibc.exit(status.rawValue)
    }
}

/// The command has told what is wrong; only the status is left.
struct ReportedFailure: Error {
    let status: ExitStatus
}
