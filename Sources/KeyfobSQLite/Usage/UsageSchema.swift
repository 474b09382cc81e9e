internal import KeyfobFiles

/// The schema of the history of accounts.
enum UsageSchema {
    /// `PRAGMA application_id`: "KFUS".
    private static let applicationID: Int64 = 0x4B46_5553
    /// `PRAGMA user_version` of the schema here.
    private static let version: Int64 = 1

    /// Whether there is a history in the file; false in one that was made and not filled.
    ///
    /// It takes several questions, which are to be about one state: within a transaction.
    ///
    /// - Throws: `damaged` when the file is something else, or holds more than ours, `newerSchema`.
    static func isThere(_ connection: SQLiteConnection) throws(StorageFailure) -> Bool {
        let application = try connection.integer("PRAGMA application_id")
        let found = try connection.integer("PRAGMA user_version")
        if application == 0, found == 0, try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
            return false
        }
        guard application == applicationID, let found, found >= version else {
            throw StoreError.damaged(what: "usage.db")
        }
        guard found == version else { throw StoreError.newerSchema(found: Int(found), supported: Int(version)) }
        if try connection.difference(from: objects) != nil { throw StoreError.damaged(what: "usage.db") }
        return true
    }

    /// Makes the tables, within a transaction.
    static func make(_ connection: SQLiteConnection) throws(StorageFailure) {
        try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
        for object in objects { if let sql = object.sql { try connection.execute(sql) } }
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
