internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

/// What is to change in one group.
final class ItemChange: RecordWriting {
    private let storage: SecretServiceStorage
    let keys: GroupKeys
    /// What is new, under numbers that no item has.
    private var inserted: [(row: Int64, record: SealedRecord)] = []
    private var replaced: [(old: StoredRecord, record: SealedRecord)] = []
    private var deleted: [StoredRecord] = []
    private var knowsTombstones: Bool?
    /// The last number that was given to a new record; none is given twice.
    private var lastRow: Int64 = 0

    init(_ storage: SecretServiceStorage, _ keys: GroupKeys) {
        self.storage = storage
        self.keys = keys
    }

    var reader: any RecordReading { ChangedRecords(base: ItemRecords(storage: storage, keys: keys), change: self) }

    func insert(_ record: SealedRecord) {
        lastRow -= 1
        inserted.append((lastRow, record))
        if record.header.kind == .tombstone { knowsTombstones = true }
    }

    func replace(_ old: StoredRecord, with record: SealedRecord) throws {
        _ = try old.open(keys)
        if let index = inserted.firstIndex(where: { $0.row == old.rowID }) {
            inserted[index].record = record
        } else if let index = replaced.firstIndex(where: { $0.old.rowID == old.rowID }) {
            replaced[index].record = record
        } else {
            replaced.append((old, record))
        }
    }

    func delete(_ old: StoredRecord) throws {
        _ = try old.open(keys)
        if old.rowID < 0 {
            inserted.removeAll { $0.row == old.rowID }
        } else {
            replaced.removeAll { $0.old.rowID == old.rowID }
            deleted.append(old)
        }
    }

    // Asked for tombstones alone, and for each record that is new.
    func mayHold(_ kind: RecordHeader.Kind) throws -> Bool {
        guard kind == .tombstone else { return true }
        if let knowsTombstones { return knowsTombstones }
        let items = try ItemRecords(storage: storage, keys: keys)
            .items(["kind": ItemAttributes.kind(kind)])
        knowsTombstones = !items.isEmpty
        return !items.isEmpty
    }

    func finish() -> Milestone? { nil }

    /// Whether a record of the storage has changed, or is gone.
    func supersedes(row: Int64) -> Bool {
        replaced.contains { $0.old.rowID == row } || deleted.contains { $0.rowID == row }
    }

    /// The records as they will be, where that is not as they are, and `isMeant` says so.
    func changed(where isMeant: (Int64, RecordHeader) -> Bool = { _, _ in true }) -> [StoredRecord] {
        var found: [StoredRecord] = []
        for (old, record) in replaced where isMeant(old.rowID, record.header) {
            found.append(StoredRecord(rowID: old.rowID, record))
        }
        for (row, record) in inserted where isMeant(row, record.header) {
            found.append(StoredRecord(rowID: row, record))
        }
        return found
    }

    /// Makes the items that are new, refresh tokens before all others: nobody can get those again.
    func create(in names: [GroupID: AccessGroup], _ created: inout [SecretService.ItemPath]) throws {
        let isGrant = { (record: SealedRecord) in record.header.kind == .refreshToken }
        for record in inserted.map(\.record).filter(isGrant) + inserted.map(\.record).filter({ !isGrant($0) }) {
            created.append(try storage.create(record, keys, group: names[keys.group] ?? .default))
        }
    }

    /// Writes the items that change.
    func replace(in names: [GroupID: AccessGroup]) throws {
        for (old, record) in replaced {
            try storage.replace(try storage.item(row: old.rowID), old, with: record, keys, group: names[keys.group])
            for double in storage.doubles(of: record.header.record, besides: old.rowID) { try storage.remove(double) }
        }
    }

    /// Removes the items that go.
    func deleteItems() throws {
        for record in deleted {
            for double in storage.doubles(of: record.header.record, besides: record.rowID) {
                try storage.remove(double)
            }
            try storage.remove(try storage.item(row: record.rowID))
        }
    }
}

extension StoredRecord {
    /// A record that was sealed just now.
    init(rowID: Int64, _ record: SealedRecord) {
        self.init(rowID: rowID, header: record.header, attributes: record.attributes, secret: record.secret)
    }
}
