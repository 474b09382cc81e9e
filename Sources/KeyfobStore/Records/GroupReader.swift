internal import GRDB
internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobVault

/// Reads one group's records, on whatever state of the database the caller has chosen.
struct GroupReader {
    let database: Database
    let keys: GroupKeys

    /// The lookup fields that have an index.
    enum Field: String {
        case account = "account_index"
        case credential = "credential_index"
        case username = "username_index"
        case label = "label_index"

        /// What a row has in the field.
        func value(in index: RecordIndex) -> BlindValue? {
            switch self {
            case .account: index.account
            case .credential: index.credential
            case .username: index.username
            case .label: index.label
            }
        }
    }

    /// The manifest.
    ///
    /// - Throws: `staleKeys` when it was sealed with another epoch's key or the group is gone, `damaged`.
    func manifest() throws -> GroupManifest {
        let statement = try database.cachedStatement(sql: "SELECT sealed FROM manifests WHERE group_id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [keys.group.bytes.blob]) else {
            throw StoreError.staleKeys
        }
        guard let box = CommittingAEAD.Box(stored: row.bytes(0)) else {
            throw StoreError.damaged(what: "the manifest of a group")
        }
        do {
            return try keys.openManifest(box)
        } catch {
            throw StoreError.staleKeys
        }
    }

    /// How many records the database itself counts for the group.
    func recordCount() throws -> Int {
        let statement = try database.cachedStatement(sql: "SELECT records FROM record_counts WHERE group_id = ?")
        return try Int.fetchOne(statement, arguments: [keys.group.bytes.blob]) ?? 0
    }

    /// The records whose `field` has this value.
    func records(_ field: Field, _ value: BlindValue) throws -> [StoredRecord] {
        let statement = try database.cachedStatement(
            sql: "SELECT \(StoredRecord.columns) FROM records WHERE group_id = ? AND \(field.rawValue) = ?")
        return try records(statement, [keys.group.bytes.blob, value.bytes.blob]) { field.value(in: $0.index) == value }
    }

    /// The records of one kind that belong to an account.
    func records(of account: BlindValue, kind: RecordHeader.Kind) throws -> [StoredRecord] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT \(StoredRecord.columns) FROM records
                WHERE group_id = ? AND account_index = ? AND kind = ?
                """)
        return try records(statement, [keys.group.bytes.blob, account.bytes.blob, Int64(kind.rawValue)]) {
            $0.index.account == account && $0.kind == kind
        }
    }

    /// Calls `body` for each record of one kind, in the order in which they were stored.
    func forEachRecord(kind: RecordHeader.Kind, _ body: (Result<StoredRecord, any Error>) throws -> Void) throws {
        let statement = try database.cachedStatement(
            sql: "SELECT \(StoredRecord.columns) FROM records WHERE group_id = ? AND kind = ? ORDER BY id")
        let rows = try Row.fetchCursor(statement, arguments: [keys.group.bytes.blob, Int64(kind.rawValue)])
        while let row = try rows.next() {
            try body(Result { try StoredRecord(row: row, vault: keys.vault) })
        }
    }

    /// Calls `body` with the number and the record of each row of the group, found without any index.
    func forEachRow(_ body: (Int64, Result<StoredRecord, any Error>) throws -> Void) throws {
        let statement = try database.cachedStatement(
            sql: "SELECT \(StoredRecord.columns) FROM records NOT INDEXED WHERE group_id = ? ORDER BY id")
        let rows = try Row.fetchCursor(statement, arguments: [keys.group.bytes.blob])
        while let row = try rows.next() {
            try body(row.integer(0) ?? 0, Result { try StoredRecord(row: row, vault: keys.vault) })
        }
    }

    /// The sealed secret of a record.
    ///
    /// - Throws: `staleKeys` when the record has changed since it was read, `damaged` when its secret is
    ///   missing or is not the one the record was sealed with.
    func sealedSecret(_ record: StoredRecord) throws -> CommittingAEAD.Box {
        // One statement sees one state: another process may have replaced the record meanwhile.
        let statement = try database.cachedStatement(
            sql: """
                SELECT secrets.bytes, records.secret_commitment
                FROM records LEFT JOIN secrets ON secrets.id = records.id WHERE records.id = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: [record.rowID]),
            row.optionalBytes(1) == record.secretCommitment
        else { throw StoreError.staleKeys }
        guard let box = CommittingAEAD.Box(stored: row.bytes(0)), box.commitment == record.secretCommitment
        else { throw StoreError.damaged(what: "the secret of record \(record.header.record.short)") }
        return box
    }

    /// The secret of a record.
    ///
    /// - Throws: `damaged`, `staleKeys`.
    func secret(_ record: StoredRecord) throws -> SecretBytes {
        try record.open(secret: try sealedSecret(record), keys)
    }

    /// Makes sure that the group's rows are exactly those of the manifest: the proof that must stand
    /// behind every "there is no such record".
    ///
    /// Reads all clear headers and commitments of the group, calls `body` with each record, and opens
    /// nothing.
    ///
    /// - Throws: `incomplete`, `damaged`, `staleKeys`.
    func requireComplete(_ body: (StoredRecord) -> Void = { _ in }) throws {
        let expected = try manifest()
        var actual = GroupManifest()
        try forEachRow { _, result in
            let record = try result.get()
            actual.insert(record.element(keys))
            body(record)
        }
        guard actual.describesSameRecords(as: expected) else { throw StoreError.incomplete(group: keys.group) }
    }

    /// The records that a statement finds by an index, which must be what was looked for: an index can be
    /// damaged too.
    private func records(
        _ statement: Statement, _ arguments: StatementArguments, _ isExpected: (RecordHeader) -> Bool
    ) throws -> [StoredRecord] {
        var records: [StoredRecord] = []
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        while let row = try rows.next() {
            let record = try StoredRecord(row: row, vault: keys.vault)
            guard isExpected(record.header) else { throw StoreError.damaged(what: "an index of keyring.db") }
            records.append(record)
        }
        return records
    }
}
