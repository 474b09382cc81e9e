package import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
internal import KeyfobSodium
package import KeyfobSecretService
package import KeyfobVault
internal import Synchronization

/// A vault whose header and records are items of the Secret Service.
///
/// The service keeps them as they are and is trusted with them; there is one item for each record, and one for the
/// header. It has no transactions: a change is written down in the vault's folder, then made item by item, new ones first,
/// and what is taken away last; what was stopped in the middle is completed by whoever looks next. Processes of this
/// machine take turns by a lock file; of two items that hold one record, the later counts.
package final class SecretServiceStorage: VaultStorage {
    package var place: StoragePlace { .secretService }
    package let directory: VaultDirectory
    package var isReadOnly: Bool { false }
    package var isInPlace: Bool { (try? requireHere()) != nil }
    package var hasChanged: Bool? { nil }
    /// Which vault it is.
    let vault: VaultID
    /// Where it is noted in which item the header is; nil where it is not.
    let headerNote: HeaderItemNote?
    private let connection: Mutex<Connection>

    /// An item, and what it said of itself.
    typealias FoundItem = (item: SecretService.ItemPath, attributes: [String: String])

    /// What is known of the service, used by one at a time.
    private struct Connection: ~Copyable {
        let service: SecretService
        /// Where the vault's items are: the collection of the header's item.
        var collection: String
        /// The numbers that stand for items in this process.
        var rows: [SecretService.ItemPath: Int64] = [:]
        var items: [Int64: SecretService.ItemPath] = [:]
        var version: Int64 = 0
        /// Where one record is in several items, all of them.
        var doubles: [RecordID: Set<Int64>] = [:]
        /// The vault's key and header, and records, as they were read or written last; for a change that has to be known
        /// while the service does not answer.
        var header: KnownHeader?
        /// The items with the header that were found just now, for who reads it next.
        var headers: [SecretService.ItemPath]?
        /// The header that was read just now, for who asks for it next.
        var freshHeader: KnownHeader?
        /// The items of an account and what they said of themselves, and what others said, in this process's turn or for one
        /// answer.
        var accountItems: [String: [FoundItem]] = [:]
        var attributes: [SecretService.ItemPath: [String: String]] = [:]
        /// How many answers are under way.
        var answerCount = 0
        /// What kept a change that was stopped from being completed.
        var obstacle: (any Error)?
        var remembered: [Int64: StoredRecord] = [:]
        /// Tokens that were made by hand, under the numbers of their items and of what stands for their accounts.
        var handMade: [Int64: HandMadeToken] = [:]
        /// Whether this process has the turn at changing items.
        var hasTurn = false

        init(service: SecretService, collection: String) {
            self.service = service
            self.collection = collection
        }

        var keepsFound: Bool { hasTurn || answerCount > 0 }

        mutating func forgetFound() { (accountItems, attributes) = ([:], [:]) }
    }

    /// How many records are remembered at most.
    private static let memoryLimit = 256

    init(
        directory: VaultDirectory, vault: VaultID, service: sending SecretService, collection: String,
        headerNote: HeaderItemNote? = nil
    ) {
        self.directory = directory
        self.vault = vault
        self.headerNote = headerNote
        connection = Mutex(Connection(service: service, collection: collection))
    }

    /// Makes the items of a new vault in the service's default collection: its header.
    ///
    /// The vault is there once ``StoragePlaceFile`` says so.
    ///
    /// - Parameter state: As ``open(_:in:_:state:)`` has it.
    /// - Throws: ``DesktopError``.
    package static func create(
        in directory: VaultDirectory, for vault: borrowing UnlockedVault, device: UInt64, _ access: SecretServiceAccess,
        state: String? = nil
    ) throws -> SecretServiceStorage {
        let service = try connect(access)
        let collection: String = try translating { () throws(SecretServiceError) in
            let collection = try service.defaultCollection()
            try service.unlock(collection)
            return collection.path
        }
        let storage = SecretServiceStorage(
            directory: directory, vault: vault.header.vault, service: service, collection: collection,
            headerNote: state.map { HeaderItemNote(state: $0, vault: vault.header.vault) })
        try storage.storeHeader(try OpenHeader(vault, device: device))
        return storage
    }

    /// Finds the items of a vault, unlocking their collection where that may be done.
    ///
    /// - Parameter state: The folder for state in which the item of the header is noted, if it is.
    /// - Throws: ``DesktopError``, with `noItem` where the service has nothing of the vault.
    package static func open(
        _ place: StoragePlaceFile, in directory: VaultDirectory, _ access: SecretServiceAccess, state: String? = nil
    ) throws -> SecretServiceStorage {
        let storage = SecretServiceStorage(
            directory: directory, vault: place.vault, service: try connect(access), collection: place.collection ?? "",
            headerNote: state.map { HeaderItemNote(state: $0, vault: place.vault) })
        if try !storage.findNotedHeader() {
            try storage.connection.withLock { connection in
                let home = try home(of: place.vault, known: place.collection, connection.service)
                connection.collection = home.collection
                connection.headers = home.headers
            }
        }
        storage.completeStoppedChange()
        return storage
    }

    /// Looks for the header where it was found last; nothing is unlocked for that.
    ///
    /// Only who opens the vault does: who changes it looks for the latest.
    ///
    /// - Returns: Whether it is there.
    private func findNotedHeader() throws -> Bool {
        guard let place = headerNote?.place else { return false }
        let item = SecretService.ItemPath(path: place.item)
        guard item.collection == collection, let header = try header(in: item, notBefore: place.sequence) else {
            return false
        }
        let known = KnownHeader(header)
        connection.withLock { $0.freshHeader = known }
        return true
    }

    /// Where the service keeps a vault.
    ///
    /// - Throws: ``DesktopError``, with `noItem` where it has nothing of the vault.
    package static func find(_ vault: VaultID, _ access: SecretServiceAccess) throws -> StoragePlaceFile {
        StoragePlaceFile(vault: vault, collection: try home(of: vault, try connect(access)).collection)
    }

    static func connect(_ access: SecretServiceAccess) throws -> sending SecretService {
        do {
            return try SecretService.connect(access)
        } catch {
            throw DesktopError.service(error, partly: false)
        }
    }

    /// Runs `body` and says in this module's terms what the service says.
    static func translating<Result>(_ body: () throws(SecretServiceError) -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw DesktopError.service(error, partly: false)
        }
    }

    /// The collection's path.
    package var collection: String { connection.withLock { $0.collection } }

    /// What the program is called that is the service; nil where it cannot be told.
    package var serviceName: String? { connection.withLock { $0.service.providerName } }

    /// When the vault came to the service: when the item of its header was made; nil where the service does not say.
    package func since() throws -> Timestamp? {
        guard let item = try headerItems().newest else { return nil }
        return try withService { service, _ in
            try service.detailsIfThere(of: item)?.created.map { Timestamp(seconds: Int64(clamping: $0)) }
        }
    }

    /// Uses the service, with the collection's path.
    func withService<Result: ~Copyable>(
        _ body: (SecretService, String) throws -> sending Result
    ) throws -> sending Result {
        try connection.withLock { connection in
            do {
                return try body(connection.service, connection.collection)
            } catch let error as SecretServiceError {
                // Some services want to be asked for each item, of a collection that is open.
                let isOpen = error == .locked && (try? connection.service.isLocked(connection.collection)) == false
                throw DesktopError.service(isOpen ? .needsPrompt : error, partly: false)
            }
        }
    }

    /// The number that stands for an item.
    func row(of item: SecretService.ItemPath) -> Int64 {
        connection.withLock { connection in
            if let row = connection.rows[item] { return row }
            let row = Int64(connection.rows.count + 1)
            connection.rows[item] = row
            connection.items[row] = item
            return row
        }
    }

    /// The item that a number stands for.
    func item(row: Int64) throws -> SecretService.ItemPath {
        guard let item = connection.withLock({ $0.items[row] }) else { throw StoreError.damaged(what: "row \(row)") }
        return item
    }

    /// Notes that two items hold one record.
    func noteDoubles(_ record: RecordID, _ rows: [Int64]) {
        connection.withLock { $0.doubles[record, default: []].formUnion(rows) }
    }

    /// Forgets what was noted: each change looks again, since an item's path may be another item's by now.
    func forgetDoubles() {
        connection.withLock { $0.doubles = [:] }
    }

    /// The other items that were seen to hold a record.
    func doubles(of record: RecordID, besides row: Int64) -> [SecretService.ItemPath] {
        connection.withLock { connection in
            (connection.doubles[record] ?? []).filter { $0 != row }.sorted().compactMap { connection.items[$0] }
        }
    }

    /// Notes what was read or written.
    func remember(_ records: [StoredRecord]) {
        guard records.count <= Self.memoryLimit else { return }
        connection.withLock { connection in
            if connection.remembered.count > Self.memoryLimit { connection.remembered = [:] }
            for record in records {
                // A secret that was read once is not forgotten because the record was read without it.
                if record.secret == nil, let known = connection.remembered[record.rowID], known.isSame(as: record) {
                    continue
                }
                connection.remembered[record.rowID] = record
            }
        }
    }

    /// The items with the header, where they were found just now; whoever asks again has to search.
    func takeFoundHeaders() -> [SecretService.ItemPath]? {
        connection.withLock { connection in
            defer { connection.headers = nil }
            return connection.headers
        }
    }

    /// Notes in which item the header is, for who opens the vault next.
    func note(headerItem: SecretService.ItemPath, _ header: borrowing OpenHeader) {
        guard let parsed = try? LockedVault(headerBytes: header.header) else { return }
        headerNote?.keep(headerItem.path, sequence: parsed.sequence)
    }

    /// The header that was read just now; who asks again has to read it again.
    func takeFreshHeader() -> KnownHeader? {
        connection.withLock { connection in
            defer { connection.freshHeader = nil }
            return connection.freshHeader
        }
    }

    /// The items of an account, where they were found in this process's turn or for this answer.
    func accountItems(_ account: String) -> [FoundItem]? { connection.withLock { $0.accountItems[account] } }

    /// Notes the items of an account, as long as nobody changes them or they are for one answer.
    func note(accountItems: [FoundItem], of account: String) {
        connection.withLock { if $0.keepsFound { $0.accountItems[account] = accountItems } }
    }

    /// Forgets what items said of themselves, since they are about to change.
    func forgetAccountItems() { connection.withLock { $0.forgetFound() } }

    /// What items said of themselves in this process's turn or for this answer.
    func foundAttributes() -> [SecretService.ItemPath: [String: String]] { connection.withLock { $0.attributes } }

    /// Notes what items say of themselves.
    func note(attributes: [SecretService.ItemPath: [String: String]]) {
        connection.withLock { if $0.keepsFound { $0.attributes.merge(attributes) { $1 } } }
    }

    /// Forgets the records that were read or written, which other keys have sealed than are used by now.
    func forgetRecords() { connection.withLock { $0.remembered = [:] } }

    /// What was read or written last of a record, if that is the same version of it.
    func remembered(_ record: StoredRecord) -> StoredRecord? {
        connection.withLock { connection in
            connection.remembered[record.rowID].flatMap { $0.isSame(as: record) ? $0 : nil }
        }
    }

    /// What an account is called, if it was read or written here.
    func rememberedOwner(_ account: Lookup, _ keys: GroupKeys) -> ItemOwner? {
        let known = connection.withLock { connection in
            connection.remembered.values.first { record in
                record.header.kind == .account && record.header.group == keys.group
                    && record.header.index.account == account.value
            }
        }
        return known.flatMap { try? ItemOwner($0, keys) }
    }

    /// Notes that a row is a token that was made by hand, or its account; or that it is neither any more.
    func note(_ token: HandMadeToken?, row: Int64) { connection.withLock { $0.handMade[row] = token } }

    /// The token that was made by hand of which a row is, or is the account; nil for all others.
    func handMade(row: Int64) -> HandMadeToken? { connection.withLock { $0.handMade[row] } }

    /// Whether this process has the turn at changing items.
    var hasTurn: Bool { connection.withLock { $0.hasTurn } }

    /// Notes whether this process has the turn at changing items.
    ///
    /// What was found before or in another turn is not what is there.
    func note(hasTurn: Bool) {
        connection.withLock { connection in
            connection.hasTurn = hasTurn
            connection.freshHeader = nil
            connection.forgetFound()
        }
    }

    /// Notes the header that was read or written.
    func remember(_ header: borrowing OpenHeader) {
        let known = KnownHeader(header.copy())
        connection.withLock { $0.header = known }
    }

    /// What keeps a change that was stopped from being completed, as far as this process has tried.
    package var obstacle: (any Error)? { connection.withLock { $0.obstacle } }

    /// Notes what keeps a change that was stopped from being completed; nil where nothing does any more.
    func note(obstacle: (any Error)?) { connection.withLock { $0.obstacle = obstacle } }

    /// The header as it was read or written last, and what is remembered of the records; nil before that.
    func memory() -> (known: KnownHeader, records: RememberedRecords)? {
        connection.withLock { connection in
            guard let header = connection.header else { return nil }
            return (header, RememberedRecords(records: connection.remembered.values.sorted { $0.rowID < $1.rowID }))
        }
    }

    // Nothing tells cheaply whether another process has changed an item.
    package func version() -> StorageVersion {
        connection.withLock { connection in
            connection.version += 1
            return StorageVersion(counter: connection.version)
        }
    }

    /// Within it no item is asked for twice; what an answer that began before has found is not taken.
    package func withSnapshot<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        func note(_ change: Int) {
            connection.withLock { connection in
                connection.answerCount += change
                if !connection.hasTurn { connection.forgetFound() }
            }
        }
        note(1)
        defer { note(-1) }
        return try body()
    }

    package func read<Result>(
        _ keys: GroupKeys, _ body: (any RecordReading) throws -> sending Result
    ) throws -> sending Result {
        completeStoppedChange()
        return try body(ItemRecords(storage: self, keys: keys))
    }

    package func snapshot<Result>(
        _ keys: GroupKeys, _ body: (any RecordReading) throws -> sending Result
    ) throws -> sending Result { try read(keys, body) }

    package func state(of keys: GroupKeys) -> GroupCompleteness {
        GroupCompleteness(nil, expected: 0, counted: 0)
    }

    package func counts(in keys: GroupKeys) throws -> [RecordHeader.Kind: Int] {
        try require(keys.group)
        return try ItemRecords(storage: self, keys: keys).counts()
    }
}

extension SecretService.ItemPath {
    /// Whether the path ends with the item's number, and not with a random one.
    var isNumbered: Bool { path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.count < 32 }
}

extension StoredRecord {
    /// Whether it is the same version of the same record.
    fileprivate func isSame(as other: StoredRecord) -> Bool {
        header.record == other.header.record && header.group == other.header.group && version == other.version
            && secretCommitment == other.secretCommitment
    }
}
