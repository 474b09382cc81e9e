package import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
package import KeyfobSodium
package import KeyfobVault

/// One group's records in the database, on whatever state of it the caller has chosen.
package struct DatabaseRecords: RecordReading {
    let connection: AnyQueryReading
    package let keys: GroupKeys

    /// The records of the group that has these keys.
    package init(connection: AnyQueryReading, keys: GroupKeys) {
        self.connection = connection
        self.keys = keys
    }

    package func manifest() throws(StorageFailure) -> GroupManifest? { try storedManifest() }

    /// The manifest, which every group has.
    ///
    /// - Throws: `staleKeys` when it was sealed with another epoch's key or the group is gone, `damaged`.
    package func storedManifest() throws(StorageFailure) -> GroupManifest { try manifestAndMilestone().manifest }

    /// The manifest, and how far the group has come with it.
    package func manifestAndMilestone() throws(StorageFailure) -> (manifest: GroupManifest, milestone: Milestone) {
        let stored = try connection.first(.manifest, [group], row: { $0.bytes(0) })
        guard let stored else { throw StoreError.staleKeys }
        guard let box = CommittingAEAD.Box(stored: stored) else {
            throw StoreError.damaged(what: "the manifest of a group")
        }
        do {
            let manifest = try keys.openManifest(box)
            return (manifest, Milestone(group: keys.group, sequence: manifest.sequence, sealed: stored))
        } catch {
            throw StoreError.staleKeys
        }
    }

    /// How many records the database itself counts for the group.
    package func recordCount() throws(StorageFailure) -> Int {
        let count = try connection.first(.recordCount, [group], row: { $0.integer(0) })
        return Int((count ?? nil) ?? 0)
    }

    package func records(_ field: LookupField, _ lookup: Lookup) throws(StorageFailure) -> [StoredRecord] {
        try records(field.query, [.bytes(lookup.value.bytes)]) { field.value(in: $0.index) == lookup.value }
    }

    package func accounts(_ names: AccountLookup) throws(StorageFailure) -> [StoredRecord] {
        let values = [names.username, names.label, names.account, names.homeAccountID].map { QueryValue($0?.value) }
        return try records(.byName, values) { names.matches($0) }
    }

    package func records(of account: Lookup, kind: RecordHeader.Kind) throws(StorageFailure) -> [StoredRecord] {
        try records(.byAccountAndKind, [.bytes(account.value.bytes), .integer(Int64(kind.rawValue))]) {
            $0.index.account == account.value && $0.kind == kind
        }
    }

    package func record(row rowID: Int64) throws(StorageFailure) -> StoredRecord {
        let record = try connection.first(
            .byRow, [.integer(rowID)],
            row: { row throws(StorageFailure) in try StoredRecord(row: row, vault: keys.vault) })
        guard let record else { throw StoreError.damaged(what: "row \(rowID)") }
        return record
    }

    package func record(_ id: RecordID) throws(StorageFailure) -> StoredRecord {
        let found = try records(.byID, [.bytes(id.bytes)]) { $0.record == id }
        guard let record = found.first else { throw StoreError.damaged(what: "record \(id.short)") }
        return record
    }

    package func rowIDs() throws(StorageFailure) -> [Int64] {
        var rowIDs: [Int64] = []
        try connection.run(.rowNumbers, [group]) { row in
            rowIDs.append(row.integer(0) ?? 0)
            return true
        }
        return rowIDs
    }

    /// What the index of accounts tells of the group's rows, also of those that are gone.
    package func indexedRows() throws(StorageFailure) -> [(
        rowID: Int64, kind: RecordHeader.Kind?, account: BlindValue?
    )] {
        var rows: [(rowID: Int64, kind: RecordHeader.Kind?, account: BlindValue?)] = []
        try connection.run(.indexedRows, [group]) { row in
            let kind = UInt8(exactly: row.integer(2) ?? 0).flatMap(RecordHeader.Kind.init(rawValue:))
            rows.append((row.integer(3) ?? 0, kind, BlindValue(row.bytes(1))))
            return true
        }
        return rows
    }

    package func forEachRecord(
        kind: RecordHeader.Kind, _ body: (Result<StoredRecord, StorageFailure>) throws(StorageFailure) -> Void
    ) throws(StorageFailure) {
        try connection.run(.byKind, [group, .integer(Int64(kind.rawValue))]) { row throws(StorageFailure) in
            try body(record(in: row))
            return true
        }
    }

    package func firstRecords(_ count: Int, kind: RecordHeader.Kind) throws(StorageFailure) -> [StoredRecord] {
        var records: [StoredRecord] = []
        try connection.run(.byKind, [group, .integer(Int64(kind.rawValue))]) { row throws(StorageFailure) in
            records.append(try StoredRecord(row: row, vault: keys.vault))
            return records.count < count
        }
        return records
    }

    package func forEachRow(_ body: (Int64, Result<StoredRecord, StorageFailure>) throws(StorageFailure) -> Void)
        throws(StorageFailure)
    {
        try connection.run(.everyRow, [group]) { row throws(StorageFailure) in
            try body(row.integer(0) ?? 0, record(in: row))
            return true
        }
    }

    package func sealedSecret(_ record: StoredRecord) throws(StorageFailure) -> CommittingAEAD.Box {
        let stored = try connection.first(
            .secret, [.integer(record.rowID)],
            row: { ($0.bytes(0), $0.optionalBytes(1)) })
        guard let (bytes, commitment) = stored, commitment == record.secretCommitment else {
            throw StoreError.staleKeys
        }
        guard let box = CommittingAEAD.Box(stored: bytes), box.commitment == record.secretCommitment
        else { throw StoreError.damaged(what: "the secret of record \(record.header.record.short)") }
        return box
    }

    private var group: QueryValue { .bytes(keys.group.bytes) }

    private func record(in row: AnyQueryRow) -> Result<StoredRecord, StorageFailure> {
        Result { () throws(StorageFailure) in try StoredRecord(row: row, vault: keys.vault) }
    }

    /// The records of the group that a query finds by an index, which must be what was looked for: an
    /// index can be damaged too.
    private func records(
        _ query: ReadQuery, _ values: [QueryValue], isExpected: (RecordHeader) -> Bool
    ) throws(StorageFailure) -> [StoredRecord] {
        var records: [StoredRecord] = []
        try connection.run(query, [group] + values) { row throws(StorageFailure) in
            let record = try StoredRecord(row: row, vault: keys.vault)
            guard isExpected(record.header) else { throw StoreError.damaged(what: "an index of keyring.db") }
            records.append(record)
            return true
        }
        return records
    }
}

extension StoredRecord {
    /// Reads a row; nothing is authenticated yet.
    ///
    /// - Throws: `damaged` when a column cannot be what it should be.
    init(row: some QueryRow, vault: VaultID) throws(StorageFailure) {
        let rowID = row.integer(0) ?? 0
        guard let record = RecordID(row.bytes(1)), let group = GroupID(row.bytes(2)),
            let kind = UInt8(exactly: row.integer(3) ?? 0).flatMap(RecordHeader.Kind.init(rawValue:)),
            let flags = UInt16(exactly: row.integer(4) ?? -1),
            let epoch = UInt32(exactly: row.integer(5) ?? -1),
            let attributes = CommittingAEAD.Box(stored: row.bytes(13))
        else { throw StoreError.damaged(what: "record in row \(rowID)") }
        let header = RecordHeader(
            vault: vault, group: group, epoch: epoch, record: record, kind: kind, flags: flags,
            stamp: Stamp(value: UInt64(bitPattern: row.integer(6) ?? 0)),
            device: UInt64(bitPattern: row.integer(7) ?? 0),
            index: RecordIndex(
                account: BlindValue(row.bytes(8)), credential: BlindValue(row.bytes(9)),
                username: BlindValue(row.bytes(10)), label: BlindValue(row.bytes(11))))
        self.init(rowID: rowID, header: header, attributes: attributes, secretCommitment: row.optionalBytes(12))
    }
}

extension LookupField {
    fileprivate var query: ReadQuery {
        switch self {
        case .account: .byAccount
        case .credential: .byCredential
        }
    }
}
