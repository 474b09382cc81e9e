internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobTerminal

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "What programs asked 'keyfob agent' for, and what they got.",
        discussion: """
            Oldest first; never a token. Each line carries a code that needs the group's key, and the hash of the one before: a line \
            that was changed, left out or moved is told, with status 65. Lines cut from the end are told from the last one on that \
            the agent has noted in the vault, which it does when it ends. Who has the group's key, and so every program of yours \
            while it is unlocked, can write another log. What a program was given stands in \
            files of its own; of equal answers that gave it nothing, ten have a line, and then one a minute for all.

            Example:
              keyfob log --since 2d
              keyfob log --program ~/bin/report.py --account ada
              keyfob log --json
              keyfob log --begin-anew
            """)

    @Option(name: .long, help: ArgumentHelp("Only of this program.", valueName: "program"), completion: .file())
    var program: String?
    @Option(name: [.short, .long], help: ArgumentHelp("Only about this account.", valueName: "name"))
    var account: String?
    @Option(name: .long, help: ArgumentHelp("Only the last: 90s, 15m, 8h, 2d.", valueName: "duration"))
    var since: String?
    @Flag(name: .long, help: "Put the log aside, whatever it holds, and begin a new one.") var beginAnew = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        guard since.map({ TimeText.seconds($0) != nil }) ?? true else {
            throw ValidationError("--since takes a duration such as 15m or 8h")
        }
    }

    func run() throws {
        let wanted = try program.map { (word) throws(KeyringError) in try NamedProgram.names(word) }
        let keyring = try global.unlockedKeyring(reaching: .files())
        let groups = try global.groups() ?? keyring.groups.list().map(\.name)
        guard !beginAnew else { return try self.beginAnew(groups, keyring) }
        let whose = try account.map { (name) throws(KeyringError) in
            try keyring.accounts.named(name, in: groups).account.id
        }
        let begin = since.flatMap(TimeText.seconds).map { WallClock.system.now.advanced(by: -Int64($0)) }
        let files = AuditFiles(state: keyring.location.state)
        var entries: [LogDocument.Entry] = []
        var findings: [(group: AccessGroup, findings: [AuditReading.Finding])] = []
        for group in groups {
            let reading = try files.read(group, keyring)
            entries += reading.lines.filter { line in
                (wanted?.contains(line.entry.program) ?? true) && (whose.map { $0 == line.entry.account } ?? true)
                    && (begin.map { line.entry.time.seconds >= $0.seconds } ?? true)
            }.map { LogDocument.Entry($0, in: group) }
            if !reading.findings.isEmpty { findings.append((group, reading.findings)) }
        }
        entries.sort { $0.moment < $1.moment }
        global.tellWarnings(of: keyring)
        if global.json {
            let documents = findings.flatMap { group, findings in
                findings.map { LogDocument.Finding(group: group.name, finding: $0) }
            }
            try JSONOutput.print(LogDocument(entries: entries, findings: documents))
        } else {
            var table = Table(
                header: ["TIME", "PROGRAM", "ASKED", "ACCOUNT", "GROUP", "BY", "ANSWER"],
                yielding: ["GROUP", "BY", "ASKED", "TIME"], wrapping: ["ANSWER"],
                usual: ["GROUP": AccessGroup.default.name])
            for entry in entries { table.add(entry.row) }
            try StandardOutput.write(lines: table.text)
            if entries.isEmpty {
                global.say("no program has asked the agent; what commands do by themselves is not logged")
            }
        }
        guard let first = findings.first else { return }
        let elsewhere = findings.dropFirst().reduce(0) { $0 + $1.findings.count }
        throw KeyringError(
            .damaged, LogText.problem(first.findings, in: first.group, elsewhere: elsewhere),
            hint: LogText.advice(for: first.group))
    }

    private func beginAnew(_ groups: [AccessGroup], _ keyring: Keyring) throws(KeyringError) {
        let files = AuditFiles(state: keyring.location.state)
        var names: [String] = []
        for group in groups { names += try files.beginAnew(group, keyring) }
        global.tellWarnings(of: keyring)
        try global.tell(
            .logBegunAnew,
            names.isEmpty ? "a new log begins" : "a new log begins; the old one is \(names.joined(separator: ", "))")
    }
}

/// `Schemas/log.schema.json`.
private struct LogDocument: JSONDocument {
    let formatVersion = 1
    let entries: [Entry]
    let findings: [Finding]

    struct Entry: Encodable {
        let number: Int
        let time: String
        let program: String
        let process: Int32
        let door: String
        let asked: String
        let account: String?
        let group: String
        let scopes: [String]
        let clientID: String?
        let reason: String?
        let permission: String?
        let answer: String
        let repeats: Int?
        let moment: Int64

        private enum CodingKeys: CodingKey {
            case number, time, program, process, door, asked, account, group, scopes, clientID, reason, permission,
                answer, repeats
        }

        init(_ line: AuditReading.Line, in group: AccessGroup) {
            let entry = line.entry
            number = line.number
            time = entry.time.rfc3339
            program = entry.program.description
            process = entry.process
            door = entry.door.rawValue
            asked = entry.kind.rawValue
            account = entry.account?.description
            self.group = group.name
            scopes = entry.scopes.scopes
            clientID = entry.clientID
            reason = entry.reason
            permission = entry.permission?.rawValue
            answer = entry.answer
            repeats = entry.repeats > 0 ? entry.repeats : nil
            moment = entry.time.seconds
        }

        var row: [String] {
            [
                TimeText.local(in: time), program, asked, account ?? "-", group, permission ?? "-",
                answer + (repeats.map { ", \($0) more" } ?? ""),
            ]
        }
    }

    struct Finding: Encodable {
        let group: String
        let kind: String
        let line: Int
        let text: String

        init(group: String, finding: AuditReading.Finding) {
            self.group = group
            (kind, line, text) = (finding.kind.rawValue, finding.line, finding.description)
        }
    }
}
