internal import ArgumentParser

/// The command that a line names, and what stands behind its name.
struct CommandPath {
    private let names: [String]
    let command: any ParsableCommand.Type
    /// How many words it has.
    var count: Int { names.count }

    /// The command that the words begin with.
    init(of arguments: [String]) {
        var (names, command): ([String], any ParsableCommand.Type) = ([], KeyfobCommand.self)
        for word in arguments {
            guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else { break }
            names.append(word)
            command = next
        }
        (self.names, self.command) = (names, command)
    }

    /// What people undo all as that the command changes; nil for one that goes on and does many things.
    var undoneName: String? {
        guard let first = names.first, !["agent", "broker", "device", "exec", "mcp", "mirror"].contains(first) else {
            return nil
        }
        return names.joined(separator: " ")
    }

    /// As it is typed.
    var text: String { (["keyfob"] + names).joined(separator: " ") }

    /// An example from the command's help, on one line; nil where it has none.
    ///
    /// - Parameter option: The option that it has to show.
    func example(of option: String?) -> String? {
        let lines = command.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
        let block = lines.drop { $0 != "Example:" }.dropFirst().prefix { !$0.isEmpty }.joined(separator: "\n")
        let examples = block.replacing(/\\\n +/, with: "").split(separator: "\n").map { $0.drop { $0 == " " } }
        guard let option else { return examples.first.map(String.init) }
        return examples.first { $0.split(separator: " ").contains(option[...]) }.map(String.init)
    }

    /// The command with its options.
    ///
    /// Of the root the parser would look at the options of a hundred commands. It does where something is wrong, and says it
    /// in the words of the whole line; and for help, which is a command of its own.
    func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        if command.configuration.subcommands.isEmpty,
            let parsed = try? command.parseAsRoot(Array(arguments.dropFirst(names.count))),
            type(of: parsed) == command
        {
            return parsed
        }
        return try KeyfobCommand.parseAsRoot(arguments)
    }
}
