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
    }

    /// The manifest.
    ///
    /// - Throws: `staleKeys` when it was sealed with another epoch's key, `damaged`.
    func manifest() throws -> GroupManifest {
        let statement = try database.cachedStatement(sql: "SELECT sealed FROM manifests WHERE group_id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [keys.group.bytes.blob]),
            let box = CommittingAEAD.Box(stored: row.bytes(0))
        else { throw StoreError.damaged(what: "the manifest of a group") }
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
        return try records(statement, [keys.group.bytes.blob, value.bytes.blob])
    }

    /// The records of one kind that belong to an account.
    func records(of account: BlindValue, kind: RecordHeader.Kind) throws -> [StoredRecord] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT \(StoredRecord.columns) FROM records
                WHERE group_id = ? AND account_index = ? AND kind = ?
                """)
        return try records(statement, [keys.group.bytes.blob, account.bytes.blob, Int64(kind.rawValue)])
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

    /// Calls `body` for each row of the group, found without any index.
    func forEachRow(_ body: (Result<StoredRecord, any Error>) throws -> Void) throws {
        let statement = try database.cachedStatement(
            sql: "SELECT \(StoredRecord.columns) FROM records NOT INDEXED WHERE group_id = ? ORDER BY id")
        let rows = try Row.fetchCursor(statement, arguments: [keys.group.bytes.blob])
        while let row = try rows.next() {
            try body(Result { try StoredRecord(row: row, vault: keys.vault) })
        }
    }

    /// The sealed secret of a record.
    ///
    /// - Throws: `damaged` when it is missing or is not the one the record was sealed with.
    func sealedSecret(_ record: StoredRecord) throws -> CommittingAEAD.Box {
        let statement = try database.cachedStatement(sql: "SELECT bytes FROM secrets WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [record.rowID]),
            let box = CommittingAEAD.Box(stored: row.bytes(0)), box.commitment == record.secretCommitment
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
    /// Reads all clear headers and commitments of the group, and opens nothing.
    ///
    /// - Throws: `incomplete`, `damaged`, `staleKeys`.
    func requireComplete() throws {
        let expected = try manifest()
        var actual = GroupManifest()
        try forEachRow { actual.insert(try $0.get().element(keys)) }
        guard actual.describesSameRecords(as: expected) else { throw StoreError.incomplete(group: keys.group) }
    }

    private func records(_ statement: Statement, _ arguments: StatementArguments) throws -> [StoredRecord] {
        var records: [StoredRecord] = []
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        while let row = try rows.next() { records.append(try StoredRecord(row: row, vault: keys.vault)) }
        return records
    }
}
