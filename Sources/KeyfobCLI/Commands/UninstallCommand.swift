internal import ArgumentParser
internal import Glibc
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobFiles
internal import KeyfobTerminal

struct UninstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall", abstract: "Say what Keyfob has left on this machine, and undo what it may.",
        discussion: """
            Lists tools that ask Keyfob, mirrors, systemd's units, agents, kept keys, living sign-ins, vaults, backups, and \
            where notes are. After a question, or with --force, it takes setup's lines out, ends mirrors, units and \
            agents, and locks unless signing out needs the key. It never removes a vault, a backup or a key file, and signs nobody out: for those it \
            prints what to type. Without a terminal and without --force it only lists. 'keyfob undo' does not undo this.

            Example:
              keyfob uninstall --dry-run
              keyfob uninstall --force

            Exit status: 0 done, 15 cancelled, 74 something could not be undone.
            """)

    @Flag(name: .long, help: "Only say what there is.") var dryRun = false
    @OptionGroup var consent: ConsentOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        var traces = try UninstallTraces(global).found()
        let undoable = traces.indices.filter { traces[$0].state == .undoable }
        if !global.json { try show(traces) }
        let mayAsk = !global.noInput && Terminal.isThere
        let acts = !undoable.isEmpty && !dryRun && (consent.isGiven || mayAsk)
        if acts {
            if !consent.isGiven {
                try Confirmation.requireConsent(
                    "Undo the first \(undoable.count == 1 ? "one" : "\(undoable.count)")? [y/N] ",
                    otherwise: "--force does it without asking", global)
            }
            // Those that start agents go before the agents.
            for index in undoable {
                do {
                    try undo(traces[index])
                    traces[index].state = .undone
                } catch {
                    traces[index].state = .failed
                    traces[index].problem = (error as? KeyringError)?.message ?? "it could not be undone"
                }
            }
            noteWhatStays(&traces)
            global.note(LastingChange(.uninstalled), isOfVault: false)
        }
        if global.json {
            try JSONOutput.print(UninstallDocument(traces: traces))
        } else {
            try tell(traces, hasActed: acts, isUndoable: !undoable.isEmpty)
        }
        if traces.contains(where: { $0.state == .failed }) { throw ReportedFailure(status: .inputOutput) }
    }

    private func show(_ traces: [UninstallTrace]) throws(KeyringError) {
        var table = Table(header: ["WHAT", "WHERE", "NOTE"], wrapping: ["WHERE", "NOTE"])
        for trace in traces { table.add([Self.word(trace.kind), trace.what, trace.note]) }
        try StandardOutput.write(lines: table.text)
    }

    private func undo(_ trace: UninstallTrace) throws {
        switch trace.kind {
        case .setup, .mirror: try Self.run(trace, global)
        case .unit:
            let call = SearchPath.program("systemctl").map {
                ChildProgram(path: $0, arguments: ["--user", "disable", "--now", trace.what], speaks: false)
            }
            // Without the user's systemd nothing runs, and the links are all there is.
            guard call?.run() != .status(0) else { return }
            for link in trace.links {
                do { try POSIXFile.remove(link) } catch {
                    throw Self.failure("systemctl failed, and \(link) cannot be removed")
                }
            }
            guard FileAccess.status("/run/user/\(getuid())/systemd", following: true) == nil else {
                throw Self.failure("it starts no more, but systemctl could not stop it: it may run until you log out")
            }
        case .agent:
            let agents = AgentHere.all(of: try global.location())
            guard let agent = agents.first(where: { $0.place.socket == trace.what }) else { return }
            _ = try agent.lock()
            if agent.isThere { try agent.end() }
        case .key: _ = try LockedKeyring.forgetKeptKeys(of: try global.location())
        default: break
        }
    }

    /// Runs the command of a trace, as it is typed.
    private static func run(_ trace: UninstallTrace, _ global: GlobalOptions) throws {
        var options = global.quiet || global.json ? ["--quiet"] : []
        if let vault = global.vault { options += ["--vault", vault] }
        let words =
            trace.kind == .setup
            ? trace.wordsOfSetup(["--force"] + options) : ["mirror", "stop", trace.what, "--remove"] + options
        var command = try KeyfobCommand.parseAsRoot(words)
        try command.run()
    }

    private static func failure(_ message: String) -> KeyringError { KeyringError(.unavailable, message, hint: nil) }

    /// A tool that asks all the same does so by lines that are not setup's.
    private func noteWhatStays(_ traces: inout [UninstallTrace]) {
        let asking = ((try? SetupCommand.states(global)) ?? []).filter(\.asksKeyfob)
        let still = Set(asking.flatMap { tool in ([""] + tool.entries).map { [tool.file, $0] } })
        for index in traces.indices
        where traces[index].kind == .setup && traces[index].state == .undone
            && still.contains([traces[index].what, traces[index].entry ?? ""])
        {
            traces[index].state = .failed
            traces[index].problem = "lines that setup has not written still ask Keyfob: remove those by hand"
        }
    }

    private func tell(_ traces: [UninstallTrace], hasActed: Bool, isUndoable: Bool) throws(KeyringError) {
        for trace in traces where trace.state == .undone { global.say("undone: \(trace.what)") }
        for trace in traces where trace.state == .failed {
            // Errors are told with --quiet too.
            StandardError.write(
                line: "keyfob: \(trace.what): \(trace.problem ?? "")\(trace.command.map { "; \($0)" } ?? "")")
        }
        if isUndoable, !hasActed {
            let command = global.typed("uninstall", "--force", quotedBy: ShellWord.inMessage)
            global.say("nothing was changed; '\(command)' undoes what it may")
        }
        let order: [UninstallTrace.Kind] = [
            .signIn, .sync, .desktopKeyring, .key, .program, .vault, .backup, .keyFile, .state,
        ]
        var commands: [String] = []
        for kind in order {
            for command in traces.filter({ $0.kind == kind && $0.state == .stays }).compactMap(\.command)
            where !commands.contains(command) { commands.append(command) }
        }
        guard !commands.isEmpty else { return }
        // As long as the program is there.
        commands = commands.filter { $0.hasPrefix("keyfob ") } + commands.filter { !$0.hasPrefix("keyfob ") }
        if !global.quiet {
            try StandardOutput.write(
                line: "type these yourself, in this order; removing a vault removes all accounts in it:")
        }
        for command in commands { try StandardOutput.write(line: "  " + command) }
    }

    private static func word(_ kind: UninstallTrace.Kind) -> String {
        switch kind {
        case .setup: "tool"
        case .mirror: "mirror"
        case .unit: "unit"
        case .agent: "agent"
        case .key: "kept key"
        case .signIn: "sign-in"
        case .sync: "sync"
        case .desktopKeyring: "keyring"
        case .vault: "vault"
        case .backup: "backup"
        case .keyFile: "key file"
        case .shell: "shell"
        case .state: "notes"
        case .program: "program"
        }
    }
}

/// `Schemas/uninstall.schema.json`.
private struct UninstallDocument: JSONDocument {
    let formatVersion = 1
    let traces: [UninstallTrace]
}
