internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

/// One group's records among the items of the Secret Service.
///
/// What an item holds decides what is found: an item that only looks as if it were the record asked for, by its
/// attributes, is passed over.
struct ItemRecords: RecordReading {
    let storage: SecretServiceStorage
    let keys: GroupKeys

    // There is none; but of a group that is gone nothing can be said.
    func manifest() throws -> GroupManifest? {
        try storage.require(keys.group)
        return nil
    }

    func records(_ field: LookupField, _ lookup: Lookup) throws -> [StoredRecord] {
        try found(ItemAttributes.search(lookup.subject)).filter { field.value(in: $0.header.index) == lookup.value }
    }

    func accounts(_ names: AccountLookup) throws -> [StoredRecord] {
        var records: [StoredRecord] = []
        for lookup in [names.account, names.homeAccountID, names.username, names.label] {
            guard let lookup else { continue }
            var attributes = ItemAttributes.search(lookup.subject)
            attributes["kind"] = ItemAttributes.kind(.account)
            for record in try found(attributes)
            where names.matches(record.header)
                && !records.contains(where: { $0.header.record == record.header.record })
            {
                records.append(record)
            }
        }
        return records
    }

    func records(of account: Lookup, kind: RecordHeader.Kind) throws -> [StoredRecord] {
        var attributes = ItemAttributes.search(account.subject)
        attributes["kind"] = ItemAttributes.kind(kind)
        return try found(attributes).filter { $0.header.index.account == account.value && $0.header.kind == kind }
    }

    func record(row rowID: Int64) throws -> StoredRecord {
        guard let row = try all([try storage.item(row: rowID)]).first else {
            throw StoreError.damaged(what: "row \(rowID)")
        }
        return try row.record.get()
    }

    func records(rows rowIDs: [Int64]) throws -> [StoredRecord] {
        // All in one question.
        let found = Dictionary(try all(rowIDs.map(storage.item(row:))).map { ($0.row, $0.record) }) { $1 }
        return try rowIDs.map { row in
            guard let record = found[row] else { throw StoreError.damaged(what: "row \(row)") }
            return try record.get()
        }
    }

    func rowIDs() throws -> [Int64] { try records().map(\.row) }

    func forEachRecord(kind: RecordHeader.Kind, _ body: (Result<StoredRecord, any Error>) throws -> Void) throws {
        let found = try items(["kind": ItemAttributes.kind(kind)])
        for (_, record) in newest(try all(found)) where (try? record.get().header.kind) ?? kind == kind {
            try body(record)
        }
    }

    func forEachRow(_ body: (Int64, Result<StoredRecord, any Error>) throws -> Void) throws {
        for (row, record) in try records() { try body(row, record) }
    }

    func sealedSecret(_ record: StoredRecord) throws -> CommittingAEAD.Box {
        guard let box = record.secret else {
            throw StoreError.damaged(what: "the secret of record \(record.header.record.short)")
        }
        return box
    }

    typealias Row = (row: Int64, record: Result<StoredRecord, any Error>)

    /// Every record of the group.
    private func records() throws -> [Row] { newest(try all(try items([:]))) }

    /// The records that have these attributes.
    ///
    /// - Throws: `damaged` when one of their items does not hold what Keyfob wrote.
    private func found(_ attributes: [String: String]) throws -> [StoredRecord] {
        try newest(try all(try items(attributes))).map { try $0.record.get() }
    }

    /// The items of the group that have these attributes.
    func items(_ attributes: [String: String]) throws -> [SecretService.ItemPath] {
        let wanted = attributes.mapValues(ItemAttributes.text)
            .merging(ItemAttributes.every(keys.vault, keys.group)) { $1 }
        return try storage.withService { service, collection in try service.items(wanted, in: collection) }
    }

    /// What the items hold, as far as they are still there, in the order in which they were made; where their paths do not
    /// tell that, as with KeePassXC, in the order in which the records were written last.
    func all(_ items: [SecretService.ItemPath]) throws -> [Row] {
        guard !items.isEmpty else { return [] }
        let sorted = items.sorted { ($0.path.utf8.count, $0.path) < ($1.path.utf8.count, $1.path) }
        let read = try storage.withService { service, _ in
            var read: [(item: SecretService.ItemPath, record: Result<OpenedItem, any Error>)] = []
            try service.secrets(of: sorted) { item, content in
                switch consume content {
                case .success(let bytes):
                    if !SecretServiceStorage.isEmptied(bytes) {
                        read.append((item, OpenedItem.result(bytes, item, keys)))
                    }
                case .failure(.noItem): break
                case .failure(.damaged): read.append((item, .failure(OpenedItem.damaged(item))))
                case .failure(let error): throw error
                }
            }
            if !sorted.allSatisfy(\.isNumbered) {
                let stamps = Dictionary(read.map { ($0.item, (try? $0.record.get())?.header.stamp.value ?? 0) }) { $1 }
                read.sort { (stamps[$0.item] ?? 0, $0.item.path) < (stamps[$1.item] ?? 0, $1.item.path) }
            }
            return read
        }
        let rows: [Row] = read.map { item, record in
            let row = storage.row(of: item)
            return (row, record.map { $0.record(row: row) })
        }
        storage.remember(rows.compactMap { try? $0.record.get() })
        return rows
    }

    /// The latest version of a record among the items that have one of these sets of attributes; nil where none holds it.
    func newest(_ record: RecordID, _ filings: [[String: String]]) throws -> StoredRecord? {
        var paths: Set<SecretService.ItemPath> = []
        for filing in filings { paths.formUnion(try items(filing)) }
        let rows = try all(Array(paths)).filter { (try? $0.record.get().header.record) == record }
        return try newest(rows).first?.record.get()
    }

    /// Of several items that hold one record, the one that was written last.
    private func newest(_ rows: [Row]) -> [Row] {
        var places: [RecordID: Int] = [:]
        var kept: [Row] = []
        for row in rows {
            guard case .success(let record) = row.record, let place = places[record.header.record],
                case .success(let other) = kept[place].record
            else {
                if case .success(let record) = row.record { places[record.header.record] = kept.count }
                kept.append(row)
                continue
            }
            storage.noteDoubles(record.header.record, [other.rowID, record.rowID])
            if other.version < record.version { kept[place] = row }
        }
        return kept
    }
}

/// What an item holds, sealed as it was read.
struct OpenedItem: Sendable {
    let header: RecordHeader
    let attributes: CommittingAEAD.Box
    let secret: CommittingAEAD.Box?

    /// The record, or that the item holds something else.
    static func result(
        _ bytes: borrowing SecretBytes, _ item: SecretService.ItemPath, _ keys: GroupKeys
    ) -> Result<OpenedItem, any Error> {
        do {
            let open = try OpenRecord(bytes, keys)
            var header = open.header
            header.index = try open.body.index(kind: header.kind, keys: keys)
            let sealed = try open.sealed(header, keys)
            return .success(OpenedItem(header: header, attributes: sealed.attributes, secret: sealed.secret))
        } catch {
            return .failure(damaged(item))
        }
    }

    static func damaged(_ item: SecretService.ItemPath) -> StoreError {
        .damaged(what: "the item \(item.path) of the Secret Service")
    }

    func record(row: Int64) -> StoredRecord {
        StoredRecord(rowID: row, header: header, attributes: attributes, secret: secret)
    }
}
