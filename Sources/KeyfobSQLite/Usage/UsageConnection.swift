internal import GRDBSQLite
internal import KeyfobFiles

/// A connection to the history, straight on SQLite.
///
/// It is used on the way to a token, so it waits for nobody longer than a few milliseconds, and never
/// for the disk.
@safe
final class UsageConnection {
    /// `PRAGMA application_id`: "KFUS".
    static let applicationID: Int64 = 0x4B46_5553
    /// `PRAGMA user_version` of the schema here.
    static let version: Int64 = 1
    /// How long one lock is waited for, in milliseconds.
    ///
    /// A change takes two locks, one after the other.
    private static let milliseconds: Int32 = 10

    private let handle: OpaquePointer

    /// Opens a file that exists.
    ///
    /// It is opened for writing, also to read, because a reader has to roll back what a killed writer left.
    init(path: String) throws(StoreError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
        let result = unsafe sqlite3_open_v2(path, &handle, flags, nil)
        guard result == SQLITE_OK, let handle = unsafe handle else {
            // SQLite gives a handle also when it fails.
            unsafe sqlite3_close_v2(handle)
            throw StoreError(resultCode: result)
        }
        unsafe self.handle = handle
        unsafe sqlite3_busy_timeout(handle, Self.milliseconds)
        try execute(
            """
            PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;
            PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON;
            PRAGMA trusted_schema = OFF;
            """)
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs statements that have no parameters and whose rows nobody wants.
    func execute(_ sql: String) throws(StoreError) {
        let result = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw StoreError(resultCode: result) }
    }

    /// Runs a statement: binds with `bind`, and calls `row` at each row until it returns false.
    func run(
        _ sql: String, _ bind: (ReadStatement) throws(StorageFailure) -> Void = { _ in },
        row: (ReadStatement) throws(StorageFailure) -> Bool = { _ in true }
    ) throws(StorageFailure) {
        let statement = unsafe try ReadStatement(sql, on: handle)
        defer { statement.reset() }
        try bind(statement)
        while try statement.step() {
            guard try row(statement) else { return }
        }
    }

    /// The integer that a statement gives; nil when it gives no row or something else.
    func integer(_ sql: String, _ bind: (ReadStatement) throws(StorageFailure) -> Void = { _ in })
        throws(StorageFailure) -> Int64?
    {
        var value: Int64?
        try run(sql, bind) {
            value = $0.integer(0)
            return false
        }
        return value
    }

    /// Runs `body` in a transaction that takes its lock at once; an error undoes it.
    func write<Result>(_ body: () throws(StorageFailure) -> Result) throws(StorageFailure) -> Result {
        try transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs `body` on one state of the file, whoever writes meanwhile.
    func read<Result>(_ body: () throws(StorageFailure) -> Result) throws(StorageFailure) -> Result {
        try transaction("BEGIN", body)
    }

    private func transaction<Result>(
        _ begin: String, _ body: () throws(StorageFailure) -> Result
    ) throws(StorageFailure) -> Result {
        try execute(begin)
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // Closing the connection would roll back as well.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// Whether there is a history in the file; false in one that was made and not filled.
    ///
    /// It takes several questions, which are to be about one state: within a transaction.
    ///
    /// - Throws: `damaged` when the file is something else, or holds more than ours, `newerSchema`.
    func hasSchema() throws(StorageFailure) -> Bool {
        let application = try integer("PRAGMA application_id")
        let version = try integer("PRAGMA user_version")
        if application == 0, version == 0, try integer("SELECT count(*) FROM sqlite_schema") == 0 { return false }
        guard application == Self.applicationID, let version, version >= Self.version else {
            throw StoreError.damaged(what: "usage.db")
        }
        guard version == Self.version else {
            throw StoreError.newerSchema(found: Int(version), supported: Int(Self.version))
        }
        var found: [SchemaObject] = []
        try run(
            ReadQuery.schema.sql,
            row: {
                found.append($0.schemaObject)
                return true
            })
        if SchemaDifference(found: found, wanted: Self.objects) != nil { throw StoreError.damaged(what: "usage.db") }
        return true
    }

    /// Makes the tables, within a transaction.
    func createSchema() throws(StorageFailure) {
        try execute("PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(Self.version)")
        for object in Self.objects { if let sql = object.sql { try execute(sql) } }
    }

    /// What the schema is made of.
    private static let objects =
        SchemaObject.table(
            "blocks",
            """
            CREATE TABLE blocks (
                id INTEGER PRIMARY KEY,
                group_id BLOB NOT NULL,
                epoch INTEGER NOT NULL,
                first INTEGER NOT NULL,
                events INTEGER NOT NULL,
                sealed BLOB NOT NULL
            ) STRICT
            """)
        + SchemaObject.index(
            "blocks_by_group", on: "blocks", "CREATE INDEX blocks_by_group ON blocks (group_id, first)")
}
