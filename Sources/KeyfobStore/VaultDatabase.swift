internal import GRDB
package import KeyfobModel
package import KeyfobVault
internal import Synchronization

/// The database of a vault.
///
/// Two connections, each used serially: one for what a lookup reads, and GRDB's for everything else,
/// which is opened when it is first needed. Reading needs no key; what it gives is sealed.
package final class VaultDatabase: VaultStorage {
    package var place: StoragePlace { .embedded }
    package let directory: VaultDirectory
    package let isReadOnly: Bool
    /// The file that is open: a migration may put another one in its place.
    private let file: FileIdentity?
    private let reading: Mutex<ReadConnection>
    private let writing: Mutex<DatabaseQueue?>

    private init(
        directory: VaultDirectory, reading: sending ReadConnection, writing: DatabaseQueue?, isReadOnly: Bool
    ) {
        self.directory = directory
        self.reading = Mutex(reading)
        self.writing = Mutex(writing)
        self.isReadOnly = isReadOnly
        file = FileIdentity(directory.database)
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
                        try database.execute(sql: "PRAGMA application_id = \(Migrations.applicationID)")
                        try Migrations.run(database, from: 0)
                        try database.execute(
                            sql: "INSERT INTO header VALUES (1, ?, ?, ?)",
                            arguments: [Int64(bitPattern: sequence), Int64(bitPattern: device), header.blob])
                        for keys in groups { try DatabaseChange.begin(database, keys) }
                        return .commit
                    }
                }
                return queue
            }
            try POSIXFile.replace(directory.headerCopy, with: header)
            return VaultDatabase(
                directory: directory, reading: try ReadConnection(path: directory.database), writing: queue,
                isReadOnly: false)
        } catch {
            try? POSIXFile.removeNewVault(directory)
            throw error
        }
    }

    /// Opens the database of an existing vault.
    ///
    /// - Throws: `noVault`, `unsafePath`, `unsuitableFileSystem`, `notAVault`, `newerSchema`, `damaged`,
    ///   `busy`, `inputOutput`.
    package static func open(_ directory: VaultDirectory) throws -> VaultDatabase {
        try directory.check()
        try directory.checkFile(directory.database)
        guard let status = try POSIXFile.status(directory.database), status.size >= 512 else {
            // SQLite would take it for a new database.
            throw StoreError.damaged(what: "keyring.db (it is empty or cut off)")
        }
        let connection = try ReadConnection(path: directory.database)
        guard try connection.first(.applicationID, row: { $0.integer(0) }) == Int64(Migrations.applicationID) else {
            throw StoreError.notAVault(path: directory.database)
        }
        let version = Int(try connection.first(.userVersion, row: { $0.integer(0) ?? 0 }) ?? 0)
        guard version >= 1 else { throw StoreError.damaged(what: "keyring.db (its version number)") }
        return VaultDatabase(
            directory: directory, reading: connection, writing: nil, isReadOnly: version > Migrations.current)
    }

    private static func configuration(pageSize: Int?) -> Configuration {
        var configuration = Configuration()
        configuration.label = "keyring"
        configuration.busyMode = .timeout(5)
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

    /// The state of the file now; every commit changes it.
    package func version() throws -> StorageVersion {
        StorageVersion(counter: try read { try $0.first(.dataVersion, row: { $0.integer(0) ?? 0 }) } ?? 0)
    }

    /// Runs `body` outside any explicit transaction.
    func read<Result>(_ body: (ReadConnection) throws -> sending Result) throws -> sending Result {
        try reading.withLock { try body($0) }
    }

    package func withSnapshot<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try read { if !$0.isInsideTransaction { try $0.run(.begin) } }
        do {
            let result = try body()
            try read { if $0.isInsideTransaction { try $0.run(.commit) } }
            return result
        } catch {
            // Nothing was written; how the transaction ends does not matter.
            try? read { if $0.isInsideTransaction { try $0.run(.rollback) } }
            throw error
        }
    }

    /// Runs `body` on one consistent state.
    func snapshotConnection<Result>(_ body: (ReadConnection) throws -> sending Result) throws -> sending Result {
        try read { connection in
            if connection.isInsideTransaction { return try body(connection) }
            try connection.run(.begin)
            // Nothing was written; how the transaction ends does not matter.
            defer { try? connection.run(.rollback) }
            return try body(connection)
        }
    }

    package func read<Result>(
        _ keys: GroupKeys, _ body: (any RecordReading) throws -> sending Result
    ) throws -> sending Result {
        try read { try body(DatabaseRecords(connection: $0, keys: keys)) }
    }

    package func snapshot<Result>(
        _ keys: GroupKeys, _ body: (any RecordReading) throws -> sending Result
    ) throws -> sending Result {
        try snapshotConnection { try body(DatabaseRecords(connection: $0, keys: keys)) }
    }

    package func state(of keys: GroupKeys) throws -> GroupState {
        try read { connection in
            let records = DatabaseRecords(connection: connection, keys: keys)
            let manifest = try records.storedManifest()
            return GroupState(
                sequence: manifest.sequence, expected: manifest.count, counted: try records.recordCount())
        }
    }

    package func counts(in keys: GroupKeys) throws -> [RecordHeader.Kind: Int] {
        try read { connection in
            let manifest = try DatabaseRecords(connection: connection, keys: keys).storedManifest()
            return Dictionary(uniqueKeysWithValues: RecordHeader.Kind.allCases.map { ($0, manifest.count(of: $0)) })
        }
    }

    /// Runs `body` on GRDB's connection, for what only reads and is rare.
    func maintain<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try StoreError.translating { try queue().unsafeRead(body) }
    }

    /// GRDB's connection, opened now unless it is.
    private func queue() throws -> DatabaseQueue {
        try writing.withLock { queue in
            if let queue { return queue }
            let opened = try DatabaseQueue(path: directory.database, configuration: Self.configuration(pageSize: nil))
            queue = opened
            return opened
        }
    }

    /// The id of this copy of the vault, part of every record's stamp, within a transaction; a new one where a
    /// damaged header has lost it.
    static func device(_ database: Database) throws -> UInt64 {
        let row = try Row.fetchOne(try database.cachedStatement(sql: "SELECT device FROM header WHERE id = 1"))
        return row?.integer(0).map { UInt64(bitPattern: $0) } ?? UInt64.random(in: .min ... .max)
    }

    package func device() throws -> UInt64 {
        try maintain { try Self.device($0) }
    }

    package func write<Result>(sequence: UInt64, _ body: (any StorageChange) throws -> Result) throws -> Result {
        try write { database in
            try Self.requireHeader(sequence, database)
            return try body(DatabaseTransaction(database))
        }
    }

    static func requireHeader(_ sequence: UInt64, _ database: Database) throws {
        let statement = try database.cachedStatement(sql: "SELECT sequence FROM header WHERE id = 1")
        guard let stored = try Int64.fetchOne(statement), stored == Int64(bitPattern: sequence) else {
            throw StoreError.staleKeys
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
                    result = try body(database)
                    return .commit
                }
                guard let result else { throw StoreError.unexpected(resultCode: 0) }
                return result
            }
        }
    }
}
