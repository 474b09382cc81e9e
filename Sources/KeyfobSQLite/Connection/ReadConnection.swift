internal import GRDBSQLite
package import KeyfobFiles

/// A connection for reading, straight on SQLite.
///
/// A tool asks for a token on every request, and setting GRDB up costs a process several times what
/// the whole lookup costs. So what a lookup needs goes this way; everything that writes, and everything
/// rare, goes through GRDB. Within a write transaction the same queries run on GRDB's connection.
@safe
package final class ReadConnection: QueryReading {
    private let handle: OpaquePointer
    private let isOwned: Bool
    package private(set) var rowCount = 0
    private var statements: [ReadStatement?] = Array(repeating: nil, count: ReadQuery.allCases.count)

    /// Opens a database that exists.
    ///
    /// It is opened for writing, although nothing is written, because a reader has to roll back what a
    /// killed writer left.
    init(path: String) throws(StoreError) {
        var handle: OpaquePointer?
        let result = unsafe sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard result == SQLITE_OK, let handle = unsafe handle else {
            // SQLite gives a handle also when it fails.
            unsafe sqlite3_close_v2(handle)
            throw StoreError(resultCode: result)
        }
        unsafe self.handle = handle
        isOwned = true
        unsafe sqlite3_busy_handler(handle, { _, tries in Patience.goesOn(after: Int(tries)) ? 1 : 0 }, nil)
        // A file that somebody switched to WAL is switched back; while others have it open, it stays.
        _ = unsafe sqlite3_exec(handle, "PRAGMA journal_mode = DELETE", nil, nil, nil)
        let settings = """
            PRAGMA synchronous = EXTRA; PRAGMA secure_delete = ON; PRAGMA mmap_size = 0;
            PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;
            """
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

    package var isInsideTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    package func run(
        _ query: ReadQuery, _ parameters: [QueryValue], row: (AnyQueryRow) throws(StorageFailure) -> Bool
    ) throws(StorageFailure) {
        let statement = try statement(query)
        defer { statement.reset() }
        for (index, value) in parameters.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
        while try statement.step() {
            rowCount += 1
            guard try row(statement) else { return }
        }
    }

    private func statement(_ query: ReadQuery) throws(StoreError) -> ReadStatement {
        if let statement = statements[query.rawValue] { return statement }
        let statement = unsafe try ReadStatement(query.sql, on: handle)
        statements[query.rawValue] = statement
        return statement
    }
}
