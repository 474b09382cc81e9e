internal import ArgumentParser
internal import Glibc
internal import Keyfob
internal import KeyfobConfinement
internal import KeyfobFiles
internal import KeyfobNetwork
internal import KeyfobOAuth
internal import KeyfobSignIn
internal import KeyfobTerminal

struct MCPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Let MCP clients use a remote server, with its token.",
        discussion: """
            Speaks JSON-RPC over standard input and output, a message a line, and passes each message on to the server at \
            the address over Streamable HTTP, or over HTTP with SSE where the server is an older one (2024-11-05). The token \
            is added on the way: the program never has it, and it goes to that server alone; redirections are not followed. \
            The account is chosen as 'request' does, once for the session, and never asked for.

            A token is refreshed once for all sessions, and the vault is open only meanwhile, unless its key comes over a descriptor. Where there is no token, because \
            nobody has signed in, the server wants a further scope, or the vault is locked, the call is answered with an error \
            that names the command to type; after that the next call works. A session that the server has ended begins again \
            with the next call.

            Messages have at most 32 MiB. When input ends, calls on their way have 30 seconds. Ends with 0 when the program \
            goes or SIGTERM comes.

            Example:
              keyfob login https://mcp.notes.example/mcp --name work
              keyfob setup mcp vscode https://mcp.notes.example/mcp
              keyfob mcp https://mcp.notes.example/mcp --account work
            """)

    @Argument(help: "The server's address: https, or http on this machine.") var address: String

    @OptionGroup var options: RequestOptions
    @OptionGroup(visibility: .hidden) var networkOptions: NetworkOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if options.url != nil { throw ValidationError("the address says what the token is for; --url has no meaning") }
        if global.json { throw ValidationError("what is printed is the server's; --json has no meaning") }
    }

    func run() throws {
        let endpoint = try endpoint()
        CallingTool.keep()
        let holder = try TokenHolder { (line) throws(KeyringError) in
            TokenHolder.retire()
            var tokens = try MCPTokens(address, options, networkOptions, global)
            tokens.serve(MessageLine(descriptor: line.descriptor))
        }
        ProgramCall.close(global.descriptorsOfSecrets.filter { $0 != STDIN_FILENO })
        let configuration = NetworkConfiguration.ofThisMachine(
            certificateFile: networkOptions.caFile, environment: Environment.current.variables)
        let signals: SignalPipe
        do {
            signals = try SignalPipe([SIGHUP, SIGINT, SIGTERM])
        } catch {
            throw KeyringError(.unavailable, "there are no file descriptors left")
        }
        let bridge: Bridge
        do {
            bridge = try Bridge(
                to: endpoint, configuration, tokens: MCPTokens.asked(over: MessageLine(descriptor: holder.socket)),
                input: STDIN_FILENO, output: STDOUT_FILENO, signals: signals.descriptor,
                tell: { if StandardError.takesLine { global.say($0) } })
        } catch {
            switch error {
            case .noLibrary:
                throw KeyringError(.unavailable, "libcurl (7.87 or later) is not installed", advice: .installLibcurl)
            case .configuration(let flaw): throw KeyringError(.configuration, "\(flaw)")
            }
        }
        Confinement(reading: [], writing: nil, allowsSockets: true).apply()
        let end = bridge.run()
        holder.dismiss()
        guard end == .done else { throw KeyringError(.unavailable, "the process that had the tokens has ended") }
    }

    private func endpoint() throws(KeyringError) -> EndpointURL {
        do {
            return try EndpointURL(address)
        } catch {
            let isBare = error == .noScheme && !address.contains("@")
            throw KeyringError(
                .usage, "\(error)", hint: isBare ? "did you mean https://\(RequestCommand.shown(address))" : nil)
        }
    }
}
