internal import Keyfob
internal import KeyfobAgent
internal import KeyfobTerminal

/// `Schemas/log.schema.json`.
struct LogDocument: JSONDocument {
    let formatVersion = 1
    let uses: [Use]
    /// What no undo takes back; nil for nothing.
    let changes: [Change]?
    let entries: [Entry]
    /// How many records of uses do not open.
    let unreadableUses: Int?
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

        /// - Parameter names: What accounts are called.
        func row(_ names: [String: String]) -> [String] {
            [
                LocalTime.text(Timestamp(seconds: moment)), account.map { names[$0] ?? $0 } ?? "-", program, "-", "-",
                asked, group,
                permission ?? "-", answer + (repeats.map { ", \($0) more" } ?? ""),
            ]
        }
    }

    struct Use: Encodable {
        let time: String
        let door: String
        let account: String
        let name: String?
        let group: String
        let tool: String?
        let host: String?
        let repository: String?
        let directory: String?
        let answer: String
        let moment: Int64

        private enum CodingKeys: CodingKey {
            case time, door, account, name, group, tool, host, repository, directory, answer
        }

        init(_ use: Keyring.Use) {
            (time, moment, door) = (use.time.rfc3339, use.time.seconds, use.door.rawValue)
            (account, name, group) = (use.account, use.name, use.group.name)
            (tool, host, repository, directory) = (use.tool, use.host, use.repository, use.directory)
            answer = use.origin.rawValue
        }

        var row: [String] {
            [
                LocalTime.text(Timestamp(seconds: moment)), name ?? account, tool ?? "-", host ?? "-",
                repository ?? directory ?? "-",
                LogDocument.token, group, "-", answer,
            ]
        }
    }

    struct Change: Encodable {
        let id: String
        let time: String
        let command: String
        let kind: String
        let text: String
        let instead: String?
        let moment: Int64

        private enum CodingKeys: CodingKey { case id, time, command, kind, text, instead }

        init(_ entry: UndoEntry, _ change: LastingChange) {
            (id, command, time, moment) = (entry.id, entry.command, entry.time.rfc3339, entry.time.seconds)
            (kind, text, instead) = (change.kind.rawValue, change.text, LastingText.instead(of: change))
        }

        var row: [String] {
            [
                LocalTime.text(Timestamp(seconds: moment)), "-", "keyfob", "-", "-", "-", "-", "-",
                "'\(command)' \(text)" + (instead.map { "; \($0)" } ?? ", which cannot be undone"),
            ]
        }
    }

    /// What most lines are about.
    static let token = AuditEntry.Kind.token.rawValue

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
