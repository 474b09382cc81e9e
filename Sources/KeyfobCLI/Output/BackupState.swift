internal import Keyfob

/// How a vault is backed up, as far as can be told without opening anything.
struct BackupState {
    /// Those in the vault's folder, newest first.
    let files: [BackupFile]
    /// The last complete one that was made on this machine, wherever it went.
    let last: (time: Timestamp, path: String)?
    /// Whether the vault is known to hold nothing that a backup would be missed for.
    private let isEmpty: Bool
    /// Whether nothing is known that a backup would be for: 'backup' refuses then.
    private let lacksRecipient: Bool
    private let now = WallClock.system.now

    /// After how many days without one a backup is missed.
    private static let limit: Int64 = 30

    /// - Parameters:
    ///   - groups: What the vault holds; nil while it is locked.
    ///   - slots: What opens it; nil where not all of that is known.
    init(
        of vault: String, at location: KeyringLocation, holding groups: [Keyring.GroupSummary]?,
        opening slots: [Keyring.Slot]?
    ) throws(KeyringError) {
        lacksRecipient = slots.map { all in !all.contains { $0.kind == "recipient" } } ?? false
        files = try BackupFile.all(at: location)
        isEmpty = groups?.allSatisfy { $0.accounts == 0 && $0.credentials == 0 } ?? false
        last = Keyring.Bundles.lastBackup(of: vault, at: location)
    }

    /// When the last complete one was made.
    var newest: Timestamp? {
        let whole = files.first { $0.claim?.isComplete == true }
        return [whole?.time, last?.time].compactMap(\.self).max()
    }

    /// What is wrong, for programs: `none` or `old`; nil where nothing is.
    var problem: String? {
        guard let newest else { return isEmpty ? nil : "none" }
        return newest.advanced(by: Self.limit * 86_400) < now ? "old" : nil
    }

    /// How many there are and how old the newest is: `2 beside the vault, the last one 3 days ago`.
    var text: String {
        var text = "none" + (isEmpty && !lacksRecipient ? " ('keyfob backup' makes one)" : "")
        if let newest = files.first {
            let age = TimeText.distance(to: newest.time, from: now)
            text = "\(files.count) beside the vault, \(files.count == 1 ? "" : "the last one ")\(age)"
            if newest.claim?.isComplete == false { text += ", incomplete" }
        }
        guard let last, !files.contains(where: { $0.path == last.path }) else { return text }
        let elsewhere = "one \(TimeText.distance(to: last.time, from: now)): \(last.path)"
        return files.isEmpty ? elsewhere : "\(text); \(elsewhere)"
    }

    /// What is wrong, for people.
    var warning: String? {
        guard problem != nil else { return nil }
        return newest.map { "the last complete backup was made \(TimeText.distance(to: $0, from: now))" }
            ?? "there is no complete backup"
    }

    /// What to do about it.
    static let advice =
        "'keyfob backup --to FOLDER' makes one that survives this disk; 'keyfob backup --help' tells of a timer"
}
