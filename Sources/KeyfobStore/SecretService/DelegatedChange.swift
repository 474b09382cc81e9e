internal import KeyfobModel
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

/// A change of a vault that the Secret Service keeps: noted first, and made item by item when all of it is known.
///
/// First what is new, then what takes the place of something, then the header, last what goes. So whatever stops it in
/// the middle, what was there before is there still, or what came instead of it.
final class DelegatedChange: StorageChange {
    private let storage: DelegatedVault
    private let ownDevice: UInt64
    private var groups: [GroupID: ItemChange] = [:]
    private var removed: [SecretService.ItemPath] = []
    private var renamed: [GroupID] = []

    init(_ storage: DelegatedVault, device: UInt64) {
        self.storage = storage
        ownDevice = device
    }

    func begin(_ keys: GroupKeys) { groups[keys.group] = ItemChange(storage, keys) }

    func records(_ keys: GroupKeys) -> any RecordWriting {
        if let change = groups[keys.group] { return change }
        let change = ItemChange(storage, keys)
        groups[keys.group] = change
        return change
    }

    func removeRecords(of group: GroupID) throws -> Int {
        let items = try storage.withService { service, collection in
            try service.search(ItemAttributes.every(storage.vault, group), in: collection).items
        }
        removed += items
        return items.count
    }

    func rename(_ group: GroupID, to name: AccessGroup) { renamed.append(group) }

    func expectMany() {}

    func device() -> UInt64 { ownDevice }

    /// Makes the change.
    ///
    /// - Parameters:
    ///   - names: What the groups are called by now.
    ///   - header: Writes the header, where it has changed.
    /// - Throws: `secretService`, which tells whether a part was made.
    func commit(names: [GroupID: AccessGroup], header: () throws -> Void) throws {
        let changes = groups.values.sorted { $0.keys.group.description < $1.keys.group.description }
        var created: [SecretService.ItemPath] = []
        do {
            for change in changes { try change.create(in: names, &created) }
        } catch {
            // What is undone was never there; what cannot be undone is there besides what was.
            let left = created.filter { (try? storage.remove($0)) == nil }
            throw Self.error(error, partly: !left.isEmpty || Self.isOutcomeUnknown(error))
        }
        do {
            for change in changes { try change.replace(in: names) }
            try header()
            for change in changes { try change.deleteItems() }
            for item in removed { try storage.remove(item) }
            for group in renamed { try storage.relabel(group, names) }
        } catch {
            throw Self.error(error, partly: true)
        }
    }

    /// Whether an item may have been made although the service did not say so.
    private static func isOutcomeUnknown(_ error: any Error) -> Bool {
        guard case StoreError.secretService(let reason, _) = error else { return false }
        return reason == .timedOut || reason == .noService
    }

    private static func error(_ error: any Error, partly: Bool) -> any Error {
        switch error {
        case StoreError.secretService(let reason, _): StoreError.secretService(reason, partly: partly)
        default: error
        }
    }
}

/// What is to change in one group.
final class ItemChange: RecordWriting {
    private let storage: DelegatedVault
    let keys: GroupKeys
    /// What is new, under numbers that no item has.
    private var inserted: [(row: Int64, record: SealedRecord)] = []
    private var replaced: [(old: StoredRecord, record: SealedRecord)] = []
    private var deleted: [StoredRecord] = []
    private var knowsTombstones: Bool?
    /// The last number that was given to a new record; none is given twice.
    private var lastRow: Int64 = 0

    init(_ storage: DelegatedVault, _ keys: GroupKeys) {
        self.storage = storage
        self.keys = keys
    }

    var reader: any RecordReading { ChangedRecords(base: ItemRecords(storage: storage, keys: keys), change: self) }

    func insert(_ record: SealedRecord) {
        lastRow -= 1
        inserted.append((lastRow, record))
        if record.header.flags & TombstoneBody.flag != 0 { knowsTombstones = true }
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
        guard kind == .setting else { return true }
        if let knowsTombstones { return knowsTombstones }
        let items = try ItemRecords(storage: storage, keys: keys)
            .items(["kind": ItemAttributes.kind(.setting, isTombstone: true)])
        knowsTombstones = !items.isEmpty
        return !items.isEmpty
    }

    func finish() -> UInt64 { 0 }

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

/// One group's records as a change will leave them.
struct ChangedRecords: RecordReading {
    let base: ItemRecords
    let change: ItemChange
    var keys: GroupKeys { base.keys }

    func manifest() -> GroupManifest? { nil }

    func records(_ field: LookupField, _ lookup: Lookup) throws -> [StoredRecord] {
        merged(try base.records(field, lookup)) { field.value(in: $0.index) == lookup.value }
    }

    func accounts(_ names: AccountLookup) throws -> [StoredRecord] {
        merged(try base.accounts(names)) { names.matches($0) }
    }

    func records(of account: Lookup, kind: RecordHeader.Kind) throws -> [StoredRecord] {
        merged(try base.records(of: account, kind: kind)) { $0.index.account == account.value && $0.kind == kind }
    }

    func record(row rowID: Int64) throws -> StoredRecord {
        if let record = change.changed(where: { row, _ in row == rowID }).first { return record }
        return try base.record(row: rowID)
    }

    func rowIDs() throws -> [Int64] {
        try base.rowIDs().filter { !change.supersedes(row: $0) } + change.changed().map(\.rowID)
    }

    func forEachRecord(kind: RecordHeader.Kind, _ body: (Result<StoredRecord, any Error>) throws -> Void) throws {
        try base.forEachRecord(kind: kind) { result in
            if let record = try? result.get(), change.supersedes(row: record.rowID) { return }
            try body(result)
        }
        for record in change.changed(where: { $1.kind == kind }) { try body(.success(record)) }
    }

    func forEachRow(_ body: (Int64, Result<StoredRecord, any Error>) throws -> Void) throws {
        try base.forEachRow { row, result in
            if !change.supersedes(row: row) { try body(row, result) }
        }
        for record in change.changed() { try body(record.rowID, .success(record)) }
    }

    func sealedSecret(_ record: StoredRecord) throws -> CommittingAEAD.Box { try base.sealedSecret(record) }

    private func merged(_ found: [StoredRecord], _ isMeant: (RecordHeader) -> Bool) -> [StoredRecord] {
        found.filter { !change.supersedes(row: $0.rowID) } + change.changed { isMeant($1) }
    }
}
