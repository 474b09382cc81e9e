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
    package init(_ directory: VaultDirectory) throws {
        try directory.check()
        try directory.checkFile(directory.database)
        guard let status = try POSIXFile.status(directory.database), status.size >= 512 else {
            // SQLite would take it for a new database.
            throw StoreError.damaged(what: "keyring.db (it is empty or cut off)")
        }
        let connection = try ReadConnection(path: directory.database)
        guard try connection.first(.applicationID, row: { $0.integer(0) }) == Int64(Self.applicationID) else {
            throw StoreError.notAVault(path: directory.database)
        }
        schemaVersion = Int(try connection.first(.userVersion, row: { $0.integer(0) ?? 0 }) ?? 0)
        guard schemaVersion >= 1 else { throw StoreError.damaged(what: "keyring.db (its version number)") }
        try VaultSchema.require(connection, version: schemaVersion)
        self.directory = directory
        self.connection = Mutex(connection)
    }

    /// How many rows it has read so far: what lookups cost, whatever the machine.
    package var rowCount: Int { get throws { try read { $0.rowCount } } }

    /// The state of the file now; every commit changes it.
    package func version() throws -> StorageVersion {
        StorageVersion(counter: try read { try $0.first(.dataVersion, row: { $0.integer(0) ?? 0 }) } ?? 0)
    }

    /// Runs `body` outside any explicit transaction.
    private func read<Result>(_ body: (ReadConnection) throws -> sending Result) throws -> sending Result {
        try connection.withLock { try body($0) }
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

    package func read<Result>(
        _ keys: GroupKeys, _ body: (any RecordReading) throws -> sending Result
    ) throws -> sending Result {
        try read { try body(DatabaseRecords(connection: $0, keys: keys)) }
    }

    package func snapshot<Result>(
        _ keys: GroupKeys, _ body: (any RecordReading) throws -> sending Result
    ) throws -> sending Result {
        try snapshotRecords(keys) { try body($0) }
    }

    /// The same, with what only a database tells of its records.
    package func snapshotRecords<Result>(
        _ keys: GroupKeys, _ body: (DatabaseRecords) throws -> sending Result
    ) throws -> sending Result {
        try read { connection in
            let records = DatabaseRecords(connection: connection, keys: keys)
            if connection.isInsideTransaction { return try body(records) }
            try connection.run(.begin)
            // Nothing was written; how the transaction ends does not matter.
            defer { try? connection.run(.rollback) }
            return try body(records)
        }
    }

    package func state(of keys: GroupKeys) throws -> GroupCompleteness {
        // Of one state: between two, another process may have written.
        try snapshotRecords(keys) { records in
            let (manifest, milestone) = try records.manifestAndMilestone()
            return GroupCompleteness(milestone, expected: manifest.count, counted: try records.recordCount())
        }
    }

    package func counts(in keys: GroupKeys) throws -> [RecordHeader.Kind: Int] {
        try read { connection in
            let manifest = try DatabaseRecords(connection: connection, keys: keys).storedManifest()
            return Dictionary(uniqueKeysWithValues: RecordHeader.Kind.allCases.map { ($0, manifest.count(of: $0)) })
        }
    }

    package func device() throws -> UInt64 { try read { try $0.device() } }

    package func storedHeader() throws -> StoredHeader {
        try read { try $0.storedHeader(directory) }
    }

    /// The header of a vault whose database cannot even be opened.
    package static func headerCopy(in directory: VaultDirectory) throws -> [UInt8]? {
        try POSIXFile.read(directory.headerCopy, limit: VaultHeader.maximumCount)
    }
}

extension ReadConnection {
    /// The header: of the database's two the first that is sound, or the one in the file beside it.
    ///
    /// The second is of the same transaction as the first; the file may lag behind.
    ///
    /// - Throws: `damaged`, `busy`.
    package func storedHeader(_ directory: VaultDirectory) throws -> StoredHeader {
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
