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
            case .account(let account): try rows(of: account).map { try $0.record.get() }
            case .credential(let account, let kind, _, _):
                try rows(of: account, [RecordHeader.Kind(kind)]).map { try $0.record.get() }
            default: try found(ItemAttributes.search(lookup.subject))
            }
        return found.filter { field.finds($0.header, by: lookup) }
    }

    func accounts(_ names: AccountLookup) throws -> [StoredRecord] {
        var rows: [Row] = []
        if let lookup = names.account, case .account(let id) = lookup.subject { rows += try accountRows(of: id) }
        // Most often all of them are one text.
        let searches = [names.homeAccountID, names.username, names.label].compactMap { $0 }
            .map { ItemAttributes.search($0.subject) }
        for (index, attributes) in searches.enumerated()
        where !attributes.isEmpty && !searches[..<index].contains(attributes) {
            rows += try telling(newest(all(items(attributes))))
        }
        var seen: Set<RecordID> = []
        let found = try rows.map { try $0.record.get() }
            .filter { names.matches($0.header) && seen.insert($0.header.record).inserted }
        // A name of an account that Keyfob knows is nobody else's.
        let known = found.filter { storage.handMade(row: $0.rowID) == nil }
        return known.isEmpty ? found : known
    }

    func records(of account: Lookup, kind: RecordHeader.Kind) throws -> [StoredRecord] {
        guard case .account(let id) = account.subject else { return [] }
        let rows = kind == .account ? try accountRows(of: id) : try rows(of: id, [kind])
        return try rows.map { try $0.record.get() }
            .filter { $0.header.index.account == account.value && $0.header.kind == kind }
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
        for row in try rows(kind) where (try? row.record.get().header.kind) ?? kind == kind { try body(row.record) }
    }

    private func rows(_ kind: RecordHeader.Kind) throws -> [Row] {
        let own = try all(items(["xdg:schema": ItemAttributes.schema(kind)]))
        switch kind {
        case .accessToken: return try newest(own + madeByHand())
        case .account:
            let rows = try telling(newest(own) + rows(.accessToken))
            guard rows.isEmpty else { return rows }
            // Those of an earlier version are found by no kind, and should not be missing without a word.
            return try newest(all(storage.search(ItemAttributes.everyEarlier(keys.vault))))
        default: return newest(own)
        }
    }

    func forEachRow(_ body: (Int64, Result<StoredRecord, any Error>) throws -> Void) throws {
        // Who looks at all of them looks at their secrets too.
        for row in try records(withSecrets: true) { try body(row.row, row.record) }
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

    /// What an item holds, or why that is not known.
    private struct Row {
        let row: Int64
        let record: Result<StoredRecord, any Error>
        /// Whether it is an account's, or may tell of one.
        var mayTell = true
    }

    /// How many records of each kind there are, of those that open.
    func counts() throws -> [RecordHeader.Kind: Int] {
        try records().reduce(into: [:]) { counts, row in
            if let record = try? row.record.get() { counts[record.header.kind, default: 0] += 1 }
        }
    }

    /// Every record of the group.
    private func records(withSecrets: Bool = false) throws -> [Row] {
        try addingAccounts(newest(all(items([:]), withSecrets: withSecrets) + madeByHand()))
    }

    /// The records that have these attributes.
    ///
    /// - Throws: `damaged` when one of their items does not hold what Keyfob wrote.
    private func found(_ attributes: [String: String]) throws -> [StoredRecord] {
        try newest(try all(try items(attributes))).map { try $0.record.get() }
    }

    /// What concerns an account: its records of these kinds (nil: of all), with tokens that were made by hand, and what
    /// stands for the account where it has no item.
    private func rows(of account: String, _ kinds: [RecordHeader.Kind]? = nil) throws -> [Row] {
        let found = try storage.items(of: ItemAttributes.text(account)).filter { found in
            kinds?.contains { ItemAttributes.isOf($0, found.attributes) } ?? true
        }
        let rows = try all(found.map(\.item), known: Dictionary(found.map { ($0.item, $0.attributes) }) { $1 })
        let byHand = rows.filter { storage.handMade(row: $0.row) != nil }
        let own = rows.filter { storage.handMade(row: $0.row) == nil }
        return try addingAccounts(newest(own + byHand))
    }

    /// The record of an account, or what stands for it.
    private func accountRows(of id: String) throws -> [Row] { try telling(rows(of: id, [.account, .accessToken])) }

    /// The accounts among these rows and those that these tell of, and what may have been one.
    private func telling(_ rows: [Row]) throws -> [Row] {
        try addingAccounts(rows).filter { row in
            switch row.record {
            case .success(let record): record.header.kind == .account
            case .failure: row.mayTell
            }
        }
    }

    /// The tokens that were made by hand for the group.
    private func madeByHand() throws -> [Row] {
        // What Keyfob has taken over since may still say that it was made by hand.
        try all(try storage.itemsMadeByHand()).filter { storage.handMade(row: $0.row) != nil }
    }

    /// Adds what stands for accounts that only tokens tell of: of several tokens the one that was written last tells, those
    /// that were made by hand after all others.
    private func addingAccounts(_ rows: [Row]) throws -> [Row] {
        let known = Set(
            rows.compactMap { try? $0.record.get().header }.filter { $0.kind == .account }.compactMap(\.index.account))
        var told: [BlindValue: (row: Row, token: StoredRecord)] = [:]
        var several: Set<BlindValue> = []
        for row in rows {
            guard let token = try? row.record.get(), token.header.kind == .accessToken,
                let value = token.header.index.account, !known.contains(value),
                let account = try OpenedItem(accountOf: token.header, token.attributes, keys)
            else { continue }
            if let other = told[value]?.token {
                // With two tokens of two commands it goes with neither.
                if try other.open(keys).origin() != token.open(keys).origin() { several.insert(value) }
                if other.isToldBefore(token) { continue }
            }
            let place = storage.row(of: try storage.item(row: row.row).toldAccount)
            storage.note(storage.handMade(row: row.row), row: place)
            told[value] = (Row(row: place, record: .success(account.record(row: place))), token)
        }
        for value in several {
            guard let (row, token) = told[value],
                let account = try OpenedItem(accountOf: token.header, token.attributes, keys, isOfRun: false)
            else { continue }
            told[value]?.row = Row(row: row.row, record: .success(account.record(row: row.row)))
        }
        return rows + told.values.map(\.row).sorted { $0.row < $1.row }
    }

    /// The vault's items that have these attributes, and of an account without those of tokens made by hand.
    func items(_ attributes: [String: String]) throws -> [SecretService.ItemPath] {
        let wanted = attributes.mapValues(ItemAttributes.text).filter { !$0.value.isEmpty }
            .merging(ItemAttributes.every(keys.vault)) { $1 }
        return try storage.search(wanted)
    }

    /// What the items of the group hold, as far as they are still there, in the order in which they were made; where their
    /// paths do not tell that, as with KeePassXC, in the order in which the records were written last.
    ///
    /// - Parameters:
    ///   - items: Items of others may be among them, as ``ItemReading/states(of:withSecrets:known:)`` has it.
    ///   - withSecrets: Whether the tokens are read, all in one question; otherwise each when it is asked for.
    ///   - known: What some of them said of themselves just now.
    private func all(
        _ items: [SecretService.ItemPath], withSecrets: Bool = false,
        known: [SecretService.ItemPath: [String: String]] = [:]
    ) throws -> [Row] {
        guard !items.isEmpty else { return [] }
        let sorted = items.sorted { ($0.path.utf8.count, $0.path) < ($1.path.utf8.count, $1.path) }
        let reading = ItemReading(storage: storage, keys: keys)
        var rows: [Row] = []
        for found in try reading.states(of: sorted, withSecrets: withSecrets, known: known) {
            let (item, row) = (found.item, storage.row(of: found.item))
            func take(_ record: Result<OpenedItem, any Error>) {
                rows.append(
                    Row(
                        row: row, record: record.map { $0.record(row: row) },
                        mayTell: ItemAttributes.mayTell(found.attributes)))
            }
            switch found.state {
            case .record(let opened):
                storage.note(nil, row: row)
                take(.success(opened))
            case .handMade(let token, let opened):
                guard try storage.isMeant(token, for: keys.group) else { continue }
                storage.note(token, row: row)
                take(.success(opened))
            case .changed: take(.failure(OpenedItem.changed(item)))
            case .earlier: take(.failure(OpenedItem.earlier(item)))
            case .foreign: take(.failure(OpenedItem.damaged(item)))
            case .nothing: break
            }
        }
        if !sorted.allSatisfy(\.isNumbered) {
            let places = Dictionary(
                try rows.map { row in
                    let stamp = (try? row.record.get())?.header.stamp.value ?? 0
                    return (row.row, (stamp, try storage.item(row: row.row).path))
                }
            ) { $1 }
            rows.sort { (places[$0.row] ?? (0, "")) < (places[$1.row] ?? (0, "")) }
        }
        storage.remember(rows.compactMap { try? $0.record.get() })
        return rows
    }

    /// The latest version of a record among the items that have one of these sets of attributes; nil where none holds it.
    func newest(_ record: RecordID, _ filings: [[String: String]]) throws -> StoredRecord? {
        var paths: Set<SecretService.ItemPath> = []
        for filing in filings { paths.formUnion(try items(filing)) }
        let found = try ItemReading(storage: storage, keys: keys).states(of: Array(paths), withSecrets: false)
            .compactMap { found -> StoredRecord? in
                switch found.state {
                // Whoever was stopped may have written the secret, and nothing else.
                case .record(let opened), .changed(let opened), .earlier(let opened):
                    opened.header.record == record ? opened.record(row: storage.row(of: found.item)) : nil
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
        return try rows(of: account.canonical, [.accessToken]).filter { storage.handMade(row: $0.row) != nil }
            .compactMap { try? $0.record.get() }
            .first { $0.header.record == record.header.record }
    }

    /// Of several items that hold one record, the one that was written last.
    ///
    /// A token that was made by hand is the same record as what a migration has made of it.
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
    /// Whether what this token tells of its account goes before what another one does.
    fileprivate func isToldBefore(_ other: StoredRecord) -> Bool {
        isMadeByHand == other.isMadeByHand ? version > other.version : other.isMadeByHand
    }

    /// The same with its secret.
    func with(secret: CommittingAEAD.Box) -> StoredRecord {
        StoredRecord(
            rowID: rowID, header: header, attributes: attributes, secretCommitment: secretCommitment, secret: secret)
    }
}
