internal import ArgumentParser
internal import FoundationEssentials
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobOAuth

struct MCPSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Let a program that starts MCP servers use a remote one by 'keyfob mcp'.",
        discussion: """
            Writes a server into the file of claude-code (.mcp.json here), claude-desktop, vscode (.vscode/mcp.json here), \
            cursor, gemini, codex or opencode, or into the one that --file names: the program then starts 'keyfob mcp' with \
            the address. A file with remarks in JSON is left alone.

            \(SetupOptions.discussion)

            'keyfob undo' does not undo this. The same with --undo does.

            Example:
              keyfob setup mcp vscode https://mcp.notes.example/mcp
              keyfob setup mcp cursor https://mcp.notes.example/mcp \\
                --name notes --account work
              keyfob setup mcp vscode --undo
            """)

    @Argument(help: "The program.") var client: MCPSetup.Client
    @Argument(help: "The server's address; to undo, that of one alone.") var address: String?
    @Option(name: .long, help: ArgumentHelp("What to call the server; else by its host.", valueName: "name"))
    var name: String?
    @Option(name: [.short, .long], help: ArgumentHelp("The account, where several fit.", valueName: "name"))
    var account: String?
    @Option(name: .long, help: ArgumentHelp("The file to write, in place of the usual one.", valueName: "file"))
    var file: String?
    @OptionGroup var setup: SetupOptions

    static let tool = "mcp"

    func validate() throws {
        guard address != nil || setup.undo else { throw ValidationError("name the server's address") }
        let isName = name?.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil
        if name != nil, !isName { throw ValidationError("--name has letters, digits, - and _ alone") }
        for (option, value) in [("--account", account), ("--file", file)] {
            if let value, !Identifier.isAcceptable(value) {
                throw ValidationError("\(option) is blank, too long, or holds control characters")
            }
        }
    }

    func run() throws {
        if setup.undo { try undo() } else { try add() }
        if setup.global.json {
            let path = try path()
            try JSONOutput.print(
                SetupDocument(tools: [Self.state(client, path, setup.global)]))
        }
    }

    func add() throws(KeyringError) {
        let address = address ?? ""
        do {
            _ = try EndpointURL(address)
        } catch {
            throw KeyringError(.usage, "\(error)")
        }
        let file = try SetupFile(client.rawValue, try path(), lock: .none, setup.global)
        let word = try OwnProgram.word()
        let place = setup.global.vault.map { ["--vault", $0] } ?? []
        let words =
            [word, "mcp", address] + (account.map { ["--account", $0] } ?? []) + place
            + setup.global.group.flatMap { ["--group", $0] }
        let new = MCPSetup(client, name: serverName, words: words)
        let plan = try file.plan(hint: "add the server by hand: \(words.map(ShellWord.quoted).joined(separator: " "))")
        {
            text throws(SetupFlaw) in try new.adding(to: text)
        }
        guard isNeeded(plan, of: file, orSaying: "\(client.rawValue) uses keyfob for '\(serverName)' already") else {
            return
        }
        tellPath(word)
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            let present = (try? MCPSetup.entries(of: client, in: file.text)) ?? []
            try file.write(plan, entries: [serverName], beside: present)
            setup.global.say(
                "\(client.rawValue) has the server '\(serverName)' now; "
                    + "'\(Self.undoing(client.rawValue, self.file == nil ? nil : "--file", self.file))' takes it out again"
            )
        }
    }

    func undo() throws(KeyringError) {
        let file = try SetupFile(client.rawValue, try path(), lock: .none, setup.global)
        let names = name == nil && address == nil ? file.entries : [serverName]
        let plan = try file.plan(hint: "take the server out by hand") { text throws(SetupFlaw) in
            try MCPSetup.removing(names, of: client, from: text, former: file.former)
        }
        guard !plan.edit.isEmpty else { return setup.global.say("\(file.path) has no server of setup") }
        try remove("setup's server", plan, from: file, rest: file.entries.filter { !names.contains($0) }) {
            MCPSetup.isBlank($0, of: client)
        }
    }

    /// By the host, in what every client takes for a name.
    private var serverName: String {
        if let name { return name }
        let host = address.flatMap { try? EndpointURL($0) }?.host ?? ""
        let name = host.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        return String(String(name).prefix(64))
    }

    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool] {
        // Those that use it; the others would be most of the list.
        var states: [SetupDocument.Tool] = []
        for client in MCPSetup.Client.allCases {
            let state = Self.state(client, try path(of: client), global)
            if state.asksKeyfob { states.append(state) }
        }
        return states
    }

    private static func state(
        _ client: MCPSetup.Client, _ path: String, _ global: GlobalOptions
    ) -> SetupDocument.Tool {
        SetupDocument.Tool(client.rawValue, path: path, setup: ["mcp", client.rawValue]) { () throws(KeyringError) in
            try SetupFile(client.rawValue, path, lock: .none, global).present { text throws(SetupFlaw) in
                try MCPSetup.entries(of: client, in: text)
            }
        }
    }

    private func path() throws(KeyringError) -> String {
        if let file { return Self.whole(file) }
        return try Self.path(of: client)
    }

    /// A path from the root: what is noted of a file is to be found from another folder.
    private static func whole(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    private static func path(
        of client: MCPSetup.Client, _ environment: Environment = .current
    ) throws(KeyringError) -> String {
        guard let home = environment["HOME"] else {
            throw KeyringError(.configuration, "HOME is not set", hint: nil)
        }
        let folder = environment["XDG_CONFIG_HOME"] ?? home + "/.config"
        return switch client {
        case .claudeCode: whole(".mcp.json")
        case .vscode: whole(".vscode/mcp.json")
        case .claudeDesktop: folder + "/Claude/claude_desktop_config.json"
        case .cursor: home + "/.cursor/mcp.json"
        case .gemini: home + "/.gemini/settings.json"
        case .codex: (environment["CODEX_HOME"] ?? home + "/.codex") + "/config.toml"
        case .opencode: folder + "/opencode/opencode.json"
        }
    }
}

extension MCPSetup.Client: ExpressibleByArgument {}
