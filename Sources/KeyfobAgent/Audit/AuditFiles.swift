public import Keyfob
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium
internal import Synchronization

/// The audits of a vault's groups, a file each in the folder for state: what programs asked an agent for, and what it answered.
///
/// Whoever has no key of the group can take whole files away, or lines from the end that came after the head which the agent
/// notes in the vault from time to time; they cannot change a line, leave one out, or add one. Who has the group's key can.
public struct AuditFiles: AuditTrail {
    private let folder: String
    private let heads = AuditHeads()

    /// The audits in `state`, the folder for state of a keyring.
    public init(state: String) { folder = state + "/audit" }

    /// Writes an entry down; one about no group in that of new items.
    public func append(_ entry: AuditEntry, _ keyring: Keyring) throws(KeyringError) {
        let group = if let group = entry.group { group } else { try keyring.groupForNewItems() }
        let log = try log(of: group, keyring)
        var head: (number: Int, hash: String) = (0, "")
        do {
            let gaveWay = try log.append { last in
                let (number, previous) = Self.place(after: last)
                let content = AuditLine.content(number, entry, previous: previous)
                guard let code = try keyring.auditCode(of: content, in: group) else {
                    throw KeyringError(.fault, "the group has no key for its audit")
                }
                let line = AuditLine.sealed(content, code.code, by: code.key)
                head = (number, AuditLine.hash(line))
                return line
            }
            heads.note(group, "\(head.number) \(head.hash)")
            if gaveWay { heads.keep(in: keyring) }
        } catch {
            let reason = KeyringError(error)
            throw reason.saying(
                "what programs ask for cannot be written down in \(log.path): \(reason.message)", advice: reason.advice)
        }
    }

    /// Notes in the vault how far the audits have come.
    public func noteHeads(in keyring: Keyring) { heads.keep(in: keyring) }

    /// The entries of a group, the oldest first, and what of them is not as it was written.
    ///
    /// - Throws: `groupNotGranted`, `noSuchGroup`, `inputOutput`.
    public func read(_ group: AccessGroup, _ keyring: Keyring) throws(KeyringError) -> AuditReading {
        let lines: [[UInt8]]
        do { lines = try log(of: group, keyring).lines() } catch { throw KeyringError(error) }
        let head = try keyring.auditHead(of: group)
        return try AuditReading(lines, head: head) { (content, key) throws(KeyringError) in
            try keyring.auditCode(of: content, in: group, by: key)?.code
        }
    }

    private func log(of group: AccessGroup, _ keyring: Keyring) throws(KeyringError) -> LineLog {
        let name = try keyring.auditName(of: group)
        return LineLog(path: "\(folder)/\(name.vault)/\(name.group).jsonl")
    }

    /// The number of the next line and the hash of the last one.
    private static func place(after last: [[UInt8]]) -> (number: Int, previous: String) {
        guard let end = last.last else { return (1, "") }
        // What a crash has cut short has no number, and is counted all the same.
        let whole = last.lastIndex { AuditLine($0) != nil }
        let number = whole.flatMap { AuditLine(last[$0])?.number } ?? 0
        return (number + last.count - (whole ?? -1), AuditLine.hash(end))
    }
}

/// How far audits have come since it was noted last.
private final class AuditHeads: Sendable {
    private let heads = Mutex<[AccessGroup: String]>([:])

    func note(_ group: AccessGroup, _ head: String) { heads.withLock { $0[group] = head } }

    /// Keeps them in the vault; what cannot be kept is kept the next time.
    func keep(in keyring: Keyring) {
        for (group, head) in heads.withLock({ $0 }) {
            guard (try? keyring.noteAuditHead(head, of: group)) != nil else { continue }
            heads.withLock { if $0[group] == head { $0[group] = nil } }
        }
    }
}
