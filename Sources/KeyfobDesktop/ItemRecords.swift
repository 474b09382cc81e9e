internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

/// One group's records among the items of the Secret Service.
///
/// What an item holds decides what is found: an item that only looks as if it were the record asked for, by its
/// attributes, is passed over.
struct ItemRecords: RecordReading {
    let storage: SecretServiceStorage
    let keys: GroupKeys

    // There is none; but of a group that is gone nothing can be said.
    func manifest() throws -> GroupManifest? {
        try storage.require(keys.group)
        return nil
    }

    func records(_ field: LookupField, _ lookup: Lookup) throws -> [StoredRecord] {
        let found =
            switch lookup.subject {
            case .account(let account), .credential(let account, .accessToken, Credential.noClient, ""):
                try foundOrMadeByHand(ItemAttributes.search(lookup.subject), of: account)
            default: try found(ItemAttributes.search(lookup.subject))
            }
        return found.filter { field.value(in: $0.header.index) == lookup.value }
    }

    func accounts(_ names: AccountLookup) throws -> [StoredRecord] {
        var records: [StoredRecord] = []
        let lookups = [names.account, names.homeAccountID, names.username, names.label].compactMap { $0 }
        // Most often all of them are one text.
        for name in Set(lookups.compactMap(ItemAttributes.name)).sorted() where !name.isEmpty {
            let attributes = ItemAttributes.called(name).merging(["kind": ItemAttributes.kind(.account)]) { $1 }
            for record in try found(attributes)
            where names.matches(record.header)
                && !records.contains(where: { $0.header.record == record.header.record })
            {
                records.append(record)
            }
        }
        // A name of an account that Keyfob knows is nobody else's.
        guard records.isEmpty, let lookup = names.account, case .account(let account) = lookup.subject else {
            return records
        }
        let byHand = try accounts(of: try madeByHand(of: account), besides: []).map { try $0.record.get() }
        return byHand.filter { $0.header.index.account == lookup.value }
    }

    func records(of account: Lookup, kind: RecordHeader.Kind) throws -> [StoredRecord] {
        var attributes = ItemAttributes.search(account.subject)
        attributes["kind"] = ItemAttributes.kind(kind)
        let found =
            if kind == .accessToken, let id = attributes["account"] {
                try foundOrMadeByHand(attributes, of: id)
            } else {
                try found(attributes)
            }
        return found.filter { $0.header.index.account == account.value && $0.header.kind == kind }
    }

    func record(row rowID: Int64) throws -> StoredRecord {
        guard let row = try all([try storage.item(row: rowID)]).first else {
            throw StoreError.damaged(what: "row \(rowID)")
        }
        return try row.record.get()
    }

    func records(rows rowIDs: [Int64]) throws -> [StoredRecord] {
        // All in one question.
        let found = Dictionary(try all(rowIDs.map(storage.item(row:))).map { ($0.row, $0.record) }) { $1 }
        return try rowIDs.map { row in
            guard let record = found[row] else { throw StoreError.damaged(what: "row \(row)") }
            return try record.get()
        }
    }

    func rowIDs() throws -> [Int64] { try records().map(\.row) }

    func forEachRecord(kind: RecordHeader.Kind, _ body: (Result<StoredRecord, any Error>) throws -> Void) throws {
        let found = try items(["kind": ItemAttributes.kind(kind)])
        var accounts: Set<BlindValue> = []
        for (_, record) in newest(try all(found)) where (try? record.get().header.kind) ?? kind == kind {
            if kind == .account, let account = try? record.get().header.index.account { accounts.insert(account) }
            try body(record)
        }
        guard kind == .accessToken || kind == .account else { return }
        let byHand = try madeByHand()
        for row in kind == .account ? try self.accounts(of: byHand, besides: accounts) : byHand { try body(row.record) }
    }

    func forEachRow(_ body: (Int64, Result<StoredRecord, any Error>) throws -> Void) throws {
        // Who looks at all of them looks at their secrets too.
        for (row, record) in try records(withSecrets: true) { try body(row, record) }
    }

    func sealedSecret(_ record: StoredRecord) throws -> CommittingAEAD.Box {
        if let box = record.secret { return box }
        guard let commitment = record.secretCommitment else {
            throw StoreError.damaged(what: "the secret of record \(record.header.record.short)")
        }
        let box = try ItemReading(storage: storage, keys: keys).secret(of: record, commitment: commitment)
        storage.remember([record.with(secret: box)])
        return box
    }

    typealias Row = (row: Int64, record: Result<StoredRecord, any Error>)

    /// Every record of the group.
    private func records(withSecrets: Bool = false) throws -> [Row] {
        try addingAccounts(newest(try all(try items([:]), withSecrets: withSecrets)) + madeByHand())
    }

    /// The records that have these attributes.
    ///
    /// - Throws: `damaged` when one of their items does not hold what Keyfob wrote.
    private func found(_ attributes: [String: String]) throws -> [StoredRecord] {
        try newest(try all(try items(attributes))).map { try $0.record.get() }
    }

    /// The same, and with them an account's tokens that were made by hand, and what stands for the account.
    private func foundOrMadeByHand(_ attributes: [String: String], of account: String) throws -> [StoredRecord] {
        // In its turn a process has all of the account at hand. Otherwise one search finds both, where they have the same
        // attributes; what is another vault's, or another group's, is left out.
        let wanted = attributes.mapValues(ItemAttributes.text).merging(["xdg:schema": ItemAttributes.record]) { $1 }
        guard !storage.hasTurn, Set(attributes.keys).isSubset(of: ["account", "kind"]),
            let few = try storage.few(wanted)
        else {
            return try addingAccounts(newest(all(items(attributes))) + madeByHand(of: account)).map {
                try $0.record.get()
            }
        }
        let found = try all(few, amongOthers: true)
        let byHand = found.filter { storage.handMade(row: $0.row) != nil }
        let own = found.filter { storage.handMade(row: $0.row) == nil }
        return try addingAccounts(newest(own) + byHand).map { try $0.record.get() }
    }

    /// The tokens that were made by hand for the group, all of them or those of an account.
    private func madeByHand(of account: String? = nil) throws -> [Row] {
        // What Keyfob has taken over since may still say that it was made by hand.
        try all(try storage.itemsMadeByHand(of: account), amongOthers: true).filter {
            storage.handMade(row: $0.row) != nil
        }
    }

    /// Adds what stands for accounts that only tokens made by hand tell of.
    private func addingAccounts(_ rows: [Row]) throws -> [Row] {
        let known = rows.compactMap { try? $0.record.get().header }.filter { $0.kind == .account }
        return try rows + accounts(of: rows, besides: Set(known.compactMap(\.index.account)))
    }

    private func accounts(of rows: [Row], besides known: Set<BlindValue>) throws -> [Row] {
        var known = known
        return try rows.compactMap { row, record in
            guard let token = storage.handMade(row: row), let header = try? record.get().header,
                header.kind == .accessToken, let account = header.index.account, known.insert(account).inserted
            else { return nil }
            let row = storage.row(of: token.accountItem)
            storage.note(token, row: row)
            return (row, .success(try token.opened(keys, asAccount: true).record(row: row)))
        }
    }

    /// The items of the group that have these attributes.
    func items(_ attributes: [String: String]) throws -> [SecretService.ItemPath] {
        let wanted = attributes.mapValues(ItemAttributes.text)
            .merging(ItemAttributes.every(keys.vault, keys.group)) { $1 }
        return try storage.search(wanted)
    }

    /// What the items hold, as far as they are still there, in the order in which they were made; where their paths do not
    /// tell that, as with KeePassXC, in the order in which the records were written last.
    ///
    /// - Parameters:
    ///   - withSecrets: Whether the tokens are read, all in one question; otherwise each when it is asked for.
    ///   - areAll: As ``ItemReading/states(of:withSecrets:amongOthers:)`` has it.
    func all(
        _ items: [SecretService.ItemPath], withSecrets: Bool = false, amongOthers areAll: Bool = false
    ) throws -> [Row] {
        guard !items.isEmpty else { return [] }
        let sorted = items.sorted { ($0.path.utf8.count, $0.path) < ($1.path.utf8.count, $1.path) }
        let reading = ItemReading(storage: storage, keys: keys)
        var read: [(item: SecretService.ItemPath, record: Result<OpenedItem, any Error>)] = []
        for (item, state) in try reading.states(of: sorted, withSecrets: withSecrets, amongOthers: areAll) {
            switch state {
            case .record(let opened):
                storage.note(nil, row: storage.row(of: item))
                read.append((item, .success(opened)))
            case .handMade(let token, let opened):
                guard try storage.isMeant(token, for: keys.group) else { continue }
                storage.note(token, row: storage.row(of: item))
                read.append((item, .success(opened)))
            case .changed: read.append((item, .failure(OpenedItem.changed(item))))
            case .earlier: read.append((item, .failure(OpenedItem.earlier(item))))
            case .foreign: read.append((item, .failure(OpenedItem.damaged(item))))
            case .nothing: break
            }
        }
        if !sorted.allSatisfy(\.isNumbered) {
            let stamps = Dictionary(read.map { ($0.item, (try? $0.record.get())?.header.stamp.value ?? 0) }) { $1 }
            read.sort { (stamps[$0.item] ?? 0, $0.item.path) < (stamps[$1.item] ?? 0, $1.item.path) }
        }
        let rows: [Row] = read.map { item, record in
            let row = storage.row(of: item)
            return (row, record.map { $0.record(row: row) })
        }
        storage.remember(rows.compactMap { try? $0.record.get() })
        return rows
    }

    /// The latest version of a record among the items that have one of these sets of attributes; nil where none holds it.
    func newest(_ record: RecordID, _ filings: [[String: String]]) throws -> StoredRecord? {
        var paths: Set<SecretService.ItemPath> = []
        for filing in filings { paths.formUnion(try items(filing)) }
        let found = try ItemReading(storage: storage, keys: keys).states(of: Array(paths), withSecrets: false)
            .compactMap { item, state -> StoredRecord? in
                switch state {
                // Whoever was stopped may have written the secret, and nothing else.
                case .record(let opened), .changed(let opened), .earlier(let opened):
                    opened.header.record == record ? opened.record(row: storage.row(of: item)) : nil
                case .handMade, .foreign, .nothing: nil
                }
            }
        if found.count > 1 { storage.noteDoubles(record, found.map(\.rowID)) }
        return found.max { $0.version < $1.version }
    }

    /// The token that was made by hand that was read as this record; nil where it is not there any more, or is Keyfob's by
    /// now, and for a record of something else.
    func madeByHand(_ record: SealedRecord) throws -> StoredRecord? {
        guard record.header.kind == .accessToken else { return nil }
        let body = try keys.openAttributes(record.header, record.attributes)
        guard let account = try ItemBody.decode(body, record.header.kind).credential?.account else { return nil }
        return try madeByHand(of: account.canonical).compactMap { try? $0.record.get() }
            .first { $0.header.record == record.header.record }
    }

    /// Of several items that hold one record, the one that was written last.
    private func newest(_ rows: [Row]) -> [Row] {
        var places: [RecordID: Int] = [:]
        var kept: [Row] = []
        for row in rows {
            guard case .success(let record) = row.record, let place = places[record.header.record],
                case .success(let other) = kept[place].record
            else {
                if case .success(let record) = row.record { places[record.header.record] = kept.count }
                kept.append(row)
                continue
            }
            storage.noteDoubles(record.header.record, [other.rowID, record.rowID])
            if other.version < record.version { kept[place] = row }
        }
        return kept
    }
}

extension StoredRecord {
    /// The same with its secret.
    func with(secret: CommittingAEAD.Box) -> StoredRecord {
        StoredRecord(
            rowID: rowID, header: header, attributes: attributes, secretCommitment: secretCommitment, secret: secret)
    }
}
