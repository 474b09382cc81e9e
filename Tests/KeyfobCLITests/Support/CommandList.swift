import Foundation

/// The commands that there are, as the program itself tells.
enum CommandList {
    /// The words by which a command is called.
    struct Words: Sendable, CustomStringConvertible {
        let line: String
        /// Whether it has no commands below it.
        let isLeaf: Bool

        var description: String { line }
    }

    private struct Root: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let commandName: String
        let subcommands: [Command]?

        func words(after line: String) -> [Words] {
            let own = line.isEmpty ? commandName : line + " " + commandName
            let below = (subcommands ?? []).filter { $0.commandName != "help" }
            return [Words(line: own, isLeaf: below.isEmpty)] + below.flatMap { $0.words(after: own) }
        }
    }

    /// All commands, `keyfob` first.
    static func all() throws -> [Words] { try found.get() }

    private static let found = Result {
        let outcome = try Workplace().run("keyfob --experimental-dump-help")
        return try JSONDecoder().decode(Root.self, from: outcome.output).command.words(after: "")
    }
}
