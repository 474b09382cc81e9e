internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct SyncStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show who takes part in the sync, who asks to, and what is wrong.",
        discussion: """
            Of a folder it shows who asks to be let in now; of other remotes, who did at the last 'keyfob sync'. Changes \
            nothing. Ends with 65 where this machine was revoked, or is in a sync of its own at the same place.

            Example:
              keyfob sync status
              keyfob sync status --json
            """)

    @OptionGroup var options: SyncOptions

    func run() throws {
        let global = options.global
        let keyring = try options.open()
        let status = try NetworkTask.run { () async throws(KeyringError) in
            try await keyring.sync.status(fetching: nil)
        }
        global.tellWarnings(of: keyring)
        if global.json {
            try JSONOutput.print(SyncStatusDocument(status))
            if status.isCutOff { throw ReportedFailure(status: .malformed) }
            return
        }
        try StandardOutput.write(entry: "remote  \(TerminalText.line(status.remote))", nil)
        try StandardOutput.write(line: "words   \(status.own.words)")
        try StandardOutput.write(entry: "state   \(SyncText.state(status))", nil)
        try StandardOutput.write(entry: "synced  \(status.last.map { TimeText.moment($0) } ?? "not yet")", nil)
        for finding in status.findings {
            try StandardOutput.write(entry: "warning \(TerminalText.line(finding.text))", nil)
        }
        if let finding = status.findings.first(where: { $0.remedy != nil }) {
            try StandardOutput.write(entry: "        \(SyncText.advice(finding, status))", nil)
        }
        if let text = SyncText.standstill(status) { try StandardOutput.write(entry: "warning \(text)", nil) }
        for (text, advice) in SyncText.silent(status) {
            try StandardOutput.write(entry: "warning \(text)", nil)
            try StandardOutput.write(entry: "        \(advice)", nil)
        }
        for request in status.requests { try StandardOutput.write(line: "asks    \(request)") }
        try StandardOutput.write(lines: "\n" + Self.table(status))
        if status.isCutOff { throw ReportedFailure(status: .malformed) }
    }

    private static func table(_ status: SyncStatus) -> String {
        var table = Table(
            header: ["DEVICE", "WORDS", "SHARES", "LAST STATE", "LET IN BY"],
            yielding: ["LET IN BY", "LAST STATE"], wrapping: ["WORDS", "SHARES"])
        for device in [status.own] + status.devices {
            let isOwn = device == status.own
            let shares =
                device.hasLeft
                ? "left"
                : device.isRevoked ? "revoked" : device.sharesAll ? "all groups" : SyncText.groups(device.groups)
            table.add([
                (device.name.isEmpty ? "-" : device.name) + (isOwn ? " (this one)" : ""), device.words, shares,
                isOwn
                    ? "#\(device.sequence)"
                    : device.seen.map { "#\(device.sequence) \(LocalTime.text($0))" } ?? "none yet",
                device.approver ?? "-",
            ])
        }
        return table.text
    }
}

/// What is said of a sync.
enum SyncText {
    /// The warnings that a synchronisation gives reason for.
    static func warnings(_ report: SyncReport) -> [String] {
        report.warnings.map(TerminalText.line)
            + report.status.findings.filter { report.status.state == .member || $0.stays }.map { finding in
                TerminalText.line(finding.text) + (finding.remedy != nil ? "; \(advice(finding, report.status))" : "")
            }
    }

    /// Says what a synchronisation did.
    static func tell(_ report: SyncReport, _ global: GlobalOptions) throws(KeyringError) {
        for line in warnings(report) { StandardError.write(line: "keyfob: warning: \(line)") }
        if global.json { return try JSONOutput.print(SyncDocument(report)) }
        for line in lines(report) { global.say(line) }
    }

    /// What a synchronisation did, in lines.
    static func lines(_ report: SyncReport) -> [String] {
        let removed = report.removedDecisions.map {
            "removed, because its device takes part no more: \(TerminalText.line($0))"
        }
        let left = report.left.map { "\(TerminalText.line($0)) has left the sync" }
        guard report.status.state == .member else { return left + removed + [state(report.status)] }
        let taken =
            report.changed == 0
            ? "nothing new from others"
            : "took in \(Quantity.of(report.changed, "change")) from \(report.sources.joined(separator: ", "))"
        return left + removed + report.changedGroups.map(TerminalText.line) + [
            taken + (report.hasPublished ? "; wrote what is new here" : "; nothing new here")
        ]
    }

    static func state(_ status: SyncStatus) -> String {
        switch status.state {
        case .member: "takes part"
        case .waiting:
            "waiting to be let in: 'keyfob sync approve \(status.own.words)' on the other machine, then 'keyfob sync' here"
        case .untrusting: "trusts nobody yet: 'keyfob sync join REMOTE WORDS' says whom"
        case .leaving: "leaving, which others may not know: 'keyfob sync leave' again tells them"
        case .shutOut:
            "most likely revoked: others write nothing for it any more; 'keyfob sync join REMOTE WORDS' asks anew"
        case .revoked: "revoked by another device: 'keyfob sync join REMOTE WORDS' asks anew"
        }
    }

    /// How long this machine itself has not synchronised, where that is long for one that takes part; nil else.
    static func standstill(_ status: SyncStatus, at now: Timestamp = WallClock.system.now) -> String? {
        guard status.state == .member, let last = status.last else { return nil }
        let days = (now.seconds - last.seconds) / 86_400
        return days < standstillDays ? nil : "not synchronised for \(days) days: 'keyfob sync' says why"
    }

    private static let standstillDays: Int64 = 14

    /// Devices of which nothing has come for long, and what to do about each.
    static func silent(_ status: SyncStatus) -> [(text: String, advice: String)] {
        // While this machine does not look, nobody is silent.
        let now = status.last ?? WallClock.system.now
        return status.devices.compactMap { device in
            guard let days = device.silentDays(at: now) else { return nil }
            return (
                "nothing has come from \(TerminalText.line(device.title)) for \(Quantity.of(Int(days), "day"))",
                "'keyfob sync revoke \(ShellWord.quoted(device.words))' keeps it out, if it is lost or no longer used"
            )
        }
    }

    /// What else a revocation did, in lines.
    static func results(of change: SyncChange) -> [String] {
        change.alsoOut.map {
            "also revoked, because only \(change.title) had approved it: \(TerminalText.line($0)); "
                + "'keyfob sync approve WORDS' lets it in again"
        }
            + change.reduced.map {
                "shares fewer groups now, because only \(change.title) had approved it for the others: "
                    + TerminalText.line($0)
            } + change.removedDecisions.map { "removed, because \(change.title) had decided it: \($0)" }
    }

    static func groups(_ groups: [AccessGroup]) -> String {
        groups.isEmpty ? "none here" : groups.map { "'\($0)'" }.joined(separator: ", ")
    }

    /// What to do about a finding that somebody has to do something about.
    static func advice(_ finding: SyncStatus.Finding, _ status: SyncStatus) -> String {
        if finding.remedy == .repair {
            return "'keyfob sync repair' makes them alike"
                + (finding.device == status.own.words ? "" : "; where it does not, run it there too")
        }
        if finding.device == status.own.words {
            return finding.kind == "rolledBack"
                ? "it has written its state again; look at who can write there, then 'keyfob sync accept \(finding.device)'"
                : "'keyfob sync join REMOTE WORDS' makes this one a device of its own"
        }
        let name = ShellWord.inMessage(finding.device)
        // What somebody else can have put there, or says of it, is no reason to keep it out.
        if ["replaced", "altered", "forged", "disputed"].contains(finding.kind) {
            return "look at who can write there; 'keyfob sync accept \(name)' goes on from what is there then"
        }
        return "'keyfob sync revoke \(name)' keeps it out; 'keyfob sync accept \(name)' goes on, if you know why"
    }
}

/// `Schemas/sync-status.schema.json`.
struct SyncStatusDocument: JSONDocument {
    struct Device: Encodable {
        let words: String
        let name: String
        let sharesAll: Bool
        let groups: [String]
        let approver: String?
        let seenOn: String?
        let sequence: UInt64
        let silentDays: Int64?
        let isRevoked: Bool
        let hasLeft: Bool

        init(_ device: SyncStatus.Device) {
            (words, name, sharesAll) = (device.words, device.name, device.sharesAll)
            groups = device.groups.map(\.name)
            (approver, seenOn) = (device.approver, device.seen?.rfc3339)
            (sequence, isRevoked, hasLeft) = (device.sequence, device.isRevoked, device.hasLeft)
            silentDays = device.silentDays(at: WallClock.system.now)
        }
    }

    struct Finding: Encodable {
        let kind: String
        let device: String
        let text: String
        let since: String
        let remedy: String?

        init(_ finding: SyncStatus.Finding) {
            (kind, device, text) = (finding.kind, finding.device, finding.text)
            (since, remedy) = (finding.since.rfc3339, finding.remedy?.rawValue)
        }
    }

    let formatVersion = 1
    let remote: String
    let state: String
    let syncedOn: String?
    let device: Device
    let devices: [Device]
    let requests: [String]
    let findings: [Finding]
    let revoked: Revocation?

    /// What a revocation did besides.
    struct Revocation: Encodable {
        let device: String
        let alsoOut: [String]
        let reduced: [String]
        let removedDecisions: [String]
        let signIns: [String]
        let mayHaveSignedIn: [String]

        init(_ change: SyncChange) {
            (device, alsoOut, reduced) = (change.words, change.alsoOut, change.reduced)
            (removedDecisions, signIns) = (change.removedDecisions, change.signIns)
            mayHaveSignedIn = change.mayHaveSignedIn
        }
    }

    init(_ status: SyncStatus, after change: SyncChange? = nil) {
        revoked = change.map(Revocation.init)
        (remote, state, syncedOn) = (status.remote, status.state.rawValue, status.last?.rfc3339)
        device = Device(status.own)
        devices = status.devices.map(Device.init)
        requests = status.requests
        findings = status.findings.map(Finding.init)
    }
}

/// `Schemas/sync.schema.json`.
struct SyncDocument: JSONDocument {
    let formatVersion = 1
    let changed: Int
    let sources: [String]
    let hasPublished: Bool
    let bytes: UInt64
    let left: [String]
    let removedDecisions: [String]
    let changedGroups: [String]
    let state: String
    let findings: [SyncStatusDocument.Finding]

    init(_ report: SyncReport) {
        (changed, sources) = (report.changed, report.sources)
        (hasPublished, bytes) = (report.hasPublished, report.bytes)
        (left, removedDecisions) = (report.left, report.removedDecisions)
        changedGroups = report.changedGroups
        state = report.status.state.rawValue
        findings = report.status.findings.map(SyncStatusDocument.Finding.init)
    }
}
