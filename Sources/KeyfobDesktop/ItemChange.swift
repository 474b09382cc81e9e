internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

/// What is to change in one group.
final class ItemChange: RecordWriting {
    let storage: SecretServiceStorage
    let keys: GroupKeys
    /// What is new, under numbers that no item has.
    private var inserted: [(row: Int64, record: SealedRecord)] = []
    private var replaced: [(old: StoredRecord, record: SealedRecord)] = []
    private(set) var deleted: [StoredRecord] = []
    private var knowsTombstones: Bool?
    /// The last number that was given to a new record; none is given twice.
    private var lastRow: Int64 = 0

    /// Where the records are read; nil is the service.
    private let memory: RememberedRecords?
    private(set) var isIrreplaceable = false
    /// Whether it takes up what somebody else has begun.
    private var isResumed = false
    /// The rows of accounts that need no item, since a token that is written too tells all of them.
    private var told: Set<Int64> = []

    init(_ storage: SecretServiceStorage, _ keys: GroupKeys, from memory: RememberedRecords? = nil) {
        self.storage = storage
        self.keys = keys
        self.memory = memory
    }

    private var items: ItemRecords { ItemRecords(storage: storage, keys: keys) }

    var reader: any RecordReading { ChangedRecords(base: memory?.reader(keys) ?? items, change: self) }

    func markIrreplaceable() { isIrreplaceable = true }

    func insert(_ record: SealedRecord) {
        lastRow -= 1
        inserted.append((lastRow, record))
        if record.header.kind == .tombstone { knowsTombstones = true }
    }

    func replace(_ old: StoredRecord, with record: SealedRecord) throws {
        _ = try old.open(keys)
        // What was made by hand is Keyfob's from now on.
        let record = try storage.handMade(row: old.rowID) == nil ? record : ordinary(record)
        if let index = inserted.firstIndex(where: { $0.row == old.rowID }) {
            inserted[index].record = record
        } else if let index = replaced.firstIndex(where: { $0.old.rowID == old.rowID }) {
            replaced[index].record = record
        } else {
            replaced.append((old, record))
        }
    }

    /// The same record, which other devices may have.
    private func ordinary(_ record: SealedRecord) throws -> SealedRecord {
        var header = record.header
        header.isThisDeviceOnly = false
        let body = try keys.openAttributes(record.header, record.attributes)
        guard let box = record.secret else { return try keys.seal(header, attributes: body) }
        return try keys.seal(header, attributes: body, secret: try keys.openSecret(record.header, box))
    }

    func delete(_ old: StoredRecord) throws {
        _ = try old.open(keys)
        if old.rowID < 0 {
            inserted.removeAll { $0.row == old.rowID }
        } else {
            replaced.removeAll { $0.old.rowID == old.rowID }
            if !deleted.contains(where: { $0.rowID == old.rowID }) { deleted.append(old) }
        }
    }

    // Of tombstones it is asked for each record that is new.
    func mayHold(_ kind: RecordHeader.Kind) throws -> Bool {
        guard kind == .tombstone else { return true }
        if let knowsTombstones { return knowsTombstones }
        // From memory nothing can be ruled out.
        guard memory == nil else { return true }
        let items = try items.items(["xdg:schema": ItemAttributes.schema(kind)])
        knowsTombstones = !items.isEmpty
        return !items.isEmpty
    }

    // A search in each change would be too much.
    func oldest(_ kind: RecordHeader.Kind) -> StoredRecord? { nil }

    func finish() -> Milestone? { nil }

    /// Whether a record of the storage has changed, or is gone.
    func supersedes(row: Int64) -> Bool {
        replaced.contains { $0.old.rowID == row } || deleted.contains { $0.rowID == row }
    }

    /// The records as they will be, where that is not as they are, and `isMeant` says so.
    func changed(where isMeant: (Int64, RecordHeader) -> Bool = { _, _ in true }) -> [StoredRecord] {
        var found: [StoredRecord] = []
        for (old, record) in replaced where isMeant(old.rowID, record.header) {
            found.append(StoredRecord(rowID: old.rowID, record))
        }
        for (row, record) in inserted where isMeant(row, record.header) {
            found.append(StoredRecord(rowID: row, record))
        }
        return found
    }

    /// What is written in the place of something, and what is new, but for accounts that need no item.
    private var kept:
        (
            replaced: [(old: StoredRecord, record: SealedRecord)], inserted: [(row: Int64, record: SealedRecord)]
        )
    {
        (replaced.filter { !told.contains($0.old.rowID) }, inserted.filter { !told.contains($0.row) })
    }

    /// What happens to each record.
    var steps: [ChangeLog.Step] {
        let (replaced, inserted) = kept
        return replaced.map { .put($0.record, former: $0.old.withoutSecret) }
            + inserted.map { .put($0.record, former: nil) } + deleted.map { .delete($0.withoutSecret) }
    }

    /// How many calls to the service make the change, at least.
    var callCount: Int {
        let (replaced, inserted) = kept
        return inserted.count + deleted.count + 2 * replaced.count
    }

    /// Whether a record goes.
    var takesAway: Bool { !deleted.isEmpty }

    /// Makes up its mind about accounts without an item of their own, when all is known that is to change.
    func settleAccounts() throws {
        if memory == nil { try keepAccountsWithTokens() }
        told = try accountsTold()
    }

    /// Takes up a step that somebody else has written down, as far as it is still to be made.
    ///
    /// - Parameter isCurrent: Whether nothing was taken away since; otherwise what is not there stays away.
    /// - Returns: Whether nothing of it is left out.
    func resume(_ step: ChangeLog.Step, isCurrent: Bool) throws -> Bool {
        isResumed = true
        switch step {
        case .put(let record, let former):
            let places = try [lasting(record)] + (former.map { [try lasting($0)] } ?? [])
            guard let found = try items.newest(record.header.record, places) else {
                if let former, let token = try items.madeByHand(former) {
                    // What somebody has put there since counts.
                    let isLeft = try token.version < record.header.version || storage.holds(token, record, keys)
                    if isLeft { replaced.append((token, record)) }
                    return true
                }
                if isCurrent { insert(record) }
                return isCurrent
            }
            let isBehind = found.version < record.header.version
            // Written again where it is there already: what it is filed under may not be.
            if isBehind || isCurrent && found.version == record.header.version { replaced.append((found, record)) }
            return true
        case .delete(let record):
            let found: StoredRecord
            if let known = try items.newest(record.header.record, [lasting(record)]) {
                guard known.version <= record.header.version else { return true }
                found = known
            } else if let token = try items.madeByHand(record) {
                guard try token.version <= record.header.version || storage.isEmptied(token) else { return true }
                found = token
            } else {
                return true
            }
            if isCurrent { deleted.append(found) }
            return isCurrent
        }
    }

    /// What an item for any version of the record has among its attributes.
    private func lasting(_ record: SealedRecord) throws -> [String: String] {
        try filing(record).filter { ["xdg:schema", "account"].contains($0.key) }
    }

    /// Notes the records as they will be, for who cannot read them meanwhile.
    func rememberSteps() { storage.remember(replaced.map { StoredRecord(rowID: $0.old.rowID, $0.record) }) }

    private func filing(_ record: SealedRecord) throws -> [String: String] {
        let body = try keys.openAttributes(record.header, record.attributes)
        return try ItemAttributes.filing(record.header, body)
    }

    typealias Step = (() throws -> Void) throws -> Void

    /// Writes the refresh tokens that take the place of others.
    func replaceGrants(in names: [GroupID: AccessGroup], _ step: Step) throws {
        for (old, record) in replaced where record.isGrant { try step { try replace(old, with: record, names) } }
    }

    /// Makes the items that are new, refresh tokens before all others.
    func create(in names: [GroupID: AccessGroup], _ step: Step) throws {
        let records = kept.inserted.map(\.record)
        for record in records.filter(\.isGrant) + records.filter({ !$0.isGrant }) {
            try step { try create(record, names) }
        }
    }

    private func create(_ record: SealedRecord, _ names: [GroupID: AccessGroup]) throws {
        let item = try storage.create(
            record, keys, group: names[keys.group] ?? .default, owner: try owner(of: record))
        storage.remember([StoredRecord(rowID: storage.row(of: item), record)])
    }

    /// Writes the other items that change.
    func replaceOthers(in names: [GroupID: AccessGroup], _ step: Step) throws {
        for (old, record) in kept.replaced where !record.isGrant { try step { try replace(old, with: record, names) } }
    }

    private func replace(_ old: StoredRecord, with record: SealedRecord, _ names: [GroupID: AccessGroup]) throws {
        let item = try storage.item(row: old.rowID)
        if item.tokenOfAccount != nil { return try create(record, names) }
        try storage.replace(
            item, old, with: record, keys, group: names[keys.group] ?? .default,
            owner: owner(among: record), relabels: isResumed)
        storage.remember([StoredRecord(rowID: old.rowID, record)])
        for double in storage.doubles(of: record.header.record, besides: old.rowID) { try storage.remove(double) }
    }

    /// What the account of a credential is called; nil for what is none, or where there is no account.
    private func owner(of record: SealedRecord) throws -> ItemOwner? {
        guard let id = try credentialAccount(record) else { return nil }
        if let known = owner(among: record) ?? storage.rememberedOwner(keys.blind(id), keys) { return known }
        let account = try items.records(of: keys.blind(id), kind: .account).first
        return account.flatMap { try? ItemOwner($0, keys) }
    }

    /// The same, as far as this change writes the account.
    private func owner(among record: SealedRecord) -> ItemOwner? {
        guard let value = record.header.index.account, record.header.kind != .account else { return nil }
        let account = changed { $1.kind == .account && $1.index.account == value }.first
        return account.flatMap { try? ItemOwner($0, keys) }
    }

    private func credentialAccount(_ record: SealedRecord) throws -> AccountID? {
        guard ![.tombstone, .journal].contains(record.header.kind) else { return nil }
        let body = try keys.openAttributes(record.header, record.attributes)
        return try ItemBody.decode(body, record.header.kind).credential?.account
    }

    /// Tells the items of tokens what their account is called now.
    func renameOwners(in names: [GroupID: AccessGroup], _ step: Step) throws {
        var accounts = kept.replaced.filter { $0.old.header.kind == .account }.map { (Optional($0.old), $0.record) }
        // One that is made by who takes up a change may have had tokens before.
        if isResumed { accounts += kept.inserted.map { (nil, $0.record) } }
        for (old, record) in accounts where record.header.kind == .account {
            let account = try AccountBody.decode(keys.openAttributes(record.header, record.attributes))
            let owner = ItemOwner(account)
            guard try isResumed || old.map({ try ItemOwner($0, keys) }) != owner else { continue }
            try step {
                try storage.rename(
                    owner, of: account.id.canonical, keys, group: names[keys.group] ?? .default)
            }
        }
    }

    /// Removes the items that go.
    func deleteItems(_ step: Step) throws {
        for record in deleted {
            for double in storage.doubles(of: record.header.record, besides: record.rowID) {
                try step { try storage.remove(double) }
            }
            try step { try storage.remove(try storage.item(row: record.rowID)) }
        }
    }
}

extension SealedRecord {
    fileprivate var isGrant: Bool { header.kind == .refreshToken && secret != nil }
}

extension StoredRecord {
    /// The same without its secret, which tells all the same which version of which record it is.
    fileprivate var withoutSecret: SealedRecord { SealedRecord(header: header, attributes: attributes, secret: nil) }
}

extension StoredRecord {
    /// A record that was sealed just now.
    init(rowID: Int64, _ record: SealedRecord) {
        self.init(rowID: rowID, header: record.header, attributes: record.attributes, secret: record.secret)
    }
}
