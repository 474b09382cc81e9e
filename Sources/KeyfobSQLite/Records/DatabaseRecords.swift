package import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
package import KeyfobSodium
package import KeyfobVault

/// One group's records in the database, on whatever state of it the caller has chosen.
///
/// What is given of them is proved: that it is of this state, and that there is nothing else of what was asked for. Only
/// ``forEachRow(_:)``, ``rowIDs()`` and ``recordCount()`` give what lies there.
package struct DatabaseRecords: RecordReading {
    let connection: AnyQueryReading
    package let keys: GroupKeys
    private let holder: Holder

    /// Keeps what was opened of a group, as long as the state of the database is the same.
    final class Holder {
        fileprivate var state: GroupState?

        init() {}
    }

    /// The records of the group that has these keys.
    package init(connection: AnyQueryReading, keys: GroupKeys) {
        self.init(connection: connection, keys: keys, Holder())
    }

    init(connection: AnyQueryReading, keys: GroupKeys, _ holder: Holder) {
        self.connection = connection
        self.keys = keys
        self.holder = holder
    }

    package func manifest() throws(StorageFailure) -> GroupManifest? { try storedManifest() }

    /// The manifest, which every group has.
    ///
    /// - Throws: `staleKeys` when it was sealed with another epoch's key or the group is gone, `damaged`.
    package func storedManifest() throws(StorageFailure) -> GroupManifest { try state().manifest }

    /// What the database says of the group.
    ///
    /// - Throws: as ``storedManifest()``.
    package func state() throws(StorageFailure) -> GroupState {
        if let state = holder.state { return state }
        let stored = try connection.first(.manifest, [group], row: { ($0.integer(0) ?? 0, $0.bytes(1)) })
        guard let (number, sealed) = stored else { throw StoreError.staleKeys }
        guard let box = CommittingAEAD.Box(stored: sealed), (1...LookupTree.largestNumber).contains(number) else {
            throw StoreError.damaged(what: "the manifest of a group")
        }
        let manifest: GroupManifest
        do { manifest = try keys.openManifest(box) } catch { throw StoreError.staleKeys }
        let state = GroupState(
            manifest, Milestone(keys, sequence: manifest.sequence, sealed: sealed),
            LookupTree(connection, keys, number: number, root: manifest.root))
        holder.state = state
        return state
    }

    /// How many records the database itself counts for the group.
    package func recordCount() throws(StorageFailure) -> Int {
        let count = try connection.first(.recordCount, [group], row: { $0.integer(0) })
        return Int((count ?? nil) ?? 0)
    }

    package func records(_ field: LookupField, _ lookup: Lookup) throws(StorageFailure) -> [StoredRecord] {
        let entries = try state().tree.entries(lookup.value)
        return try records(field == .account ? entries.filter { $0.kind != .tombstone } : entries)
    }

    package func everyRecord(of account: Lookup) throws(StorageFailure) -> [StoredRecord]? {
        try records(try state().tree.entries(account.value))
    }

    /// The rows that changes of this device's have written which are later than one, and that others are told of.
    package func rowIDs(changedSince change: UInt64) throws(StorageFailure) -> [Int64] {
        var rowIDs: [Int64] = []
        try connection.run(.changedRows, [group, .integer(Int64(clamping: change))]) { row in
            rowIDs.append(row.integer(0) ?? 0)
            return true
        }
        return rowIDs
    }

    package func accounts(_ names: AccountLookup) throws(StorageFailure) -> [StoredRecord] {
        var found: [LookupEntry] = []
        for name in [names.username, names.label, names.account, names.homeAccountID] {
            guard let name else { continue }
            for entry in try state().tree.entries(name.value)
            where entry.kind == .account && !found.contains(where: { $0.row == entry.row }) {
                found.append(entry)
            }
        }
        return try records(found)
    }

    package func records(of account: Lookup, kind: RecordHeader.Kind) throws(StorageFailure) -> [StoredRecord] {
        try records(try state().tree.entries(account.value).filter { $0.kind == kind })
    }

    private func records(_ entries: [LookupEntry]) throws(StorageFailure) -> [StoredRecord] {
        var records: [StoredRecord] = []
        records.reserveCapacity(entries.count)
        for entry in entries {
            guard let record = try storedRecord(row: entry.row) else { throw StoreError.incomplete(group: keys.group) }
            try require(record, entry)
            records.append(record)
        }
        return records
    }

    private func storedRecord(row rowID: Int64) throws(StorageFailure) -> StoredRecord? {
        try connection.first(
            .byRow, [.integer(rowID)],
            row: { row throws(StorageFailure) in try StoredRecord(row: row, vault: keys.vault) })
    }

    /// Makes sure that a record is the one of which the lookup tree tells, or nil that it tells of it.
    ///
    /// One that does not open is let pass: whoever wants to know what it says finds that it is damaged.
    ///
    /// - Throws: `incomplete` for one that opens, which somebody has put there; `damaged` for one of another kind.
    private func require(_ record: StoredRecord, _ entry: LookupEntry?) throws(StorageFailure) {
        if let entry, record.element(keys).lookupDigest == entry.digest { return }
        guard (try? record.open(keys)) == nil else { throw StoreError.incomplete(group: keys.group) }
        if let entry, record.header.kind != entry.kind {
            throw StoreError.damaged(what: "record in row \(record.rowID)")
        }
    }

    /// The same record, if the lookup tree tells of it.
    private func proved(_ record: StoredRecord) throws(StorageFailure) -> StoredRecord {
        let entries = try state().tree.entries(record.header.lookupKey)
        try require(record, entries.first { $0.row == record.rowID && $0.kind == record.header.kind })
        return record
    }

    package func record(row rowID: Int64) throws(StorageFailure) -> StoredRecord {
        guard let record = try storedRecord(row: rowID) else { throw StoreError.damaged(what: "row \(rowID)") }
        return try proved(record)
    }

    package func record(_ id: RecordID) throws(StorageFailure) -> StoredRecord {
        let record = try connection.first(
            .byID, [group, .bytes(id.bytes)],
            row: { row throws(StorageFailure) in try StoredRecord(row: row, vault: keys.vault) })
        guard let record, record.header.record == id else {
            throw StoreError.damaged(what: "record \(id.short)")
        }
        return try proved(record)
    }

    package func rowIDs() throws(StorageFailure) -> [Int64] {
        var rowIDs: [Int64] = []
        try connection.run(.rowNumbers, [group]) { row in
            rowIDs.append(row.integer(0) ?? 0)
            return true
        }
        return rowIDs
    }

    /// Calls `body` with each entry of the group's lookup tree, in their order; rows that are gone have theirs too.
    package func forEachTreeEntry(_ body: (LookupEntry) -> Void) throws(StorageFailure) {
        let tree = try state().tree
        try tree.forEachEntry(tree.root, body)
    }

    package func forEachRecord(
        kind: RecordHeader.Kind, _ body: (Result<StoredRecord, StorageFailure>) throws(StorageFailure) -> Void
    ) throws(StorageFailure) {
        let expected = try state().manifest
        var actual = GroupManifest()
        var last = Int64.min
        try connection.run(.byKind, [group, .integer(Int64(kind.rawValue))]) { row throws(StorageFailure) in
            // A damaged index can lead to one row twice and to another not at all.
            guard let number = row.integer(0), number > last else { throw StoreError.incomplete(group: keys.group) }
            last = number
            let record = record(in: row)
            if case .success(let record) = record { actual.insert(record.element(keys)) }
            try body(record)
            return true
        }
        guard !actual.describesSameRecords(as: expected, of: kind) else { return }
        // Of those that do not open whoever asked knows; any other one must be one of the group's.
        var count = 0
        try connection.run(.byKind, [group, .integer(Int64(kind.rawValue))]) { row throws(StorageFailure) in
            count += 1
            if case .success(let record) = record(in: row) { _ = try proved(record) }
            return true
        }
        guard count == expected.count(of: kind) else { throw StoreError.incomplete(group: keys.group) }
    }

    package func firstRecords(_ count: Int, kind: RecordHeader.Kind) throws(StorageFailure) -> [StoredRecord] {
        var records: [StoredRecord] = []
        try connection.run(.byKind, [group, .integer(Int64(kind.rawValue))]) { row throws(StorageFailure) in
            records.append(try proved(try StoredRecord(row: row, vault: keys.vault)))
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
        guard let box = CommittingAEAD.Box(stored: bytes), box.seal == record.secretCommitment
        else { throw StoreError.damaged(what: "the secret of record \(record.header.record.short)") }
        return box
    }

    private var group: QueryValue { .bytes(keys.group.bytes) }

    private func record(in row: AnyQueryRow) -> Result<StoredRecord, StorageFailure> {
        Result { () throws(StorageFailure) in try StoredRecord(row: row, vault: keys.vault) }
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
        self.init(
            rowID: rowID, header: header, attributes: attributes, secretCommitment: row.optionalBytes(12),
            change: row.integer(14) ?? 0)
    }
}
