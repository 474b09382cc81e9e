internal import KeyfobAge
internal import KeyfobSodium
internal import KeyfobVault

/// What a backup says of itself outside of its encryption, so that a list needs no key.
///
/// > Important: whoever can write the file can claim anything. It decides nothing but what a person is shown and offered;
/// what a backup holds and who made it shows when it is opened. Beside an open vault, ``isOwners(by:)`` tells.
public struct BackupClaim: Hashable, Sendable {
    /// Why a backup was made.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Somebody asked for it.
        case asked
        /// Something had changed since the last one.
        case changed
        /// An account or a group was removed.
        case beforeRemoval
        /// An import replaced what was there.
        case beforeReplacement
        /// Another backup was restored.
        case beforeRestore
        /// A group got a new key.
        case beforeNewKey
        /// The vault had got new keys.
        case afterRekey
    }

    /// The id of the vault that it is of: 32 hexadecimal digits.
    public let vault: String
    /// When its content was read.
    public let time: Timestamp
    /// How many records it holds.
    public let records: Int
    /// How many groups they are of.
    public let groups: Int
    /// Whether nothing had to be left out because it did not open.
    public let isComplete: Bool
    /// Why it was made; nil for a reason that this Keyfob does not know.
    public let reason: Reason?
    /// What stands for its content: the same for the same; nil where nothing was said.
    let content: String?
    /// The words that were said, in the order in which the MAC has them.
    private let words: [String]
    private let mac: [UInt8]
}

// The stanza `-> keyfob-backup 1 vault=… time=… records=… groups=… complete=yes reason=asked
// content=…`, whose body is the MAC.
extension BackupClaim {
    private static let type = "keyfob-backup"
    private static let version = "1"

    /// What the owner of `vault` claims of a backup that holds this.
    static func remark(
        on report: Keyring.BundleReport, of content: String, made reason: Reason, by vault: borrowing UnlockedVault
    ) throws(VaultError) -> AgeRemark {
        let words = [
            version, "vault=\(report.summary.vault)", "time=\(report.summary.created.rfc3339)",
            "records=\(report.summary.records)", "groups=\(report.summary.groups.count)",
            "complete=\(report.isIncomplete ? "no" : "yes")", "reason=\(reason.rawValue)",
            "content=\(content)",
        ]
        return AgeRemark(type, words, body: try vault.authentication(ofBackup: authenticated(words), as: .claim))
    }

    /// What stands for the content of a backup of `vault` whose groups have these fingerprints; nobody without its key learns
    /// anything by it, but whether two backups hold the same.
    static func content(
        _ fingerprints: [(group: AccessGroup, bytes: [UInt8])], of vault: borrowing UnlockedVault
    ) throws(VaultError) -> String {
        var text: [String] = []
        for slot in vault.header.slots {
            if case .recipient(let publicKey, _, _) = slot.lock { text.append(Hexadecimal.text(publicKey)) }
        }
        for (group, bytes) in fingerprints.sorted(by: { $0.group < $1.group }) {
            text.append("\(Hexadecimal.text(Array(group.name.utf8))) \(Hexadecimal.text(bytes))")
        }
        let bytes = Array(text.joined(separator: "\n").utf8)
        return Hexadecimal.text(Array(try vault.authentication(ofBackup: bytes, as: .content).prefix(16)))
    }

    /// What the MAC is of, behind its label.
    private static func authenticated(_ words: [String]) -> [UInt8] {
        Array(([type] + words).joined(separator: " ").utf8)
    }

    /// What a file that starts like this says; nil where it says nothing of the kind.
    init?(atStartOf file: [UInt8]) {
        guard let remark = AgeRemark(Self.type, atStartOf: file) else { return nil }
        words = Array(remark.arguments.dropFirst())
        guard words.first == Self.version else { return nil }
        var values: [String: String] = [:]
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, values.updateValue(parts[1], forKey: parts[0]) == nil else { return nil }
        }
        guard let vault = values["vault"], Hexadecimal.bytes(vault)?.count == 16,
            let date = values["time"].flatMap(CivilDate.init(rfc3339:)),
            let records = values["records"].flatMap(Int.init), let groups = values["groups"].flatMap(Int.init),
            records >= 0, groups >= 0, let isComplete = ["yes": true, "no": false][values["complete"] ?? ""]
        else { return nil }
        (self.vault, time, self.records, self.groups, self.isComplete) = (vault, date.time, records, groups, isComplete)
        reason = values["reason"].flatMap(Reason.init)
        content = values["content"]
        mac = remark.body
    }

    /// Whether the owner of `vault` said so.
    ///
    /// That the rest of the file is the one of which it was said does not show.
    func isOwners(by vault: borrowing UnlockedVault) -> Bool {
        guard let expected = try? vault.authentication(ofBackup: Self.authenticated(words), as: .claim) else {
            return false
        }
        return self.vault == Hexadecimal.text(vault.header.vault.bytes) && ConstantTime.areEqual(expected, mac)
    }
}
