package import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium
package import KeyfobVault

/// Reads one group's records, wherever they lie, in the state that the caller has chosen.
///
/// A record comes sealed under the group's key, also from a place that keeps it otherwise: what was read stays sealed
/// in memory until it is wanted. A database proves what it gives: that each record is of its present state, and that
/// nothing is missing. It throws `incomplete` where it cannot. The Secret Service is believed.
package protocol RecordReading {
    /// The group's keys.
    var keys: GroupKeys { get }

    /// What should be there; nil where the storage keeps no such list.
    ///
    /// - Throws: `staleKeys` when it was sealed with another epoch's key or the group is gone, `damaged`.
    func manifest() throws(StorageFailure) -> GroupManifest?

    /// The records whose `field` has this value.
    func records(_ field: LookupField, _ lookup: Lookup) throws(StorageFailure) -> [StoredRecord]

    /// The accounts that one of these stands for, of which nil is none.
    func accounts(_ names: AccountLookup) throws(StorageFailure) -> [StoredRecord]

    /// The records of one kind that belong to an account.
    func records(of account: Lookup, kind: RecordHeader.Kind) throws(StorageFailure) -> [StoredRecord]

    /// All records of an account, removals included; nil where they are not found without going through all there are.
    func everyRecord(of account: Lookup) throws(StorageFailure) -> [StoredRecord]?

    /// The record in a row.
    ///
    /// - Throws: `damaged` when the row is missing or makes no sense.
    func record(row rowID: Int64) throws(StorageFailure) -> StoredRecord

    /// The record with an id.
    ///
    /// - Throws: `damaged` when it is missing or makes no sense.
    func record(_ id: RecordID) throws(StorageFailure) -> StoredRecord

    /// The records in some rows, in their order.
    ///
    /// - Throws: `damaged` when one is missing or makes no sense.
    func records(rows rowIDs: [Int64]) throws(StorageFailure) -> [StoredRecord]

    /// The numbers of the group's rows.
    func rowIDs() throws(StorageFailure) -> [Int64]

    /// Calls `body` for each record of one kind, in the order in which they were stored.
    func forEachRecord(
        kind: RecordHeader.Kind, _ body: (Result<StoredRecord, StorageFailure>) throws(StorageFailure) -> Void)
        throws(StorageFailure)

    /// The first records of one kind, in the order in which they were stored.
    func firstRecords(_ count: Int, kind: RecordHeader.Kind) throws(StorageFailure) -> [StoredRecord]

    /// Calls `body` with the number and the record of each row of the group, found without any index.
    func forEachRow(_ body: (Int64, Result<StoredRecord, StorageFailure>) throws(StorageFailure) -> Void)
        throws(StorageFailure)

    /// The sealed secret of a record.
    ///
    /// - Throws: `staleKeys` when the record has changed since it was read, `damaged` when its secret is
    ///   missing or is not the one the record was sealed with.
    func sealedSecret(_ record: StoredRecord) throws(StorageFailure) -> CommittingAEAD.Box

    /// Whether a record holds this secret; no where it cannot be told without what is out of reach.
    func holds(_ secret: borrowing SecretBytes, _ record: StoredRecord) throws(StorageFailure) -> Bool
}

extension RecordWriting {
    package var tells: Bool { false }
}

/// Changes one group's records, within a change of the storage.
package protocol RecordWriting: AnyObject {
    /// The records as they are by now.
    var reader: any RecordReading { get }

    /// Stores a record that is new.
    func insert(_ record: SealedRecord) throws(StorageFailure)

    /// Stores a record in the place of another.
    func replace(_ old: StoredRecord, with record: SealedRecord) throws(StorageFailure)

    /// Removes a record.
    func delete(_ old: StoredRecord) throws(StorageFailure)

    /// Says that the change brings what nobody can get again: where the storage cannot take it now, it is kept beside it
    /// until it can.
    func markIrreplaceable()

    /// Whether the group may hold a record of this kind; false only where it is known.
    func mayHold(_ kind: RecordHeader.Kind) throws(StorageFailure) -> Bool

    /// The record of this kind that was stored first; nil where there is none, or where finding it takes long.
    func oldest(_ kind: RecordHeader.Kind) throws(StorageFailure) -> StoredRecord?

    /// Whether others are told of changes here: the vault is part of a sync.
    var tells: Bool { get }

    /// Ends the change of the group.
    ///
    /// - Returns: How far the group has come; nil where the storage does not tell.
    func finish() throws(StorageFailure) -> Milestone?
}

/// The lookup fields that stand alone.
package enum LookupField: Sendable {
    /// What belongs to an account; removals are not found by it.
    case account
    case credential

    /// Whether a record has the field with this value.
    package func finds(_ header: RecordHeader, by lookup: Lookup) -> Bool {
        switch self {
        case .account: header.kind != .tombstone && header.index.account == lookup.value
        case .credential: header.index.credential == lookup.value
        }
    }
}

/// What an account may be called.
package struct AccountLookup: Sendable {
    /// By the account's id.
    package var account: Lookup?
    /// By the id that the account has where it is at home.
    package var homeAccountID: Lookup?
    /// By the user name.
    package var username: Lookup?
    /// By the label.
    package var label: Lookup?

    /// Whether a record is an account that one of these stands for.
    package func matches(_ header: RecordHeader) -> Bool {
        let index = header.index
        let pairs = [
            (index.username, username), (index.label, label), (index.account, account),
            (index.credential, homeAccountID),
        ]
        return header.kind == .account && pairs.contains { $0 != nil && $0 == $1?.value }
    }
}

extension RecordReading {
    package func everyRecord(of account: Lookup) throws(StorageFailure) -> [StoredRecord]? { nil }

    // A place without a catalogue is never asked.
    package func record(_ id: RecordID) throws(StorageFailure) -> StoredRecord {
        throw StoreError.damaged(what: "record \(id.short)")
    }

    // A place without an order has to be read to its end.
    package func firstRecords(_ count: Int, kind: RecordHeader.Kind) throws(StorageFailure) -> [StoredRecord] {
        var records: [StoredRecord] = []
        try forEachRecord(kind: kind) { result throws(StorageFailure) in
            if records.count < count { records.append(try result.get()) }
        }
        return records
    }

    package func records(rows rowIDs: [Int64]) throws(StorageFailure) -> [StoredRecord] {
        try rowIDs.map { row throws(StorageFailure) in try record(row: row) }
    }

    /// The secret of a record.
    ///
    /// - Throws: `damaged`, `staleKeys`.
    package func secret(_ record: StoredRecord) throws(StorageFailure) -> SecretBytes {
        try record.open(secret: try sealedSecret(record), keys)
    }

    package func holds(_ secret: borrowing SecretBytes, _ record: StoredRecord) throws(StorageFailure) -> Bool {
        // A grant that has ended has no token.
        guard record.secretCommitment != nil else { return false }
        return try self.secret(record).isEqual(to: secret)
    }

    /// Makes sure that the group's rows are exactly those of the manifest, whatever index leads to them.
    ///
    /// Reads all clear headers and commitments of the group, calls `body` with each record, and opens
    /// nothing. Where there is no manifest, it does nothing.
    ///
    /// - Throws: `incomplete`, `damaged`, `staleKeys`.
    package func requireComplete(_ body: (StoredRecord) -> Void = { _ in }) throws(StorageFailure) {
        guard let expected = try manifest() else { return }
        var actual = GroupManifest()
        try forEachRow { _, result throws(StorageFailure) in
            let record = try result.get()
            actual.insert(record.element(keys))
            body(record)
        }
        guard actual.describesSameRecords(as: expected) else { throw StoreError.incomplete(group: keys.group) }
    }
}
