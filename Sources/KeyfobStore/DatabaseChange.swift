internal import GRDB
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
    private let database: Database
    private var manifest: GroupManifest
    private var milestone: Milestone
    private var hasChanged = false
    private var keys: GroupKeys { records.keys }

    init(_ database: Database, _ keys: GroupKeys) throws {
        self.database = database
        records = DatabaseRecords(connection: try ReadConnection(within: database), keys: keys)
        (manifest, milestone) = try records.manifestAndMilestone()
    }

    /// Stores the empty manifest of a new group, and that it has no record.
    static func begin(_ database: Database, _ keys: GroupKeys) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO record_counts VALUES (?, 0)", arguments: [keys.group.bytes.blob])
        try store(GroupManifest(sequence: 1), database, keys)
    }

    /// Stores a manifest.
    ///
    /// - Returns: How far the group has come with it.
    @discardableResult
    static func store(_ manifest: GroupManifest, _ database: Database, _ keys: GroupKeys) throws -> Milestone {
        let sealed = keys.seal(manifest).stored
        try database.execute(
            sql: "INSERT OR REPLACE INTO manifests VALUES (?, ?)", arguments: [keys.group.bytes.blob, sealed.blob])
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
        try database.cachedStatement(sql: "DELETE FROM records WHERE id = ?").execute(arguments: [old.rowID])
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
        try database.cachedStatement(
            sql: """
                INSERT OR FAIL INTO records (record, group_id, kind, flags, epoch, stamp, device, account_index,
                    credential_index, username_index, label_index, secret_commitment, attributes)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            header.record.bytes.blob, header.group.bytes.blob, Int64(header.kind.rawValue), Int64(header.flags),
            Int64(header.epoch), Int64(bitPattern: header.stamp.value), Int64(bitPattern: header.device),
            header.index.account?.bytes.blob, header.index.credential?.bytes.blob,
            header.index.username?.bytes.blob, header.index.label?.bytes.blob,
            record.secret?.commitment.blob, record.attributes.stored.blob,
        ])
        if let secret = record.secret {
            try database.cachedStatement(sql: "INSERT INTO secrets VALUES (?, ?)")
                .execute(arguments: [database.lastInsertedRowID, secret.stored.blob])
        }
        manifest.insert(keys.element(record))
        hasChanged = true
    }

    func replace(_ old: StoredRecord, with record: SealedRecord) throws {
        _ = try old.open(keys)
        try forget(old)
        let header = record.header
        try database.cachedStatement(
            sql: """
                UPDATE records SET flags = ?, epoch = ?, stamp = ?, device = ?, account_index = ?,
                    credential_index = ?, username_index = ?, label_index = ?, secret_commitment = ?, attributes = ?
                WHERE id = ?
                """
        ).execute(arguments: [
            Int64(header.flags), Int64(header.epoch), Int64(bitPattern: header.stamp.value),
            Int64(bitPattern: header.device), header.index.account?.bytes.blob,
            header.index.credential?.bytes.blob, header.index.username?.bytes.blob,
            header.index.label?.bytes.blob, record.secret?.commitment.blob, record.attributes.stored.blob,
            old.rowID,
        ])
        if let secret = record.secret {
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO secrets VALUES (?, ?)")
                .execute(arguments: [old.rowID, secret.stored.blob])
        } else if old.secretCommitment != nil {
            try database.cachedStatement(sql: "DELETE FROM secrets WHERE id = ?").execute(arguments: [old.rowID])
        }
        manifest.insert(keys.element(record))
        hasChanged = true
    }
}
