package import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
package import KeyfobVault
internal import Synchronization

/// Reads the database of a vault: all that a lookup needs.
///
/// One connection, used serially. Reading needs no key; what it gives is sealed.
package final class VaultDatabaseReader: VaultReading {
    /// `PRAGMA application_id`: "KFOB".
    package static let applicationID: Int32 = 0x4B46_4F42

    package var place: StoragePlace { .embedded }
    package let directory: VaultDirectory
    /// The version of the file's schema, which a newer Keyfob may have raised.
    package let schemaVersion: Int
    private let connection: Mutex<Shared>

    /// The connection, and what was opened of groups in the state that it read last.
    private struct Shared {
        let connection: AnyQueryReading
        var version: Int64?
        var holders: [(keys: GroupKeys, holder: DatabaseRecords.Holder)] = []

        /// A group's records, on the state of the transaction that is open.
        mutating func records(_ keys: GroupKeys) throws(StorageFailure) -> DatabaseRecords {
            let now = try connection.first(.dataVersion, row: { $0.integer(0) ?? 0 })
            if version != now { (version, holders) = (now, []) }
            if let known = holders.first(where: { $0.keys === keys }) {
                return DatabaseRecords(connection: connection, keys: keys, known.holder)
            }
            let holder = DatabaseRecords.Holder()
            holders.removeAll { $0.keys.group == keys.group }
            holders.append((keys, holder))
            return DatabaseRecords(connection: connection, keys: keys, holder)
        }
    }

    /// Opens a database that is as it should be in every respect, in one transaction from now on; changes nothing and
    /// waits for nobody.
    ///
    /// - Throws: `noVault`, `unsafePath`, `unsuitableFileSystem`, `notAVault`, `newerSchema`, `foreignSchema`, `damaged`,
    ///   `inputOutput`; `busy` where somebody writes, or has not ended.
    package convenience init(plain directory: VaultDirectory) throws(StorageFailure) {
        try directory.check()
        self.init(directory, try PageConnection(directory), schemaVersion: VaultSchema.version)
    }

    init(_ directory: VaultDirectory, _ connection: sending AnyQueryReading, schemaVersion: Int) {
        self.schemaVersion = schemaVersion
        self.directory = directory
        self.connection = Mutex(Shared(connection: connection))
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
    private func read<Result>(_ body: (AnyQueryReading) throws(StorageFailure) -> sending Result) throws(StorageFailure)
        -> sending Result
    {
        try connection.withLock { shared throws(StorageFailure) in try body(shared.connection) }
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
        try snapshotRecords(keys) { records throws(StorageFailure) in try body(records) }
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
        try connection.withLock { shared throws(StorageFailure) in
            if shared.connection.isInsideTransaction { return try body(try shared.records(keys)) }
            try shared.connection.run(.begin)
            // Nothing was written; how the transaction ends does not matter.
            defer { try? shared.connection.run(.rollback) }
            return try body(try shared.records(keys))
        }
    }

    package func state(of keys: GroupKeys) throws(StorageFailure) -> GroupCompleteness {
        // Of one state: between two, another process may have written.
        try snapshotRecords(keys) { records throws(StorageFailure) in
            let state = try records.state()
            return GroupCompleteness(
                state.milestone, expected: state.manifest.count, counted: try records.recordCount())
        }
    }

    package func counts(in keys: GroupKeys) throws(StorageFailure) -> [RecordHeader.Kind: Int] {
        try snapshotRecords(keys) { records throws(StorageFailure) in
            let manifest = try records.storedManifest()
            return Dictionary(uniqueKeysWithValues: RecordHeader.Kind.allCases.map { ($0, manifest.count(of: $0)) })
        }
    }

    package func device() throws(StorageFailure) -> UInt64 {
        try read { connection throws(StorageFailure) in try connection.device() }
    }

    package func storedHeader() throws(StorageFailure) -> StoredHeader {
        try read { connection throws(StorageFailure) in try connection.storedHeader(directory) }
    }

    package func newestHeader() throws(StorageFailure) -> StoredHeader {
        try read { connection throws(StorageFailure) in try connection.storedHeader(directory, newest: true) }
    }

    /// The header of a vault whose database cannot even be opened.
    package static func headerCopy(in directory: VaultDirectory) throws(StorageFailure) -> [UInt8]? {
        try POSIXFile.read(directory.headerCopy, limit: VaultHeader.maximumCount)
    }
}
