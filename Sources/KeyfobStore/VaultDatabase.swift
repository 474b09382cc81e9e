internal import GRDB
package import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
package import KeyfobSQLite
package import KeyfobVault
internal import Synchronization

/// The database of a vault.
///
/// What is read goes through a ``VaultDatabaseReader``; GRDB's connection is for everything else, and is opened when it
/// is first needed.
package final class VaultDatabase: VaultStorage {
    /// Reads what a lookup needs.
    let reader: VaultDatabaseReader
    package var isReadOnly: Bool { reader.schemaVersion > Migrations.current }
    /// The file that is open: a migration may put another one in its place.
    private let file: FileIdentity?
    private let writing: Mutex<DatabaseQueue?>
    private let changes = Atomic(0)
    package var hasChanged: Bool? { changes.load(ordering: .relaxed) > 0 }

    /// The database that `reader` reads, to be changed as well.
    package convenience init(_ reader: VaultDatabaseReader) {
        self.init(reader, writing: nil)
    }

    private init(_ reader: VaultDatabaseReader, writing: DatabaseQueue?) {
        self.reader = reader
        self.writing = Mutex(writing)
        file = FileIdentity(reader.directory.database)
    }

    /// Makes the database of a new vault, with its header and the empty manifests of its groups.
    ///
    /// - Throws: `alreadyThere`, `unsafePath`, `unsuitableFileSystem`, `diskFull`, `inputOutput`.
    package static func create(
        in directory: VaultDirectory, for vault: borrowing UnlockedVault, device: UInt64
    ) throws -> VaultDatabase {
        try directory.create()
        try POSIXFile.createExclusively(directory.database)
        let header = try vault.encodedHeader()
        let sequence = vault.sequence
        let groups = vault.groups.map(\.keys)
        do {
            let queue = try StoreError.translating {
                let queue = try DatabaseQueue(path: directory.database, configuration: configuration(pageSize: 8_192))
                try queue.writeWithoutTransaction { database in
                    try database.inTransaction(.immediate) {
                        try database.execute(sql: "PRAGMA application_id = \(VaultDatabaseReader.applicationID)")
                        try Migrations.run(database, from: 0)
                        for table in ["header", "second_header"] {
                            try database.execute(
                                sql: "INSERT INTO \(table) VALUES (1, ?, ?, ?)",
                                arguments: [Int64(bitPattern: sequence), Int64(bitPattern: device), header.blob])
                        }
                        for keys in groups { try DatabaseChange.begin(database, keys) }
                        return .commit
                    }
                }
                return queue
            }
            try POSIXFile.replace(directory.headerCopy, with: header)
            return VaultDatabase(try VaultDatabaseReader(directory), writing: queue)
        } catch {
            try? POSIXFile.removeNewVault(directory)
            throw error
        }
    }

    /// Opens the database of an existing vault.
    ///
    /// - Throws: as ``VaultDatabaseReader/init(_:)``.
    package static func open(_ directory: VaultDirectory) throws -> VaultDatabase {
        VaultDatabase(try VaultDatabaseReader(directory))
    }

    static func configuration(pageSize: Int?) -> Configuration {
        var configuration = Configuration()
        configuration.label = "keyring"
        configuration.busyMode = .callback { tries in Patience.goesOn(after: tries) }
        configuration.prepareDatabase { database in
            if let pageSize { try database.execute(sql: "PRAGMA page_size = \(pageSize)") }
            try database.execute(
                sql: """
                    PRAGMA journal_mode = DELETE;
                    PRAGMA synchronous = EXTRA;
                    PRAGMA secure_delete = ON;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA mmap_size = 0;
                    PRAGMA cell_size_check = ON;
                    PRAGMA trusted_schema = OFF;
                    """)
        }
        return configuration
    }

    /// Runs `body` on GRDB's connection, for what only reads and is rare.
    func maintain<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try StoreError.translating { try queue().unsafeRead(body) }
    }

    /// GRDB's connection, opened now unless it is.
    private func queue() throws -> DatabaseQueue {
        try writing.withLock { queue in
            if let queue { return queue }
            directory.removeAbandoned()
            let opened = try DatabaseQueue(path: directory.database, configuration: Self.configuration(pageSize: nil))
            queue = opened
            return opened
        }
    }

    package func write<Result>(sequence: UInt64, _ body: (any StorageChange) throws -> Result) throws -> Result {
        try write { database in
            try requireHeader(sequence, database)
            return try body(DatabaseTransaction(database))
        }
    }

    /// Makes sure that keys are those of the header that is there.
    ///
    /// - Throws: `staleKeys`; `damaged` where the header is gone, and has to be put back first.
    func requireHeader(_ sequence: UInt64, _ database: Database) throws {
        // Where the table or its page is damaged, a copy of the header tells.
        let stored =
            (try? Int64.fetchOne(try database.cachedStatement(sql: "SELECT sequence FROM header WHERE id = 1"))) ?? nil
        if stored == Int64(bitPattern: sequence) { return }
        let header = try ReadConnection(within: database).storedHeader(directory)
        switch header.origin {
        case .second where try stored == nil && LockedVault(headerBytes: header.bytes).sequence == sequence: return
        case .first, .second: throw StoreError.staleKeys
        // It may lack what the one that is damaged had.
        case .file: throw StoreError.damaged(what: "the header in keyring.db")
        }
    }

    /// Runs `body` in one write transaction, which takes its lock at once; an error undoes it.
    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        guard !isReadOnly else {
            throw StoreError.newerSchema(found: Migrations.current + 1, supported: Migrations.current)
        }
        return try StoreError.translating {
            try queue().writeWithoutTransaction { database in
                var result: Result?
                try database.inTransaction(.immediate) {
                    try StoragePlaceFile.require(.embedded, directory)
                    guard FileIdentity(directory.database) == file else { throw StoreError.movedAway }
                    // Whatever was put there since the file was opened would run with the change.
                    try VaultSchema.require(ReadConnection(within: database), version: Migrations.current)
                    result = try body(database)
                    return .commit
                }
                changes.add(1, ordering: .relaxed)
                guard let result else { throw StoreError.unexpected(resultCode: 0) }
                return result
            }
        }
    }
}

// What is read, the reader reads.
extension VaultDatabase {
    package var place: StoragePlace { reader.place }
    package var directory: VaultDirectory { reader.directory }
    package func version() throws -> StorageVersion { try reader.version() }
    package func withSnapshot<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try reader.withSnapshot(body)
    }
    package func read<Result>(
        _ keys: GroupKeys, _ body: (any RecordReading) throws -> sending Result
    ) throws -> sending Result {
        try reader.read(keys, body)
    }
    package func snapshot<Result>(
        _ keys: GroupKeys, _ body: (any RecordReading) throws -> sending Result
    ) throws -> sending Result {
        try reader.snapshot(keys, body)
    }
    package func state(of keys: GroupKeys) throws -> GroupCompleteness { try reader.state(of: keys) }
    package func counts(in keys: GroupKeys) throws -> [RecordHeader.Kind: Int] { try reader.counts(in: keys) }
    package func device() throws -> UInt64 { try reader.device() }
    package func storedHeader() throws -> StoredHeader { try reader.storedHeader() }
}

extension StoreError {
    /// Runs `body` and says in this module's terms what SQLite says.
    static func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw StoreError(resultCode: error.extendedResultCode.rawValue)
        }
    }
}
