internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup

struct GitSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "git", abstract: "Let git ask Keyfob for credentials.",
        discussion: """
            Writes credential.helper and credential.useHttpPath into the file that 'git config --global' writes: \
            GIT_CONFIG_GLOBAL, ~/.gitconfig, or ~/.config/git/config where that alone is there. The lines come first, so that \
            Keyfob is asked before other helpers there. Where git-credential-keyfob is not in PATH, its path is written.

            git tells every helper each credential that has worked, and 'store', 'cache' and others keep it. So git is asked which \
            helpers it has, of all its files, and where there are others at the hosts of your accounts, or at those of --host, lines \
            at the end of the file take them back there; --keep-helpers leaves them. For other hosts they stay. Then git is made to \
            ask for one of these hosts, and only where it takes Keyfob's token is it said to ask Keyfob. A helper that a repository \
            names comes after all: 'keyfob doctor' finds it there, and says what to type.

            \(SetupOptions.discussion)

            'keyfob undo' does not undo this. The same with --undo does.

            Example:
              keyfob setup git
              keyfob setup git --host git.contoso.example
              keyfob setup git --undo --force
            """)

    @Option(
        name: .long, help: ArgumentHelp("A host where your tokens go, with its port; repeatable.", valueName: "host"))
    var host: [String] = []
    @Flag(name: .long, help: "Leave the other helpers of your hosts in their place.") var keepHelpers = false

    @OptionGroup var setup: SetupOptions

    static let tool = ToolCall.git.tool

    func validate() throws {
        guard host.allSatisfy(GitHosts.isHost) else { throw ValidationError("--host is a host, or host:port") }
    }

    func add() throws(KeyringError) {
        let file = try Self.file(Self.path(), setup.global)
        let way = try ToolCall.git.way()
        let (hosts, reason) = try hosts()
        let addresses = hosts.flatMap(GitHosts.addresses)
        let chain = GitProgram()?.chain()
        let shared = keepHelpers ? [] : chain?.shared(among: addresses) ?? []
        let plan = try file.plan(
            hint:
                "type 'git config --global credential.helper keyfob' and 'git config --global credential.useHttpPath true'"
        ) { text throws(SetupFlaw) in try GitSetup(way).adding(to: text, alone: shared) }
        if let chain { tell(chain, at: addresses, takenBackAt: shared, reason) }
        guard !plan.edit.isEmpty else {
            for remark in plan.remarks { setup.global.say("\(file.path): \(remark)") }
            return try tell("git asks Keyfob already, by \(file.path)", addresses, file, reason)
        }
        tellPath(.git, way)
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            try file.write(plan, entries: [Self.tool])
            try tell("git now asks Keyfob", addresses, file, reason)
        }
    }

    /// The hosts that are meant; and why nobody knows them, where that is so.
    private func hosts() throws(KeyringError) -> (hosts: [String], reason: KeyringError?) {
        guard host.isEmpty else { return (host, nil) }
        do throws(KeyringError) {
            switch try setup.global.opening(reaching: .everything) {
            case .opened(let keyring): return (try GitHosts.all(of: keyring, in: setup.global.groups()), nil)
            case .shut(let reason): return ([], reason)
            }
        } catch {
            return ([], error)
        }
    }

    /// Tells which other helpers there are, and what becomes of them.
    private func tell(
        _ chain: GitCredentialChain, at addresses: [String], takenBackAt shared: [String], _ reason: KeyringError?
    ) {
        if let reason {
            for line in chain.lines where line.address == nil && !line.isOwn && !line.value.isEmpty {
                guard let keeping = line.keeping else { continue }
                setup.global.say(
                    "the helper '\(line.value)' (\(line.place)) is told Keyfob's tokens, and \(keeping); which hosts are yours, "
                        + "the vault says, and \(reason.message); name them with --host, or try again when it is open")
            }
            return
        }
        for other in chain.others(at: addresses) {
            let places = Quantity.list(other.addresses)
            let end =
                if other.line.scope == .call {
                    GitCredentialChain.byCall
                } else if other.line.isOfRepository {
                    "'keyfob doctor' in that repository says how to take it back"
                } else if other.addresses.allSatisfy(shared.contains) {
                    "lines for these addresses take it out of the way"
                } else {
                    "without --keep-helpers lines take it out of the way"
                }
            setup.global.say("at \(places) \(other.text); \(end)")
        }
    }

    /// Has git ask, and says what came of it.
    private func tell(
        _ words: String, _ addresses: [String], _ file: SetupFile, _ reason: KeyringError?
    ) throws(KeyringError) {
        let undoing = "'\(Self.undoing())' removes the lines"
        guard let git = GitProgram() else {
            return setup.global.say("git is not installed, so nothing was tried; \(undoing)")
        }
        var tried: [String] = []
        for address in addresses where !address.contains("*") {
            switch git.answer(at: address) {
            case .keyfobs: tried.append(address)
            case .none: continue
            case .another:
                let first = git.chain()?.helpers(at: address).first { !$0.isOwn }
                let who = first.map { ": '\($0.value)' (\($0.place)) is asked there" } ?? ""
                throw KeyringError(
                    .configuration,
                    "\(file.path) has the lines, and yet git does not take Keyfob's token at \(address)\(who)",
                    hint:
                        "'git config --show-origin --get-regexp credential' shows which lines are in the way; \(undoing)"
                )
            }
        }
        guard tried.isEmpty else {
            return setup.global.say("\(words) (tested at \(Quantity.list(tried))); \(undoing)")
        }
        let asked = addresses.filter { !$0.contains("*") }
        let why =
            reason?.message
            ?? (asked.isEmpty
                ? "no account has a host of git's"
                : "Keyfob itself gives no token at \(Quantity.list(asked)), as 'echo url=\(asked[0]) | git credential fill' says")
        setup.global.say(
            "\(file.path) has the lines; nothing was tried: \(why); 'keyfob setup git' tries it later, and \(undoing)")
    }

    func undo() throws(KeyringError) {
        var isDone = false
        for path in try Self.paths() {
            let file = try Self.file(path, setup.global)
            guard GitSetup.hasLines(in: file.text) else { continue }
            let plan = try file.plan(
                hint: "take out by hand what stands between '# keyfob setup: begin' and '# keyfob setup: end'",
                GitSetup.removing)
            isDone = true
            try remove("setup's lines", plan, from: file, isBlank: \.isEmpty)
        }
        guard !isDone else { return }
        let path = try Self.path()
        setup.global.say("\(path) has no lines of setup")
        if GitSetup.isThere(in: try Self.file(path, setup.global).text) {
            setup.global.say(
                "credential.helper names Keyfob there all the same; 'git config --global --unset-all credential.helper keyfob' "
                    + "changes that")
        }
    }

    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool] {
        [
            SetupDocument.Tool(tool, path: try path()) { () throws(KeyringError) in
                for path in try paths() where GitSetup.isThere(in: try file(path, global).text) { return [] }
                return nil
            }
        ]
    }

    private static func file(_ path: String, _ global: GlobalOptions) throws(KeyringError) -> SetupFile {
        try SetupFile(tool, path, lock: .target, global)
    }

    /// The file that `git config --global` writes.
    private static func path() throws(KeyringError) -> String {
        let paths = try paths()
        // git takes the other one only where it is there alone.
        let present = paths.first { FileAccess.status($0, following: true) != nil }
        return present ?? paths[0]
    }

    /// The files that git reads for its user.
    private static func paths(_ environment: Environment = .current) throws(KeyringError) -> [String] {
        if let named = environment["GIT_CONFIG_GLOBAL"] { return [named] }
        guard let home = environment["HOME"] else {
            throw KeyringError(.configuration, "neither HOME nor GIT_CONFIG_GLOBAL is set", hint: nil)
        }
        let folder = environment["XDG_CONFIG_HOME"] ?? home + "/.config"
        return [home + "/.gitconfig", folder + "/git/config"]
    }
}
