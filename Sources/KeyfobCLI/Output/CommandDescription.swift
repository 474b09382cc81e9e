internal import ArgumentParser
internal import Foundation
internal import Keyfob

/// What swift-argument-parser knows of a command, as its JSON help (version 0) gives it.
struct CommandDescription: Decodable {
    let superCommands: [String]?
    let commandName: String
    let abstract: String?
    let discussion: String?
    let subcommands: [CommandDescription]?
    let arguments: [Argument]?

    struct Argument: Decodable {
        let kind: String
        let shouldDisplay: Bool
        let isOptional: Bool
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let abstract: String?

        struct Name: Decodable {
            let kind: String
            let name: String

            var text: String { (kind == "long" ? "--" : "-") + name }
        }
    }

    private struct Root: Decodable {
        let command: CommandDescription
    }

    /// The whole command.
    static func ofKeyfob() throws(KeyringError) -> CommandDescription {
        guard let root = try? JSONDecoder().decode(Root.self, from: Data(KeyfobCommand._dumpHelp().utf8)) else {
            throw KeyringError(.fault, "the description of the command could not be read")
        }
        return root.command
    }

    /// This command and all below it, without the help of the help.
    var withSubcommands: [CommandDescription] {
        [self] + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap(\.withSubcommands)
    }

    /// The words by which the command is called.
    var words: [String] { (superCommands ?? []) + [commandName] }
}
