internal import GRDBSQLite
package import KeyfobFiles

/// A connection for reading, straight on SQLite.
///
/// A tool asks for a token on every request, and setting GRDB up costs a process several times what
/// the whole lookup costs. So what a lookup needs goes this way; everything that writes, and everything
/// rare, goes through GRDB. Within a write transaction the same queries run on GRDB's connection.
@safe
package final class ReadConnection {
    private let handle: OpaquePointer
    private let isOwned: Bool
    /// How many rows it has given so far.
    private(set) var rowCount = 0
    private var statements: [ReadStatement?] = Array(repeating: nil, count: ReadQuery.allCases.count)

    /// Opens a database that exists.
    ///
    /// It is opened for writing, although nothing is written, because a reader has to roll back what a
    /// killed writer left.
    convenience init(path: String) throws(StoreError) {
        try self.init(opening: path, SQLITE_OPEN_READWRITE)
        unsafe sqlite3_busy_timeout(handle, 5_000)
        // A file that somebody switched to WAL is switched back; while others have it open, it stays.
        _ = unsafe sqlite3_exec(handle, "PRAGMA journal_mode = DELETE", nil, nil, nil)
        try set(
            """
            PRAGMA synchronous = EXTRA; PRAGMA secure_delete = ON; PRAGMA mmap_size = 0;
            PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;
            """)
    }

    /// Opens a database that exists and that nobody writes, for reading alone: what a killed writer left is an error.
    convenience init(plain path: String) throws(StoreError) {
        #if hasFeature(Embedded)
        keyfob_use_one_thread()
        #endif
        try self.init(opening: path, SQLITE_OPEN_READONLY)
        try set("PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;")
    }

    private init(opening path: String, _ access: Int32) throws(StoreError) {
        var handle: OpaquePointer?
        let result = unsafe sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
        guard result == SQLITE_OK, let handle = unsafe handle else {
            // SQLite gives a handle also when it fails.
            unsafe sqlite3_close_v2(handle)
            throw StoreError(resultCode: result)
        }
        unsafe self.handle = handle
        isOwned = true
    }

    private func set(_ settings: String) throws(StoreError) {
        let configured = unsafe sqlite3_exec(handle, settings, nil, nil, nil)
        guard configured == SQLITE_OK else { throw StoreError(resultCode: configured) }
    }

    /// Reads on a connection of SQLite that somebody else has opened, and no longer than that is open.
    @unsafe
    package init(on handle: OpaquePointer) {
        unsafe self.handle = handle
        isOwned = false
    }

    deinit {
        statements = []
        if isOwned { unsafe sqlite3_close_v2(handle) }
    }

    /// Whether a transaction is open.
    var isInsideTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Runs a query: binds with `bind`, and calls `row` at each row until it returns false.
    func run(
        _ query: ReadQuery, _ bind: (ReadStatement) throws(StorageFailure) -> Void = { _ in },
        row: (ReadStatement) throws(StorageFailure) -> Bool = { _ in true }
    ) throws(StorageFailure) {
        let statement = try statement(query)
        defer { statement.reset() }
        try bind(statement)
        while try statement.step() {
            rowCount += 1
            guard try row(statement) else { return }
        }
    }

    /// The first row of a query, as `row` reads it; nil when there is none.
    func first<Value>(
        _ query: ReadQuery, _ bind: (ReadStatement) throws(StorageFailure) -> Void = { _ in },
        row: (ReadStatement) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value? {
        var value: Value?
        try run(query, bind) { found throws(StorageFailure) in
            value = try row(found)
            return false
        }
        return value
    }

    /// The id of this copy of the vault, part of every record's stamp; a new one where damaged headers have lost it.
    package func device() throws(StorageFailure) -> UInt64 {
        for query in [ReadQuery.device, .secondDevice] {
            do {
                if let stored = try first(query, row: { $0.integer(0) }), let stored {
                    return UInt64(bitPattern: stored)
                }
            } catch StoreError.busy {
                throw StoreError.busy
            } catch {
                // The table is gone, or its page is damaged.
            }
        }
        return UInt64.random(in: .min ... .max)
    }

    /// How the schema differs from `wanted`; nil where it does not.
    package func difference(from wanted: [SchemaObject]) throws(StorageFailure) -> SchemaDifference? {
        var found: [SchemaObject] = []
        try run(
            .schema,
            row: {
                found.append($0.schemaObject)
                return true
            })
        return SchemaDifference(found: found, wanted: wanted)
    }

    private func statement(_ query: ReadQuery) throws(StoreError) -> ReadStatement {
        if let statement = statements[query.rawValue] { return statement }
        let statement = unsafe try ReadStatement(query.sql, on: handle)
        statements[query.rawValue] = statement
        return statement
    }
}
