internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

/// One group's records as a change will leave them.
struct ChangedRecords: RecordReading {
    let base: any RecordReading
    let change: ItemChange
    var keys: GroupKeys { base.keys }

    func manifest() -> GroupManifest? { nil }

    func records(_ field: LookupField, _ lookup: Lookup) throws -> [StoredRecord] {
        merged(try base.records(field, lookup)) { field.finds($0, by: lookup) }
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

    func records(rows rowIDs: [Int64]) throws -> [StoredRecord] {
        let wanted = Set(rowIDs)
        var found = Dictionary(change.changed { row, _ in wanted.contains(row) }.map { ($0.rowID, $0) }) { $1 }
        let others = rowIDs.filter { found[$0] == nil }
        for record in try base.records(rows: others) { found[record.rowID] = record }
        return rowIDs.compactMap { found[$0] }
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
    func holds(_ secret: borrowing SecretBytes, _ record: StoredRecord) throws -> Bool {
        try base.holds(secret, record)
    }

    private func merged(_ found: [StoredRecord], _ isMeant: (RecordHeader) -> Bool) -> [StoredRecord] {
        found.filter { !change.supersedes(row: $0.rowID) } + change.changed { isMeant($1) }
    }
}
