internal import ArgumentParser
internal import FoundationEssentials
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
        /// What it may be, where that is all.
        let allValues: [String]?

        struct Name: Decodable {
            let kind: String
            let name: String

            var text: String { (kind == "long" ? "--" : "-") + name }
        }

        /// Whether the parser adds it to each command.
        var isOfParser: Bool { (names ?? []).contains { ["help", "version", "help-hidden"].contains($0.name) } }
    }

    private struct Root: Decodable {
        let command: CommandDescription
    }

    /// The whole command.
    static func ofKeyfob() throws(KeyringError) -> CommandDescription { try CommandDescription(of: KeyfobCommand.self) }

    /// The options that all commands have, and those of commands that use the network.
    static func sharedOptions() throws(KeyringError) -> [Argument] {
        (try CommandDescription(of: SharedOptions.self).arguments ?? []).filter { $0.shouldDisplay && !$0.isOfParser }
    }

    /// A command, with those below it.
    init(of command: any ParsableCommand.Type) throws(KeyringError) {
        guard let root = try? JSONDecoder().decode(Root.self, from: Data(command._dumpHelp().utf8)) else {
            throw KeyringError(.fault, "the description of the command could not be read")
        }
        self = root.command
    }

    /// This command and all below it, without the help of the help.
    var withSubcommands: [CommandDescription] {
        [self] + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap(\.withSubcommands)
    }

    /// The words by which the command is called.
    var words: [String] { (superCommands ?? []) + [commandName] }
}
