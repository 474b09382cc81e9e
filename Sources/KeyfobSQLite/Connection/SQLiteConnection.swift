internal import CSQLite
package import KeyfobFiles

/// A connection to a database, for reading and for writing.
///
/// It is used by one thread at a time: whoever shares it keeps it in a lock.
@safe
package final class SQLiteConnection: QueryReading {
    private let handle: OpaquePointer
    package private(set) var rowCount = 0
    /// Those that were run before, and are not running now.
    private var statements: [String: SQLiteStatement] = [:]
    /// Whether a transaction was begun here that is to last until it is ended here.
    private var hasBegun = false

    /// Opens a database that exists.
    ///
    /// It is opened for writing, also to read, because a reader has to roll back what a killed writer left.
    package init(path: String, _ settings: SQLiteSettings) throws(StoreError) {
        var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        if !settings.followsLinks { flags |= SQLITE_OPEN_NOFOLLOW }
        var handle: OpaquePointer?
        let result = unsafe sqlite3_open_v2(path, &handle, flags, nil)
        guard result == SQLITE_OK, let handle = unsafe handle else {
            // SQLite gives a handle also when it fails.
            unsafe sqlite3_close_v2(handle)
            throw StoreError(resultCode: result)
        }
        unsafe self.handle = handle
        if let patience = settings.patience {
            unsafe sqlite3_busy_timeout(handle, patience)
        } else {
            unsafe sqlite3_busy_handler(handle, { _, tries in Patience.goesOn(after: Int(tries)) ? 1 : 0 }, nil)
        }
        let forbidden = unsafe sqlite_forbid_double_quoted_texts(handle)
        guard forbidden == SQLITE_OK else { throw StoreError(resultCode: forbidden) }
        // A file that somebody switched to WAL is switched back; while others have it open, it stays.
        if settings.toleratesWAL { _ = script("PRAGMA journal_mode = DELETE") }
        try execute(settings.pragmas)
    }

    deinit {
        statements = [:]
        unsafe sqlite3_close_v2(handle)
    }

    package var isInsideTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// The number of the row that was inserted last.
    package var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// How many rows the last statement has changed, not counting what triggers have.
    package var changedRowCount: Int { Int(unsafe sqlite3_changes(handle)) }

    // MARK: Statements

    private func script(_ sql: String) -> Int32 { unsafe sqlite3_exec(handle, sql, nil, nil, nil) }

    /// Where SQLite has undone a transaction by itself, as it does when the disk is full, a statement that was meant for it
    /// would be a change of its own.
    private func requireTransaction() throws(StoreError) {
        if hasBegun, !isInsideTransaction { throw StoreError(resultCode: SQLITE_ABORT) }
    }

    /// Runs statements that have no parameters and whose rows nobody wants.
    package func execute(_ sql: String) throws(StoreError) {
        try requireTransaction()
        let result = script(sql)
        guard result == SQLITE_OK else {
            throw StoreError(resultCode: result, errno: unsafe sqlite3_system_errno(handle))
        }
    }

    /// Runs one statement with its parameters, and calls `row` at each row until it returns false.
    package func run(
        _ sql: String, _ parameters: [QueryValue] = [],
        row: (SQLiteStatement) throws(StorageFailure) -> Bool = { _ in true }
    ) throws(StorageFailure) {
        try requireTransaction()
        // Whoever looks at a row may run the same statement; that one is another.
        let statement =
            if let known = statements.removeValue(forKey: sql) { known } else {
                unsafe try SQLiteStatement(sql, on: handle)
            }
        defer {
            statement.reset()
            statements[sql] = statement
        }
        try statement.bind(parameters)
        while try statement.step() {
            guard try row(statement) else { return }
        }
    }

    package func run(
        _ query: ReadQuery, _ parameters: [QueryValue], row: (AnyQueryRow) throws(StorageFailure) -> Bool
    ) throws(StorageFailure) {
        try run(query.sql, parameters) { statement throws(StorageFailure) in
            if query != .node { rowCount += 1 }
            return try row(statement)
        }
    }

    /// What `row` makes of each row that a statement gives.
    package func rows<Value>(
        _ sql: String, _ parameters: [QueryValue] = [], row: (SQLiteStatement) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> [Value] {
        var values: [Value] = []
        try run(sql, parameters) { statement throws(StorageFailure) in
            values.append(try row(statement))
            return true
        }
        return values
    }

    /// The integer that a statement gives; nil when it gives no row or something else.
    package func integer(_ sql: String, _ parameters: [QueryValue] = []) throws(StorageFailure) -> Int64? {
        var value: Int64?
        try run(sql, parameters) { statement in
            value = statement.integer(0)
            return false
        }
        return value
    }

    // MARK: Transactions

    /// Runs `body` in a transaction that takes its lock at once; an error undoes it.
    package func write<Result>(_ body: () throws(StorageFailure) -> Result) throws(StorageFailure) -> Result {
        try transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs `body` on one state of the file, whoever writes meanwhile.
    func read<Result>(_ body: () throws(StorageFailure) -> Result) throws(StorageFailure) -> Result {
        try transaction("BEGIN DEFERRED", body)
    }

    private func transaction<Result>(
        _ begin: String, _ body: () throws(StorageFailure) -> Result
    ) throws(StorageFailure) -> Result {
        try execute(begin)
        hasBegun = true
        do {
            let result = try body()
            try requireTransaction()
            hasBegun = false
            let ended = script("COMMIT")
            guard ended == SQLITE_OK else {
                throw StoreError(commitResultCode: ended, errno: unsafe sqlite3_system_errno(handle))
            }
            return result
        } catch {
            hasBegun = false
            // The first error is the one that tells; closing the connection would roll back as well.
            if isInsideTransaction { _ = script("ROLLBACK") }
            throw error
        }
    }
}
