internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobConfinement
internal import KeyfobFiles
internal import KeyfobTerminal

struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Answer programs over a socket: each has what it may have.",
        discussion: """
            Programs ask by varlink at $XDG_RUNTIME_DIR/keyfob/agent for accounts and tokens ('io.keyfob.Agent'); \
            which program asks, the kernel says. It runs until a signal ends it, and opens the vault with what is at \
            hand: a key that 'keyfob unlock' has kept or has handed over with --agent, a key file, the desktop's \
            keyring. While the vault is locked, programs are told so. 'systemctl --user enable --now \
            keyfob-agent.socket' starts it when it is first asked. For another vault than the usual one the socket is \
            called agent-ID, with the first 16 digits of the vault's id. What a program may do, 'keyfob program' says, \
            or you on the desktop when it first asks; 'keyfob log' shows what was asked. With --broker, or where a \
            service file has the session bus start it, programs made with MSAL find it as the identity broker.

            When logind says that your screen is locked or the machine goes to sleep, the agent forgets its keys. A key that \
            'keyfob unlock' keeps then opens the vault again, unless --screen-lock all has that forgotten too; so does a key file.

            With --socket and --for it is a door for a container or another machine: whoever reaches the socket may ask for tokens \
            of that account and nothing else; 'keyfob log' shows who asked by the name. Mount the socket, or forward it with \
            'ssh -R', and name it there with KEYFOB_AGENT: 'keyfob token', the helpers for git, docker and kubectl and the \
            libraries ask it. Whoever has a token can send it anywhere: --scope limits what is asked for, and a provider such as \
            GitHub puts into a token what the sign-in has. It opens the vault for each call: after 'keyfob lock' it gives nothing.

            Example:
              keyfob agent
              keyfob agent --idle 15m
              keyfob agent --broker
              keyfob agent --socket ~/dev.sock --for devcontainer --account ada \\
                --host github.com

            Exit status: 0 ended by a signal or after --idle, 69 no folder for the login, or its socket was taken \
            away, 73 an agent runs already, 78 what systemd gives is no socket.
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions
    @OptionGroup var network: NetworkOptions

    @Option(
        name: .long,
        help: ArgumentHelp("End when nobody has asked for as long: 90s, 15m, 8h.", valueName: "duration"))
    var idle: String?
    @Flag(name: .long, help: "Be the session bus's identity broker too, for programs made with MSAL.") var broker =
        false

    /// What is forgotten when the person leaves.
    enum ScreenLock: String, ExpressibleByArgument, CaseIterable {
        case agent, all, none
    }

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Which keys go when the screen is locked or the machine sleeps.",
            valueName: "keys"))
    var screenLock: ScreenLock = .agent

    @Option(
        name: .long, help: ArgumentHelp("Make a socket here, for --for alone.", valueName: "file"), completion: .file())
    var socket: String?
    @Option(name: .customLong("for"), help: ArgumentHelp("What the log calls who asks there.", valueName: "name"))
    var purpose: String?
    @Option(name: [.short, .long], help: ArgumentHelp("Whose tokens it gives.", valueName: "name"))
    var account: String?
    @Option(name: .long, help: ArgumentHelp("For which scopes tokens may be asked.", valueName: "scope")) var scope:
        [String] = []
    @Option(name: .long, help: ArgumentHelp("For which hosts: github.com, *.git.example.", valueName: "host"))
    var host: [String] = []

    /// What keeps the options of a socket for one purpose from being used; nil where there is nothing, and where none is wanted.
    private var problemOfPurpose: String? {
        let hasLimits = account != nil || !scope.isEmpty || !host.isEmpty
        guard socket != nil || purpose != nil else {
            return hasLimits ? "--account, --scope and --host go with --socket and --for" : nil
        }
        guard let socket, let purpose, !socket.isEmpty else { return "--socket and --for go together" }
        if Program(.socket, purpose) == nil { return "--for takes up to 64 letters, digits, '-', '.' and '_'" }
        if account == nil { return "say whose tokens it gives with --account" }
        if AgentSocket.isPlaceOfAgent(Self.absolute(socket)) { return "\(socket) is a name of the agent's own sockets" }
        if let wrong = host.first(where: { HostPattern($0) == nil }) {
            return "--host takes a host such as github.com, not '\(wrong)'"
        }
        return broker ? "--broker goes with neither --socket nor --for" : nil
    }

    func validate() throws {
        if let problemOfPurpose { throw ValidationError(problemOfPurpose) }
        if global.json { throw ValidationError("programs are answered over a socket; --json has no meaning") }
        if global.passphraseFd != nil {
            throw ValidationError("an agent is given a passphrase by 'keyfob unlock --agent'")
        }
        if let idle, TimeText.seconds(idle) == nil {
            throw ValidationError("--idle takes a duration such as 15m or 8h")
        }
    }

    func run() throws {
        if let refusal = ProcessLimits.agent.refusal { throw KeyringError(.unavailable, refusal) }
        BlockingThread.saveMemory()
        let location = try global.location()
        if let socket, let account, let program = purpose.flatMap({ Program(.socket, $0) }) {
            let agent = DelegatedAgent(
                global: global, network: network, path: Self.absolute(socket),
                program: program, account: account, scopes: ScopeSet(scope), hosts: host.compactMap { HostPattern($0) })
            return try agent.run(location, idle: idle.flatMap(TimeText.seconds).map { Int64($0) * 1_000 })
        }
        // Before there is anything that the other process is not to have.
        let parts = try AgentParts(location, network)
        let given = try AgentSocket(given: Environment.current.variables)
        guard let place = try AgentPlace(location) else {
            throw KeyringError(
                .unavailable, "XDG_RUNTIME_DIR names no folder, so there is no place for the agent's socket",
                advice: .setRuntimeFolder)
        }
        try place.prepare()
        let turn = try AgentSocket.Turn(at: place.socket, of: VaultPlace(location).path)
        let note = AgentNote.Keeper(of: location, socket: place.socket)
        if !note.keep() {
            global.say(
                "keyfob: warning: nothing can be written in \(AgentNote.folder(in: location.state)): commands with another "
                    + "runtime folder find this agent by its socket alone")
        }
        let signals = try SignalPipe.ofEnd()
        if let given {
            try serve(given, turn, note, place, location, parts, signals)
        } else {
            let socket = try AgentSocket(at: place.socket, turn)
            global.say("listening at \(place.socket)" + Self.missingVault(at: location))
            try serve(socket, turn, note, place, location, parts, signals)
        }
        _ = consume turn
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileAccess.path(FileManager.default.currentDirectoryPath, path)
    }

    /// What is said of a vault that is not there yet.
    private static func missingVault(at location: KeyringLocation) -> String {
        do throws(KeyringError) {
            _ = try LockedKeyring(at: location).vaultID
            return ""
        } catch {
            guard error.code == .noVault else { return "" }
            return "; there is no vault in \(location.vault) yet: 'keyfob init' makes one"
        }
    }

    /// Answers until it is to end.
    private func serve(
        _ socket: borrowing AgentSocket, _ turn: borrowing AgentSocket.Turn, _ note: AgentNote.Keeper,
        _ place: AgentPlace, _ location: KeyringLocation, _ parts: AgentParts, _ signals: borrowing SignalPipe
    ) throws(KeyringError) {
        try parts.inspection.prepareThreads()
        let holder = VaultHolder(global, at: location, parts.audit)
        let desk = AgentDesk(
            holder.vault, audit: parts.audit, questions: parts.companion,
            network: { [network] () throws(KeyringError) in try network.network() })
        let keys = AgentKeys(
            unlock: { (id, key, seconds) throws(KeyringError) in try holder.unlock(id, key, seconds) },
            lock: { desk.lock() }, status: { holder.status })
        watchSession(desk, location)
        let changes = VaultChanges()
        let door = SocketDoor(
            to: desk, signIns: parts.signInsOfPrograms, keys: keys, changes: changes, inspection: parts.inspection,
            hint: \.hint)
        let server = VarlinkServer(
            listener: socket.descriptor, limits: .ofThisProcess, busy: SocketDoor.busy(),
            otherWriter: SocketDoor.otherWriter(), unanswered: SocketDoor.unanswered(),
            answer: { call, peer, replies in
                holder.expire()
                await door.answer(call, peer, replies)
            })
        guard let server else { throw KeyringError(.unavailable, "there are no file descriptors left") }
        let broker = try AgentBroker(for: desk, parts, isDemanded: broker) { global.say($0) }
        let upkeep = Task(executorPreference: WaitingThreads.shared) { await desk.keepTokensFresh() }
        defer {
            upkeep.cancel()
            holder.vault.lock()
            // What it notes in the vault is not cut short, however long others have that.
            while holder.vault.isClosing { usleep(20_000) }
        }
        let bell: ChangeBell
        do { bell = try ChangeBell() } catch { throw KeyringError(error) }
        let idle = idle.flatMap(TimeText.seconds).map { Int64($0) * 1_000 }
        var idleSince = VarlinkServer.uptime()
        let notices = EndNotices()
        while true {
            if notices.isDue() {
                changes.ring()
                // The vault may be another process's for a while, and calls are taken all the same.
                if holder.vault.isOpen {
                    _ = BlockingThread.start { [global] in
                        guard let keyring = try? holder.vault.keyring() else { return }
                        for line in notices.lines(of: keyring) { global.say(line) }
                    }
                }
            }
            // Where the folder was made or replaced meanwhile, it is the new one.
            bell.watch(location.vault)
            bell.watch(place.folder)
            bell.watch(AgentNote.folder(in: location.state))
            note.keep()
            let rest = idle.map { max(0, idleSince + $0 - VarlinkServer.uptime()) }
            let wait = [rest, holder.left, 60_000].compactMap(\.self).min() ?? 0
            let ready = server.step(waiting: max(wait, 1), or: [signals.descriptor, bell.descriptor])
            if ready.contains(signals.descriptor), signals.next() != nil {
                upkeep.cancel()
                return Self.end(server, desk, broker, parts, signals)
            }
            if ready.contains(bell.descriptor) {
                note.recheck()
                if bell.takesChange(where: Self.isVault) { changes.ring() }
            }
            holder.expire()
            if holder.vault.isGone { _ = desk.lock() }
            guard turn.isInPlace, socket.isInPlace else {
                // Nobody could lock it any more.
                _ = desk.lock()
                upkeep.cancel()
                Self.end(server, desk, broker, parts, signals)
                throw KeyringError(
                    .unavailable,
                    "\(place.socket)\(turn.isInPlace ? "" : ".lock") was taken away; the agent has forgotten its keys and ended",
                    hint: "start it again with 'keyfob agent'")
            }
            if !server.isIdle || desk.isBusy || holder.isNeeded || broker?.hasBeenBusy ?? false {
                idleSince = VarlinkServer.uptime()
            }
            if let idle, VarlinkServer.uptime() - idleSince >= idle {
                // What it has begun in the meantime ends as well.
                upkeep.cancel()
                return Self.end(server, desk, broker, parts, signals)
            }
        }
    }

    /// Has keys forgotten when the person leaves.
    private func watchSession(_ desk: AgentDesk, _ location: KeyringLocation) {
        guard screenLock != .none else { return }
        SessionWatch.start(
            Environment.current.variables,
            tell: { [global, screenLock] reason in
                guard screenLock == .all else { return }
                global.say("keyfob: warning: \(reason): keys may stay when you leave")
            },
            away: { [screenLock] in
                // First what the vault might be opened with again.
                if screenLock == .all { _ = try? LockedKeyring.forgetKeptKeys(of: location) }
                _ = desk.lock()
                // The machine sleeps once the keys are gone; logind waits five seconds at most.
                for _ in 0..<200 where desk.isBusy { usleep(20_000) }
            })
    }

    /// Answers what it has begun to answer, and lets refreshes that are under way end: what the provider has replaced is to be
    /// stored.
    ///
    /// A second signal does not wait.
    private static func end(
        _ server: VarlinkServer, _ desk: AgentDesk, _ broker: AgentBroker?, _ parts: AgentParts,
        _ signals: borrowing SignalPipe
    ) {
        // Whose programs do not tell what they are is not waited for.
        parts.inspection.close()
        // Nobody's answer is waited for any more.
        desk.retire()
        broker?.retire()
        server.dismiss()
        let end = VarlinkServer.uptime() + patience
        while VarlinkServer.uptime() < end {
            let isElsewhere = desk.isBusy || broker?.hasClosed == false
            guard isElsewhere || !server.isIdle else { return }
            let ready = server.step(
                waiting: max(0, min(end - VarlinkServer.uptime(), isElsewhere ? 20 : patience)),
                or: [signals.descriptor])
            if ready.contains(signals.descriptor), signals.next() != nil { return }
        }
    }

    /// Longer than a request to a provider takes at most, in milliseconds.
    private static let patience: Int64 = 35_000

    /// Whether a file is the vault's database, or tells that a change of it is complete.
    private static func isVault(_ name: String) -> Bool {
        name.hasPrefix("keyring.db") && !name.hasSuffix("-shm")
    }
}
