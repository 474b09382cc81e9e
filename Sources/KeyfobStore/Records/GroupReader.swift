internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobVault

/// Reads one group's records, on whatever state of the database the caller has chosen.
struct GroupReader {
    let connection: ReadConnection
    let keys: GroupKeys

    /// The lookup fields that stand alone.
    enum Field {
        case account, credential

        var query: ReadQuery {
            switch self {
            case .account: .byAccount
            case .credential: .byCredential
            }
        }

        /// What a row has in the field.
        func value(in index: RecordIndex) -> BlindValue? {
            switch self {
            case .account: index.account
            case .credential: index.credential
            }
        }
    }

    /// The manifest.
    ///
    /// - Throws: `staleKeys` when it was sealed with another epoch's key or the group is gone, `damaged`.
    func manifest() throws -> GroupManifest {
        let stored = try connection.first(.manifest, { try $0.bind(keys.group.bytes, at: 1) }, row: { $0.bytes(0) })
        guard let stored else { throw StoreError.staleKeys }
        guard let box = CommittingAEAD.Box(stored: stored) else {
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
        let count = try connection.first(.recordCount, { try $0.bind(keys.group.bytes, at: 1) }, row: { $0.integer(0) })
        return Int((count ?? nil) ?? 0)
    }

    /// The records whose `field` has this value.
    func records(_ field: Field, _ value: BlindValue) throws -> [StoredRecord] {
        try records(field.query) {
            try $0.bind(value.bytes, at: 2)
        } isExpected: {
            field.value(in: $0.index) == value
        }
    }

    /// The accounts that have one of these values, of which nil is none.
    func accounts(_ wanted: RecordIndex) throws -> [StoredRecord] {
        try records(.byName) {
            try $0.bind(wanted.username, at: 2)
            try $0.bind(wanted.label, at: 3)
            try $0.bind(wanted.account, at: 4)
            try $0.bind(wanted.credential, at: 5)
        } isExpected: { header in
            let index = header.index
            let pairs = [
                (index.username, wanted.username), (index.label, wanted.label), (index.account, wanted.account),
                (index.credential, wanted.credential),
            ]
            return header.kind == .account && pairs.contains { $0 != nil && $0 == $1 }
        }
    }

    /// The records of one kind that belong to an account.
    func records(of account: BlindValue, kind: RecordHeader.Kind) throws -> [StoredRecord] {
        try records(.byAccountAndKind) {
            try $0.bind(account.bytes, at: 2)
            try $0.bind(Int64(kind.rawValue), at: 3)
        } isExpected: {
            $0.index.account == account && $0.kind == kind
        }
    }

    /// The record in a row.
    ///
    /// - Throws: `damaged` when the row is missing or makes no sense.
    func record(row rowID: Int64) throws -> StoredRecord {
        let record = try connection.first(
            .byRow, { try $0.bind(rowID, at: 1) }, row: { try StoredRecord(row: $0, vault: keys.vault) })
        guard let record else { throw StoreError.damaged(what: "row \(rowID)") }
        return record
    }

    /// The numbers of the group's rows.
    func rowIDs() throws -> [Int64] {
        var rowIDs: [Int64] = []
        try connection.run(.rowNumbers, { try $0.bind(keys.group.bytes, at: 1) }) { row in
            rowIDs.append(row.integer(0) ?? 0)
            return true
        }
        return rowIDs
    }

    /// Calls `body` for each record of one kind, in the order in which they were stored.
    func forEachRecord(kind: RecordHeader.Kind, _ body: (Result<StoredRecord, any Error>) throws -> Void) throws {
        try connection.run(.byKind) {
            try $0.bind(keys.group.bytes, at: 1)
            try $0.bind(Int64(kind.rawValue), at: 2)
        } row: { row in
            try body(Result { try StoredRecord(row: row, vault: keys.vault) })
            return true
        }
    }

    /// Calls `body` with the number and the record of each row of the group, found without any index.
    func forEachRow(_ body: (Int64, Result<StoredRecord, any Error>) throws -> Void) throws {
        try connection.run(.everyRow, { try $0.bind(keys.group.bytes, at: 1) }) { row in
            try body(row.integer(0) ?? 0, Result { try StoredRecord(row: row, vault: keys.vault) })
            return true
        }
    }

    /// The sealed secret of a record.
    ///
    /// - Throws: `staleKeys` when the record has changed since it was read, `damaged` when its secret is
    ///   missing or is not the one the record was sealed with.
    func sealedSecret(_ record: StoredRecord) throws -> CommittingAEAD.Box {
        let stored = try connection.first(
            .secret, { try $0.bind(record.rowID, at: 1) }, row: { ($0.bytes(0), $0.optionalBytes(1)) })
        guard let (bytes, commitment) = stored, commitment == record.secretCommitment else {
            throw StoreError.staleKeys
        }
        guard let box = CommittingAEAD.Box(stored: bytes), box.commitment == record.secretCommitment
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

    /// The records of the group that a query finds by an index, which must be what was looked for: an
    /// index can be damaged too.
    private func records(
        _ query: ReadQuery, _ bind: (ReadStatement) throws -> Void, isExpected: (RecordHeader) -> Bool
    ) throws -> [StoredRecord] {
        var records: [StoredRecord] = []
        try connection.run(query) {
            try $0.bind(keys.group.bytes, at: 1)
            try bind($0)
        } row: { row in
            let record = try StoredRecord(row: row, vault: keys.vault)
            guard isExpected(record.header) else { throw StoreError.damaged(what: "an index of keyring.db") }
            records.append(record)
            return true
        }
        return records
    }
}
