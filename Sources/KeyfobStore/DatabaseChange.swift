internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobSodium
internal import KeyfobVault

/// Changes one group's records within a write transaction, and its manifest and its lookup tree with them.
final class DatabaseChange: RecordWriting {
    var reader: any RecordReading { records }
    private let records: DatabaseRecords
    private let database: SQLiteConnection
    private let state: GroupState
    private var hasChanged = false
    let tells: Bool
    /// What the rows are numbered with that others are told of; 0 where nobody is.
    private let number: Int64
    private var keys: GroupKeys { records.keys }

    /// More changed keys than these are written to the tree before the change ends.
    private static let patience = 16_384

    /// - Parameter isSynced: Whether the vault is part of a sync, so that what changes is numbered.
    init(_ database: SQLiteConnection, _ keys: GroupKeys, isSynced: Bool = false) throws {
        self.database = database
        records = DatabaseRecords(connection: database, keys: keys)
        state = try records.state()
        tells = isSynced
        number = isSynced ? Int64(clamping: state.manifest.sequence &+ 1) : 0
    }

    /// The number of the change that others are told that a record is of.
    private func number(_ record: SealedRecord, after old: Int64 = 0) -> Int64 {
        switch record.telling {
        case .kept: old
        case .act: tells ? number : old
        case .following(let other): tells ? max(other, old) : old
        }
    }

    /// Stores the empty manifest of a new group, and that it has no record.
    static func begin(_ database: SQLiteConnection, _ keys: GroupKeys) throws {
        try database.run("INSERT OR REPLACE INTO record_counts VALUES (?, 0)", [.bytes(keys.group.bytes)])
        try begin(GroupManifest(sequence: 1), database, keys)
    }

    /// Stores a manifest that tells of nothing, with an empty tree of a number of its own; the nodes of a tree that the
    /// group has stay.
    static func begin(_ manifest: GroupManifest, _ database: SQLiteConnection, _ keys: GroupKeys) throws {
        let number = try database.integer("SELECT coalesce(max(tree), 0) + 1 FROM manifests") ?? 1
        guard (1...LookupTree.largestNumber).contains(number) else {
            throw StoreError.damaged(what: "the manifest of a group")
        }
        try store(manifest, tree: number, database, keys)
    }

    /// Removes the nodes of a group's lookup tree, and its manifest.
    static func removeTree(of group: GroupID, _ database: SQLiteConnection) throws {
        let number = try database.integer("SELECT tree FROM manifests WHERE group_id = ?", [.bytes(group.bytes)])
        if let number, (1...LookupTree.largestNumber).contains(number) { try removeNodes(of: number, database) }
        try database.run("DELETE FROM manifests WHERE group_id = ?", [.bytes(group.bytes)])
    }

    /// Removes the nodes of the tree with this number.
    static func removeNodes(of number: Int64, _ database: SQLiteConnection) throws {
        try database.run(
            "DELETE FROM nodes WHERE id BETWEEN ? AND ?", [.integer(number << 40), .integer((number + 1) << 40 - 1)])
    }

    /// Stores a manifest.
    ///
    /// - Returns: How far the group has come with it.
    @discardableResult
    private static func store(
        _ manifest: GroupManifest, tree: Int64, _ database: SQLiteConnection, _ keys: GroupKeys
    ) throws -> Milestone {
        let sealed = keys.seal(manifest).stored
        try database.run(
            "INSERT OR REPLACE INTO manifests VALUES (?, ?, ?)",
            [.bytes(keys.group.bytes), .integer(tree), .bytes(sealed)])
        return Milestone(keys, sequence: manifest.sequence, sealed: sealed)
    }

    // A transaction is made as a whole, or the error says that it was not.
    func markIrreplaceable() {}

    func mayHold(_ kind: RecordHeader.Kind) -> Bool { state.manifest.count(of: kind) > 0 }

    func oldest(_ kind: RecordHeader.Kind) throws -> StoredRecord? {
        mayHold(kind) ? try records.firstRecords(1, kind: kind).first : nil
    }

    /// Writes the tree and the manifest, when anything has changed.
    func finish() throws -> Milestone? {
        guard hasChanged else { return state.milestone }
        return try finish(sequence: nil)
    }

    /// The same, with the sequence that the manifest is to have; nil for the next one.
    @discardableResult
    func finish(sequence: UInt64?) throws -> Milestone {
        try state.tree.write(to: database, keys)
        state.manifest.root = state.tree.root
        if let sequence { state.manifest.sequence = sequence } else { state.manifest.advance() }
        return try Self.store(state.manifest, tree: state.tree.number, database, keys)
    }

    func delete(_ old: StoredRecord) throws {
        // Only what is authentic can be taken out of the manifest.
        _ = try old.open(keys)
        try forget(old)
        try database.run("DELETE FROM records WHERE id = ?", [.integer(old.rowID)])
    }

    /// Takes a record out of the manifest and the tree.
    ///
    /// - Throws: `incomplete` when they tell of no such record, because somebody put it back.
    private func forget(_ record: StoredRecord) throws {
        let element = record.element(keys)
        guard state.manifest.count(of: element.kind) > 0 else { throw StoreError.incomplete(group: keys.group) }
        try state.tree.remove(record.header, row: record.rowID, element)
        state.manifest.remove(element)
        hasChanged = true
    }

    /// Puts a record that is stored in a row into the manifest and the tree.
    func note(_ element: GroupManifest.Element, _ header: RecordHeader, row: Int64) throws {
        try state.tree.insert(header, row: row, element)
        state.manifest.insert(element)
        hasChanged = true
        if state.tree.changed.count > Self.patience { try state.tree.write(to: database, keys) }
    }

    func insert(_ record: SealedRecord) throws {
        let header = record.header
        // FAIL, for otherwise SQLite keeps a copy of every page that it changes, to take back the one statement. What fails
        // takes the whole transaction back.
        try database.run(
            """
            INSERT OR FAIL INTO records (record, group_id, kind, flags, epoch, stamp, device, account_index,
                credential_index, username_index, label_index, secret_commitment, attributes, change)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [.bytes(header.record.bytes), .bytes(header.group.bytes), .integer(Int64(header.kind.rawValue))]
                + Self.changeable(header) + Self.sealed(record) + [.integer(number(record))])
        let row = database.lastInsertedRow
        if let secret = record.secret {
            try database.run("INSERT INTO secrets VALUES (?, ?)", [.integer(row), .bytes(secret.stored)])
        }
        try note(keys.element(record), header, row: row)
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
            QueryValue(index.label), QueryValue(record.secret?.seal), .bytes(record.attributes.stored),
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
        // Apart, so that what nobody is told of touches no index.
        let number = number(record, after: old.change)
        if number != old.change {
            try database.run(
                "UPDATE records SET change = ? WHERE id = ?", [.integer(number), .integer(old.rowID)])
        }
        if let secret = record.secret {
            try database.run(
                "INSERT OR REPLACE INTO secrets VALUES (?, ?)", [.integer(old.rowID), .bytes(secret.stored)])
        } else if old.secretCommitment != nil {
            try database.run("DELETE FROM secrets WHERE id = ?", [.integer(old.rowID)])
        }
        try note(keys.element(record), header, row: old.rowID)
    }
}
