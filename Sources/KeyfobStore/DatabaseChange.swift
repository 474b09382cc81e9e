internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobSodium
internal import KeyfobVault

/// Changes one group's records within a write transaction, and its manifest with them.
final class DatabaseChange: RecordWriting {
    var reader: any RecordReading { records }
    private let records: DatabaseRecords
    private let database: SQLiteConnection
    private var manifest: GroupManifest
    private var milestone: Milestone
    private var hasChanged = false
    private var keys: GroupKeys { records.keys }

    init(_ database: SQLiteConnection, _ keys: GroupKeys) throws {
        self.database = database
        records = DatabaseRecords(connection: database, keys: keys)
        (manifest, milestone) = try records.manifestAndMilestone()
    }

    /// Stores the empty manifest of a new group, and that it has no record.
    static func begin(_ database: SQLiteConnection, _ keys: GroupKeys) throws {
        try database.run("INSERT OR REPLACE INTO record_counts VALUES (?, 0)", [.bytes(keys.group.bytes)])
        try store(GroupManifest(sequence: 1), database, keys)
    }

    /// Stores a manifest.
    ///
    /// - Returns: How far the group has come with it.
    @discardableResult
    static func store(_ manifest: GroupManifest, _ database: SQLiteConnection, _ keys: GroupKeys) throws -> Milestone {
        let sealed = keys.seal(manifest).stored
        try database.run("INSERT OR REPLACE INTO manifests VALUES (?, ?)", [.bytes(keys.group.bytes), .bytes(sealed)])
        return Milestone(group: keys.group, sequence: manifest.sequence, sealed: sealed)
    }

    // A transaction is made as a whole, or the error says that it was not.
    func markIrreplaceable() {}

    func mayHold(_ kind: RecordHeader.Kind) -> Bool { manifest.count(of: kind) > 0 }

    func oldest(_ kind: RecordHeader.Kind) throws -> StoredRecord? {
        mayHold(kind) ? try records.firstRecords(1, kind: kind).first : nil
    }

    /// Writes the manifest, when anything has changed.
    func finish() throws -> Milestone? {
        if hasChanged {
            manifest.advance()
            milestone = try Self.store(manifest, database, keys)
        }
        return milestone
    }

    func delete(_ old: StoredRecord) throws {
        // Only what is authentic can be taken out of the manifest.
        _ = try old.open(keys)
        try forget(old)
        try database.run("DELETE FROM records WHERE id = ?", [.integer(old.rowID)])
        hasChanged = true
    }

    /// Takes a record out of the manifest.
    ///
    /// - Throws: `incomplete` when the manifest tells of no such record, because somebody put it back.
    private func forget(_ record: StoredRecord) throws {
        guard manifest.count(of: record.header.kind) > 0 else { throw StoreError.incomplete(group: keys.group) }
        manifest.remove(record.element(keys))
    }

    func insert(_ record: SealedRecord) throws {
        let header = record.header
        // FAIL, for otherwise SQLite keeps a copy of every page that it changes, to take back the one statement. What fails
        // takes the whole transaction back.
        try database.run(
            """
            INSERT OR FAIL INTO records (record, group_id, kind, flags, epoch, stamp, device, account_index,
                credential_index, username_index, label_index, secret_commitment, attributes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [.bytes(header.record.bytes), .bytes(header.group.bytes), .integer(Int64(header.kind.rawValue))]
                + Self.changeable(header) + Self.sealed(record))
        if let secret = record.secret {
            try database.run(
                "INSERT INTO secrets VALUES (?, ?)", [.integer(database.lastInsertedRow), .bytes(secret.stored)])
        }
        manifest.insert(keys.element(record))
        hasChanged = true
    }

    /// The columns `flags`, `epoch`, `stamp` and `device`, in which versions of a record may differ.
    private static func changeable(_ header: RecordHeader) -> [QueryValue] {
        [
            .integer(Int64(header.flags)), .integer(Int64(header.epoch)),
            .integer(Int64(bitPattern: header.stamp.value)), .integer(Int64(bitPattern: header.device)),
        ]
    }

    /// The columns from `account_index` to `attributes`, which keys of the group make.
    static func sealed(_ record: SealedRecord) -> [QueryValue] {
        let index = record.header.index
        return [
            QueryValue(index.account), QueryValue(index.credential), QueryValue(index.username),
            QueryValue(index.label), QueryValue(record.secret?.commitment), .bytes(record.attributes.stored),
        ]
    }

    func replace(_ old: StoredRecord, with record: SealedRecord) throws {
        _ = try old.open(keys)
        try forget(old)
        let header = record.header
        try database.run(
            """
            UPDATE records SET flags = ?, epoch = ?, stamp = ?, device = ?, account_index = ?,
                credential_index = ?, username_index = ?, label_index = ?, secret_commitment = ?, attributes = ?
            WHERE id = ?
            """, Self.changeable(header) + Self.sealed(record) + [.integer(old.rowID)])
        if let secret = record.secret {
            try database.run(
                "INSERT OR REPLACE INTO secrets VALUES (?, ?)", [.integer(old.rowID), .bytes(secret.stored)])
        } else if old.secretCommitment != nil {
            try database.run("DELETE FROM secrets WHERE id = ?", [.integer(old.rowID)])
        }
        manifest.insert(keys.element(record))
        hasChanged = true
    }
}
