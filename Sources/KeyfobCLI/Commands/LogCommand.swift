internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobFiles
internal import KeyfobTerminal

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Which program was given which account's token, for what, and when.",
        discussion: """
            Newest last; never a token, and between them what commands did that no undo takes back. A line is about a token that a command, a helper of git, docker, kubectl or \
            another tool, 'exec', 'mcp' or the library gave, or about what a program asked 'keyfob agent' for. WHERE \
            is the host that the token was for, and FROM the git repository or the folder in which the program \
            worked, where the choice of the account looked at that.

            What is given without the agent is shown for 30 days, at most 2 MiB of a group in 15 days, sealed, on this \
            machine alone: account, program, host, repository or folder. 'keyfob log --off' removes it and keeps \
            nothing any more. It lacks what 'export' and 'mirror' hand over, what one process repeats within a \
            minute, and what cannot be written: a token never waits for it.

            Each line of the agent carries a code that needs the group's key, and the hash of the one before: a line \
            that was changed, left out or moved is told, with status 65. Lines cut from the end are told from the last one on that \
            the agent has noted in the vault, which it does when it ends. Who has the group's key, and so every program of yours \
            while it is unlocked, can write another log. What a program was given stands in \
            files of its own; of equal answers that gave it nothing, ten have a line, and then one a minute for all.

            'keyfob undo' does not undo this: neither --off, --on nor --begin-anew.

            Example:
              keyfob log --since 2d
              keyfob log --host github.com
              keyfob log --program ~/bin/report.py --account ada
              keyfob log --json
              keyfob log --begin-anew
            """)

    @Option(
        name: .long, help: ArgumentHelp("Only of this program, or of tools of this name.", valueName: "program"),
        completion: .file())
    var program: String?
    @Option(name: [.short, .long], help: ArgumentHelp("Only about this account.", valueName: "name"))
    var account: String?
    @Option(
        name: .long,
        help: ArgumentHelp("Only from then on: today, yesterday, 2026-11-23, 15m, 8h, 2d.", valueName: "time"))
    var since: String?
    @Option(name: .long, help: ArgumentHelp("Only for this host.", valueName: "host")) var host: String?
    @Flag(name: .long, help: "Put the agent's log aside, whatever it holds, and begin a new one.") var beginAnew = false
    @Flag(name: .long, help: "Remove what is kept of tokens given without the agent, and keep nothing any more.")
    var off = false
    @Flag(name: .long, help: "Keep it again.") var on = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if [beginAnew, off, on].count(where: { $0 }) > 1 {
            throw ValidationError("--begin-anew, --off and --on exclude one another")
        }
        guard since.map({ TimeText.begin($0) != nil }) ?? true else {
            throw ValidationError(
                "--since takes 'today', 'yesterday', a date such as 2026-11-23, or a duration such as 8h")
        }
    }

    func run() throws {
        let wanted = try program.map { (word) throws(KeyringError) in try names(word) }
        let keyring = try global.unlockedKeyring(reaching: .files())
        let groups = try global.groups() ?? keyring.groups.list().map(\.name)
        if off || on { return try turn(keyring) }
        guard !beginAnew else { return try self.beginAnew(groups, keyring) }
        let whose = try account.map { (name) throws(KeyringError) in
            try keyring.accounts.named(name, in: groups).account
        }
        let begin = since.flatMap { TimeText.begin($0) }
        let files = AuditFiles(state: keyring.location.state)
        var entries: [LogDocument.Entry] = []
        var findings: [(group: AccessGroup, findings: [AuditReading.Finding])] = []
        for group in groups {
            let reading = try files.read(group, keyring)
            // Where a token goes is not the agent's to know.
            entries += reading.lines.filter { line in
                host == nil && (wanted?.contains(line.entry.program) ?? true)
                    && (whose.map { $0.id == line.entry.account } ?? true)
                    && (begin.map { line.entry.time.seconds >= $0.seconds } ?? true)
            }.map { LogDocument.Entry($0, in: group) }
            if !reading.findings.isEmpty { findings.append((group, reading.findings)) }
        }
        entries.sort { $0.moment < $1.moment }
        let (all, unreadable) = try keyring.uses.list(in: groups)
        let uses = all.filter { use in
            (program.map { isCalled($0, use) } ?? true) && (host.map { isFor($0, use) } ?? true)
                && (whose.map { use.isOf($0) } ?? true)
                && (begin.map { use.time.seconds >= $0.seconds } ?? true)
        }.map { LogDocument.Use($0) }
        let changes = try changes(keyring, since: begin)
        global.tellWarnings(of: keyring)
        if global.json {
            let documents = findings.flatMap { group, findings in
                findings.map { LogDocument.Finding(group: group.name, finding: $0) }
            }
            try JSONOutput.print(
                LogDocument(
                    uses: uses, changes: changes.isEmpty ? nil : changes, entries: entries,
                    unreadableUses: unreadable > 0 ? unreadable : nil,
                    findings: documents))
        } else {
            try tell(uses, changes, entries, keyring, groups)
            if unreadable > 0 {
                global.say(
                    "keyfob: warning: \(Quantity.of(unreadable, "record or file", "records or files")) of uses cannot be "
                        + "read, or stand there twice")
            }
        }
        if let obstacle = keyring.uses.obstacle {
            global.say("keyfob: warning: no token use is noted: \(obstacle)")
        }
        guard let first = findings.first else { return }
        let elsewhere = findings.dropFirst().reduce(0) { $0 + $1.findings.count }
        throw KeyringError(
            .damaged, LogText.problem(first.findings, in: first.group, elsewhere: elsewhere),
            hint: LogText.advice(for: first.group))
    }

    /// What no undo takes back, unless only the use of tokens is asked for.
    private func changes(_ keyring: Keyring, since begin: Timestamp?) throws(KeyringError) -> [LogDocument.Change] {
        guard account == nil, host == nil, program == nil || program == "keyfob" else { return [] }
        return try keyring.undo.lasting().reversed().flatMap { entry in
            // With the vault its log began.
            entry.lasting.filter { $0.kind != .vaultMade }.map { LogDocument.Change(entry, $0) }
        }.filter { change in begin.map { change.moment >= $0.seconds } ?? true }
    }

    /// The programs that a word may name; none for the name of a tool that is not there.
    private func names(_ word: String) throws(KeyringError) -> [Program] {
        do throws(KeyringError) {
            return try NamedProgram.names(word)
        } catch {
            guard error.code == .noSuchFile, !word.utf8.contains(UInt8(ascii: "/")) else { throw error }
            return []
        }
    }

    /// Prints both as one list.
    private func tell(
        _ uses: [LogDocument.Use], _ changes: [LogDocument.Change], _ entries: [LogDocument.Entry], _ keyring: Keyring,
        _ groups: [AccessGroup]
    ) throws {
        var names: [String: String] = [:]
        if !entries.isEmpty {
            for candidate in try keyring.accounts.list(in: groups) {
                names[candidate.account.id.description] = keyring.accounts.shownName(of: candidate.account)
            }
        }
        var table = Table(
            header: ["TIME", "ACCOUNT", "TOOL", "WHERE", "FROM", "ASKED", "GROUP", "BY", "ANSWER"],
            yielding: ["GROUP", "BY", "ASKED", "FROM", "TIME"], wrapping: ["ANSWER"],
            usual: [
                "GROUP": AccessGroup.default.name, "ASKED": LogDocument.token,
                "ANSWER": Keyring.FoundToken.Origin.stored.rawValue,
            ])
        let rows =
            uses.map { ($0.moment, $0.row) } + changes.map { ($0.moment, $0.row) }
            + entries.map { ($0.moment, $0.row(names)) }
        let order = rows.indices.sorted { (rows[$0].0, $0) < (rows[$1].0, $1) }
        for index in order { table.add(rows[index].1) }
        if !rows.isEmpty { try StandardOutput.write(lines: table.text) }
        guard uses.isEmpty, entries.isEmpty else { return }
        if [program, account, since, host].contains(where: { $0 != nil }) {
            return global.say("no use of that kind is noted")
        }
        if !keyring.uses.isOn {
            global.say("no program has asked the agent; of other tokens nothing is kept ('keyfob log --on')")
        } else if keyring.uses.obstacle == nil {
            global.say("no token was given; of each that is, \(Self.kept)")
        }
    }

    /// Whether a use is by a program that somebody named, of whose name Linux tells 15 bytes.
    private func isCalled(_ word: String, _ use: Keyring.Use) -> Bool {
        use.tool == word || CallingTool.shortName(ofProgram: word).map { $0 == use.tool } ?? false
    }

    private func isFor(_ host: String, _ use: Keyring.Use) -> Bool {
        use.host == Identifier.folded(host)
    }

    private func turn(_ keyring: Keyring) throws {
        var left: String?
        if off { left = try keyring.uses.turnOff() } else { try keyring.uses.turnOn() }
        global.tellWarnings(of: keyring)
        if let left { global.say("keyfob: warning: \(left) holds something else and stays") }
        try global.tell(
            off ? .usesTurnedOff : .usesTurnedOn,
            off
                ? "removed what was kept of tokens given without the agent; nothing is kept any more"
                : "of tokens given from now on, \(Self.kept)")
    }

    /// What is kept of a token that was given.
    private static let kept =
        "account, program, host, and repository or folder are kept, sealed, and shown for 30 days"

    private func beginAnew(_ groups: [AccessGroup], _ keyring: Keyring) throws(KeyringError) {
        let files = AuditFiles(state: keyring.location.state)
        var names: [String] = []
        for group in groups { names += try files.beginAnew(group, keyring) }
        keyring.undo.noteOutside(.logBegunAnew, as: "log --begin-anew")
        global.tellWarnings(of: keyring)
        try global.tell(
            .logBegunAnew,
            names.isEmpty ? "a new log begins" : "a new log begins; the old one is \(names.joined(separator: ", "))")
    }
}
