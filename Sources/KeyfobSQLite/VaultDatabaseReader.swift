package import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
package import KeyfobVault
internal import Synchronization

/// Reads the database of a vault, straight on SQLite: all that a lookup needs.
///
/// One connection, used serially. Reading needs no key; what it gives is sealed.
package final class VaultDatabaseReader: VaultReading {
    /// `PRAGMA application_id`: "KFOB".
    package static let applicationID: Int32 = 0x4B46_4F42

    package var place: StoragePlace { .embedded }
    package let directory: VaultDirectory
    /// The version of the file's schema, which a newer Keyfob may have raised.
    package let schemaVersion: Int
    private let connection: Mutex<ReadConnection>

    /// Opens the database of an existing vault; nothing is read from its tables before its schema is found to be ours.
    ///
    /// - Throws: `noVault`, `unsafePath`, `unsuitableFileSystem`, `notAVault`, `damaged`, `foreignSchema`, `busy`,
    ///   `inputOutput`.
    package convenience init(_ directory: VaultDirectory) throws(StorageFailure) {
        try Self.check(directory)
        let connection = try ReadConnection(path: directory.database)
        guard try connection.first(.applicationID, row: { $0.integer(0) }) == Int64(Self.applicationID) else {
            throw StoreError.notAVault(path: directory.database)
        }
        let version = Int(try connection.first(.userVersion, row: { $0.integer(0) ?? 0 }) ?? 0)
        guard version >= 1 else { throw StoreError.damaged(what: "keyring.db (its version number)") }
        try VaultSchema.require(connection, version: version)
        self.init(directory, connection, schemaVersion: version)
    }

    /// Opens a database that is as it should be in every respect, in one transaction from its first read on; changes
    /// nothing and waits for nobody.
    ///
    /// - Throws: As ``init(_:)``; `busy` where somebody writes, or has not ended; `newerSchema`.
    package convenience init(plain directory: VaultDirectory) throws(StorageFailure) {
        try Self.check(directory)
        for suffix in ["-journal", "-wal"] where try POSIXFile.status(directory.database + suffix) != nil {
            throw StoreError.busy
        }
        let header = try POSIXFile.start(of: directory.database, count: 72)
        func number(_ offset: Int) -> Int32 { header[offset..<offset + 4].reduce(0) { $0 << 8 | Int32($1) } }
        // In WAL mode even whoever reads makes files.
        guard header.count == 72, header[18] == 1, header[19] == 1 else { throw StoreError.busy }
        guard number(68) == Self.applicationID else { throw StoreError.notAVault(path: directory.database) }
        guard number(60) == VaultSchema.version else {
            throw StoreError.newerSchema(found: Int(number(60)), supported: VaultSchema.version)
        }
        let connection = try ReadConnection(plain: directory.database)
        try connection.run(.begin)
        if let difference = try connection.difference(from: VaultSchema.current) { throw difference.error }
        self.init(directory, connection, schemaVersion: VaultSchema.version)
    }

    private static func check(_ directory: VaultDirectory) throws(StorageFailure) {
        try directory.check()
        guard try directory.checkFile(directory.database).size >= 512 else {
            // SQLite would take it for a new database.
            throw StoreError.damaged(what: "keyring.db (it is empty or cut off)")
        }
    }

    private init(_ directory: VaultDirectory, _ connection: sending ReadConnection, schemaVersion: Int) {
        self.schemaVersion = schemaVersion
        self.directory = directory
        self.connection = Mutex(connection)
    }

    /// How many rows it has read so far: what lookups cost, whatever the machine.
    package var rowCount: Int {
        get throws(StorageFailure) { try read { connection throws(StorageFailure) in connection.rowCount } }
    }

    /// The state of the file now; every commit changes it.
    package func version() throws(StorageFailure) -> StorageVersion {
        let counter = try read { connection throws(StorageFailure) in
            try connection.first(.dataVersion, row: { $0.integer(0) ?? 0 })
        }
        return StorageVersion(counter: counter ?? 0)
    }

    /// Runs `body` outside any explicit transaction.
    private func read<Result>(_ body: (ReadConnection) throws(StorageFailure) -> sending Result) throws(StorageFailure)
        -> sending Result
    {
        try connection.withLock { connection throws(StorageFailure) in try body(connection) }
    }

    package func withSnapshot<Result: ~Copyable>(_ body: () throws(StorageFailure) -> Result) throws(StorageFailure)
        -> Result
    {
        try read { connection throws(StorageFailure) in
            if !connection.isInsideTransaction { try connection.run(.begin) }
        }
        do throws(StorageFailure) {
            let result = try body()
            try end(.commit)
            return result
        } catch {
            // Nothing was written; how the transaction ends does not matter.
            try? end(.rollback)
            throw error
        }
    }

    private func end(_ query: ReadQuery) throws(StorageFailure) {
        try read { connection throws(StorageFailure) in
            if connection.isInsideTransaction { try connection.run(query) }
        }
    }

    package func read<Result>(
        _ keys: GroupKeys, _ body: (AnyRecordReading) throws(StorageFailure) -> sending Result
    ) throws(StorageFailure) -> sending Result {
        try read { connection throws(StorageFailure) in
            try body(DatabaseRecords(connection: connection, keys: keys))
        }
    }

    package func snapshot<Result>(
        _ keys: GroupKeys, _ body: (AnyRecordReading) throws(StorageFailure) -> sending Result
    ) throws(StorageFailure) -> sending Result {
        try snapshotRecords(keys) { records throws(StorageFailure) in try body(records) }
    }

    /// The same, with what only a database tells of its records.
    package func snapshotRecords<Result>(
        _ keys: GroupKeys, _ body: (DatabaseRecords) throws(StorageFailure) -> sending Result
    ) throws(StorageFailure) -> sending Result {
        try read { connection throws(StorageFailure) in
            let records = DatabaseRecords(connection: connection, keys: keys)
            if connection.isInsideTransaction { return try body(records) }
            try connection.run(.begin)
            // Nothing was written; how the transaction ends does not matter.
            defer { try? connection.run(.rollback) }
            return try body(records)
        }
    }

    package func state(of keys: GroupKeys) throws(StorageFailure) -> GroupCompleteness {
        // Of one state: between two, another process may have written.
        try snapshotRecords(keys) { records throws(StorageFailure) in
            let (manifest, milestone) = try records.manifestAndMilestone()
            return GroupCompleteness(milestone, expected: manifest.count, counted: try records.recordCount())
        }
    }

    package func counts(in keys: GroupKeys) throws(StorageFailure) -> [RecordHeader.Kind: Int] {
        try read { connection throws(StorageFailure) in
            let manifest = try DatabaseRecords(connection: connection, keys: keys).storedManifest()
            return Dictionary(uniqueKeysWithValues: RecordHeader.Kind.allCases.map { ($0, manifest.count(of: $0)) })
        }
    }

    package func device() throws(StorageFailure) -> UInt64 {
        try read { connection throws(StorageFailure) in try connection.device() }
    }

    package func storedHeader() throws(StorageFailure) -> StoredHeader {
        try read { connection throws(StorageFailure) in try connection.storedHeader(directory) }
    }

    /// The header of a vault whose database cannot even be opened.
    package static func headerCopy(in directory: VaultDirectory) throws(StorageFailure) -> [UInt8]? {
        try POSIXFile.read(directory.headerCopy, limit: VaultHeader.maximumCount)
    }
}

extension ReadConnection {
    /// The header: of the database's two the first that is sound, or the one in the file beside it.
    ///
    /// The second is of the same transaction as the first; the file may lag behind.
    ///
    /// - Throws: `damaged`, `busy`.
    package func storedHeader(_ directory: VaultDirectory) throws(StorageFailure) -> StoredHeader {
        for (query, origin) in [(ReadQuery.header, StoredHeader.Origin.first), (.secondHeader, .second)] {
            let bytes: [UInt8]?
            do {
                bytes = try first(query, row: { $0.bytes(0) })
            } catch StoreError.busy {
                throw StoreError.busy
            } catch {
                continue
            }
            // What a newer Keyfob wrote is for the vault to judge, not a reason to take the copy.
            if let bytes, Self.isSound(bytes) { return StoredHeader(bytes: bytes, origin: origin) }
        }
        guard let copy = try? VaultDatabaseReader.headerCopy(in: directory), Self.isSound(copy) else {
            throw StoreError.damaged(what: "the header of the vault (and its copies)")
        }
        return StoredHeader(bytes: copy, origin: .file)
    }

    private static func isSound(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try VaultHeader(encoded: bytes)
            return true
        } catch {
            switch error {
            case .unsupportedVersion, .unsupportedSuite: return true
            default: return false
            }
        }
    }
}
