internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

// What a group has lost is a record of the group itself: sealed, in its manifest, and going with it. So whoever writes in
// the folder cannot take it away unnoticed, and whoever holds the group's key could, as they could the records.

extension Keyring {
    /// Something that a group has lost, or has and should not.
    public struct Loss: Hashable, Sendable {
        /// What happened.
        public let loss: RecordLoss
        /// The group.
        public let group: AccessGroup
        /// Who noted it; nil while it is only found.
        ///
        /// Whoever it was, it decides nothing.
        public let writer: DecisionWriter?

        init(_ loss: RecordLoss, in group: AccessGroup, by writer: DecisionWriter? = nil) {
            (self.loss, self.group, self.writer) = (loss, group, writer)
        }

        /// What happened, where: one line, without a command.
        public var text: String {
            "group '\(group)': \(loss.text)" + (writer == .group ? ", says somebody with the group's key" : "")
        }
    }
}

extension Keyring.Health {
    /// What the groups within reach have lost, as repairs noted it, and is not accepted.
    ///
    /// - Throws: `damaged` where that cannot be told.
    public func losses() throws(KeyringError) -> [Keyring.Loss] {
        try withState { state in try state.vault.groups.flatMap(losses(in:)) }
    }

    func losses(in group: UnlockedVault.Group) throws -> [Keyring.Loss] {
        let (losses, writer) = try database.losses(in: group.keys)
        return losses.map { Keyring.Loss($0, in: group.name, by: writer) }
    }

    /// Forgets what the groups within reach have lost.
    ///
    /// - Returns: What is forgotten.
    /// - Throws: `damaged`, and what writing can throw.
    @discardableResult
    public func acceptLosses() throws(KeyringError) -> [Keyring.Loss] {
        let accepted = try withState { state in
            var accepted: [Keyring.Loss] = []
            for group in state.vault.groups {
                let losses = try losses(in: group)
                guard !losses.isEmpty else { continue }
                try change(&state, group) { try $0.forgetLosses() }
                accepted += losses
            }
            return accepted
        }
        if !accepted.isEmpty { keyring.undo.noteOutside(.stateAccepted, as: "doctor --accept-loss") }
        return accepted
    }
}

/// What backups hold of a vault that the vault itself does not hold any more, of each item the newest.
public struct BackupHoldings: Sendable {
    private struct Item: Sendable {
        let key: ItemKey
        let kind: RecordLoss.Kind
        let account: AccountID?
        let clientID: String?
        let written: Timestamp
        let backup: BackupFile
    }

    private var items: [AccessGroup: [ItemKey: Item]] = [:]

    init() {}

    /// Takes an item of a backup in; those of newer backups come first.
    mutating func add(_ record: ItemRecord, of backup: BackupFile) {
        guard items[record.group]?[record.key] == nil else { return }
        items[record.group, default: [:]][record.key] = Item(
            key: record.key, kind: RecordLoss.Kind(RecordHeader.Kind(record.content)),
            account: record.key.account.flatMap { AccountID($0) }, clientID: record.content.credential?.clientID,
            written: Timestamp(seconds: record.version.stamp.milliseconds / 1_000), backup: backup)
    }

    /// The items that a loss may be of.
    private func candidates(for loss: RecordLoss, in group: AccessGroup) -> [Item] {
        (items[group] ?? [:]).values.filter { item in
            guard let kind = loss.kind, item.kind == kind else { return false }
            return (loss.account == nil || loss.account == item.account)
                && (loss.clientID == nil || loss.clientID == item.clientID)
        }.sorted { $0.key < $1.key }
    }

    /// A loss by the names of what it is of, where the backups hold no more than are lost.
    func naming(_ loss: RecordLoss, in group: AccessGroup) -> [RecordLoss] {
        let found = candidates(for: loss, in: group)
        guard [.missing, .unopened].contains(loss.change), !found.isEmpty, found.count <= loss.count else {
            return [loss]
        }
        let named = found.map { item in
            RecordLoss(
                loss.change, loss.kind, account: item.account ?? loss.account, clientID: item.clientID,
                written: loss.written ?? item.written, file: loss.file, noted: loss.noted)
        }
        let rest = loss.count - named.count
        return named + (rest > 0 ? [RecordLoss(loss.change, loss.kind, count: rest, noted: loss.noted)] : [])
    }

    /// A loss by the names of what it is of, where the backups hold no more than are lost.
    public func naming(_ loss: Keyring.Loss) -> [Keyring.Loss] {
        naming(loss.loss, in: loss.group).map { Keyring.Loss($0, in: loss.group, by: loss.writer) }
    }

    /// The newest backup that has what is lost, or one of the things that it may be; nil where none has.
    public func newest(with loss: Keyring.Loss) -> BackupFile? {
        candidates(for: loss.loss, in: loss.group).map(\.backup).max { $0.time < $1.time }
    }
}
