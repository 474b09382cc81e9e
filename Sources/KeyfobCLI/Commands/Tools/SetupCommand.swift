internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobTerminal

struct SetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Let another tool ask Keyfob, by a few lines of its configuration.",
        discussion: """
            Without a tool it lists those that it knows, whether they are installed, and whether they ask Keyfob, as far as \
            their own file tells. \(SetupOptions.discussion)

            Example:
              keyfob setup
              keyfob setup git
              keyfob setup git --undo
            """,
        subcommands: tools)

    private static let tools: [any (ParsableCommand & ListedTool).Type] = [
        GitSetupCommand.self, DockerSetupCommand.self, KubectlSetupCommand.self, AWSSetupCommand.self,
        AzureSetupCommand.self, MailSetupCommand.self, DirenvSetupCommand.self, BrokerSetupCommand.self,
        URLSchemeSetupCommand.self, MCPSetupCommand.self,
    ]

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    /// What the files of all tools tell by now.
    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool] {
        var states: [SetupDocument.Tool] = []
        for tool in tools { states += try tool.states(global) }
        return states
    }

    func run() throws {
        let tools = try Self.states(global)
        if global.json { return try JSONOutput.print(SetupDocument(tools: tools)) }
        var table = Table(
            header: ["TOOL", "INSTALLED", "ASKS KEYFOB", "FILE", "COMMAND"], yielding: ["FILE", "INSTALLED"],
            wrapping: ["ASKS KEYFOB", "COMMAND"])
        for tool in tools {
            let entries = tool.entries.isEmpty ? "yes" : Quantity.list(tool.entries)
            table.add([
                tool.tool, tool.program == nil ? "no" : "yes",
                tool.problem == nil ? tool.asksKeyfob ? entries : "no" : "unknown", tool.file, tool.command,
            ])
        }
        try StandardOutput.write(lines: table.text)
        for tool in tools { if let problem = tool.problem { global.say("keyfob: warning: \(problem)") } }
    }
}

/// `Schemas/setup.schema.json`.
struct SetupDocument: JSONDocument {
    let formatVersion = 1
    let tools: [Tool]

    struct Tool: Encodable {
        let tool: String
        /// Where its program is; nil where `PATH` does not have it.
        let program: String?
        let file: String
        let asksKeyfob: Bool
        /// For what, where it does not ask about everything.
        let entries: [String]
        /// Why its file says nothing.
        let problem: String?
        let command: String
        /// What is typed behind `keyfob setup`.
        let words: [String]
        /// Whether one of `entries` has to be named to take it out again.
        let undoesEach: Bool

        private enum CodingKeys: String, CodingKey {
            case tool, program, file, asksKeyfob, entries, problem, command
        }

        /// What a file tells.
        ///
        /// - Parameters:
        ///   - words: What is typed behind `keyfob setup`; nil for the tool.
        ///   - isUndoneByEntry: Whether `--undo` takes out one entry, which is named.
        ///   - entries: For what the tool asks Keyfob by a file; nil where it does not ask.
        init(
            _ tool: String, path: String, setup words: [String]? = nil, isUndoneByEntry: Bool = false,
            _ entries: () throws(KeyringError) -> [String]?
        ) {
            self.words = words ?? [tool]
            undoesEach = isUndoneByEntry
            self.tool = tool
            program = SearchPath.program(tool)
            file = path
            command = (["keyfob", "setup"] + self.words).joined(separator: " ")
            do throws(KeyringError) {
                let found = try entries()
                asksKeyfob = found != nil
                self.entries = found ?? []
                problem = nil
            } catch {
                asksKeyfob = false
                self.entries = []
                problem = error.message
            }
        }
    }
}
