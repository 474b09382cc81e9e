package import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
package import KeyfobSQLite
package import KeyfobVault
internal import Synchronization

/// The database of a vault.
///
/// What is read goes through a ``VaultDatabaseReader``; a connection of its own is for everything else, and is opened when
/// it is first needed.
package final class VaultDatabase: VaultStorage {
    /// Reads what a lookup needs.
    let reader: VaultDatabaseReader
    package var isReadOnly: Bool { reader.schemaVersion > Migrations.current }
    /// The file that is open: a migration may put another one in its place.
    private let file: FileIdentity?
    /// What said by then that the records lie elsewhere.
    private let storage: FileIdentity?
    package var isInPlace: Bool {
        guard FileIdentity(directory.database) == file else { return false }
        let there = FileIdentity(directory.storage)
        return there == nil || there == storage
    }
    private let writing: Mutex<SQLiteConnection?>
    private let changes = Atomic(0)
    package var hasChanged: Bool? { changes.load(ordering: .relaxed) > 0 }

    /// The database that `reader` reads, to be changed as well.
    package convenience init(_ reader: VaultDatabaseReader) {
        self.init(reader, writing: nil)
    }

    private init(_ reader: VaultDatabaseReader, writing: sending SQLiteConnection?) {
        self.reader = reader
        self.writing = Mutex(writing)
        file = FileIdentity(reader.directory.database)
        storage = FileIdentity(reader.directory.storage)
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
            let database = try SQLiteConnection(path: directory.database, .making)
            try database.write {
                try database.execute("PRAGMA application_id = \(VaultDatabaseReader.applicationID)")
                try Migrations.run(database, from: 0)
                for table in ["header", "second_header"] {
                    try database.run(
                        "INSERT INTO \(table) VALUES (1, ?, ?, ?)",
                        [.integer(Int64(bitPattern: sequence)), .integer(Int64(bitPattern: device)), .bytes(header)])
                }
                for keys in groups { try DatabaseChange.begin(database, keys) }
            }
            try POSIXFile.replace(directory.headerCopy, with: header)
            return VaultDatabase(try VaultDatabaseReader(directory), writing: database)
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

    /// Runs `body` on the connection for writing, for what only reads and is rare.
    func maintain<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        var result: Result?
        try withConnection { result = try body($0) }
        guard let result else { throw StoreError.unexpected(resultCode: 0) }
        return result
    }

    /// Runs `body` on the connection for writing, opened now unless it is.
    private func withConnection(_ body: (SQLiteConnection) throws -> Void) throws {
        try writing.withLock { connection in
            if let connection { return try body(connection) }
            directory.removeAbandoned()
            let opened: SQLiteConnection
            do {
                opened = try SQLiteConnection(path: directory.database, .writing)
            } catch {
                // A migration may have taken the file away.
                guard isInPlace else { throw StoreError.movedAway }
                throw error
            }
            connection = opened
            try body(opened)
        }
    }

    package func write<Result>(sequence: UInt64, _ body: (any StorageChange) throws -> Result) throws -> Result {
        try write { database in
            try requireHeader(sequence, database)
            return try body(DatabaseTransaction(database, isSynced: isSynced))
        }
    }

    /// Whether the vault is part of a sync.
    var isSynced: Bool { (try? POSIXFile.status(directory.sync)).flatMap(\.self) != nil }

    /// Makes sure that keys are those of the header that is there.
    ///
    /// - Throws: `staleKeys`; `damaged` where the header is gone, and has to be put back first.
    func requireHeader(_ sequence: UInt64, _ database: SQLiteConnection) throws {
        // Where the table or its page is damaged, a copy of the header tells.
        let stored = (try? database.integer("SELECT sequence FROM header WHERE id = 1")) ?? nil
        if stored == Int64(bitPattern: sequence) { return }
        let header = try database.storedHeader(directory)
        switch header.origin {
        case .second where try stored == nil && LockedVault(headerBytes: header.bytes).sequence == sequence: return
        case .first, .second: throw StoreError.staleKeys
        // It may lack what the one that is damaged had.
        case .file: throw StoreError.damaged(what: "the header in keyring.db")
        }
    }

    /// Runs `body` in one write transaction, which takes its lock at once; an error undoes it.
    func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        guard !isReadOnly else {
            throw StoreError.newerSchema(found: Migrations.current + 1, supported: Migrations.current)
        }
        let result = try maintain { database in
            try database.write {
                try StoragePlaceFile.require(.embedded, directory)
                guard isInPlace else { throw StoreError.movedAway }
                // Whatever was put there since the file was opened would run with the change.
                try VaultSchema.require(database, version: Migrations.current)
                return try body(database)
            }
        }
        changes.add(1, ordering: .relaxed)
        return result
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
    package func rowIDs(in keys: GroupKeys, changedSince change: UInt64) throws -> [Int64]? {
        try reader.snapshotRecords(keys) { try $0.rowIDs(changedSince: change) }
    }
    package func storedHeader() throws -> StoredHeader { try reader.storedHeader() }
    package func newestHeader() throws -> StoredHeader { try reader.newestHeader() }
}
