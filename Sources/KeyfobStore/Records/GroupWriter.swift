internal import GRDB
internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobVault

/// Changes one group's records within a write transaction, and its manifest with them.
package final class GroupWriter {
    let reader: GroupReader
    let keys: GroupKeys
    private let database: Database
    private let device: UInt64
    private let milliseconds: Int64
    private(set) var manifest: GroupManifest
    private var hasChanged = false

    /// Where an item comes from that is saved.
    package enum Source: Sendable {
        /// The owner of the keyring, whose word counts.
        case owner
        /// A provider that a person has just signed in to.
        case signIn
        /// Another program's file, which may be older than what is stored.
        case file
    }

    /// What saving an item did.
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        case added, changed, unchanged
        /// What is stored is newer and was kept.
        case kept
    }

    init(_ database: Database, _ keys: GroupKeys, device: UInt64, milliseconds: Int64) throws {
        self.database = database
        self.keys = keys
        self.device = device
        self.milliseconds = milliseconds
        self.reader = GroupReader(connection: try ReadConnection(within: database), keys: keys)
        self.manifest = try reader.manifest()
    }

    /// Stores the empty manifest of a new group.
    static func begin(_ database: Database, _ keys: GroupKeys) throws {
        try store(GroupManifest(sequence: 1), database, keys)
    }

    static func store(_ manifest: GroupManifest, _ database: Database, _ keys: GroupKeys) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO manifests VALUES (?, ?)",
            arguments: [keys.group.bytes.blob, keys.seal(manifest).stored.blob])
    }

    /// Writes the manifest, when anything has changed.
    ///
    /// - Returns: The manifest's sequence.
    func finish() throws -> UInt64 {
        if hasChanged {
            manifest.advance()
            try Self.store(manifest, database, keys)
        }
        return manifest.sequence
    }

    /// Adds a record with a secret.
    func insert(
        _ kind: RecordHeader.Kind, _ index: RecordIndex, _ body: FieldList, secret: borrowing SecretBytes
    ) throws {
        let new = try beginning(kind, index, body)
        try insert(try keys.seal(new.header, attributes: new.body, secret: secret))
    }

    /// Adds a record without a secret.
    func insert(_ kind: RecordHeader.Kind, _ index: RecordIndex, _ body: FieldList) throws {
        let new = try beginning(kind, index, body)
        try insert(try keys.seal(new.header, attributes: new.body))
    }

    /// Replaces a record, with its secret, by a new version.
    ///
    /// - Parameter isSameSecret: Whether `secret` is what the record holds already.
    func replace(
        _ old: StoredRecord, _ index: RecordIndex, _ body: FieldList, secret: borrowing SecretBytes,
        isSameSecret: Bool = false
    ) throws {
        let new = try succeeding(old, index, body, isSameSecret: isSameSecret)
        try replace(old, with: try keys.seal(new.header, attributes: new.body, secret: secret))
    }

    /// Replaces a record that has no secret by a new version.
    func replace(_ old: StoredRecord, _ index: RecordIndex, _ body: FieldList) throws {
        let new = try succeeding(old, index, body, isSameSecret: true)
        try replace(old, with: try keys.seal(new.header, attributes: new.body))
    }

    /// Removes a record.
    package func delete(_ old: StoredRecord) throws {
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

    /// The header of a new record, of a stamp after `previous`.
    func header(
        _ kind: RecordHeader.Kind, _ index: RecordIndex, flags: UInt16 = 0, after previous: Stamp? = nil
    ) -> RecordHeader {
        RecordHeader(
            vault: keys.vault, group: keys.group, epoch: keys.epoch, record: .random(), kind: kind, flags: flags,
            stamp: Stamp(milliseconds: milliseconds, after: previous), device: device, index: index)
    }

    /// The header of the next version of a record.
    func header(succeeding old: StoredRecord, _ index: RecordIndex) -> RecordHeader {
        var header = old.header
        header.stamp = Stamp(milliseconds: milliseconds, after: old.header.stamp)
        header.device = device
        header.index = index
        return header
    }

    /// Stores a sealed record that is new.
    func insert(_ record: SealedRecord) throws {
        let header = record.header
        try database.cachedStatement(
            sql: """
                INSERT INTO records (record, group_id, kind, flags, epoch, stamp, device, account_index,
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

    /// Stores a sealed record in the row of another.
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
