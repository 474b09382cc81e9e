internal import KeyfobSQLite

/// The versions of the database's schema, oldest first.
///
/// A released one is never edited.
enum Migrations {
    private static let all: [@Sendable (SQLiteConnection) throws -> Void] = [
        { try $0.make(VaultSchema.first) }
    ]

    /// `PRAGMA user_version` of the newest schema.
    static var current: Int { all.count }

    /// Brings the schema from `version` to ``current``, inside the caller's transaction.
    ///
    /// So far only a new vault needs it. With a second version it is to be called where a vault is opened for writing, and
    /// `VaultSchema.require` is to compare a file with the schema of its own version.
    static func run(_ database: SQLiteConnection, from version: Int) throws {
        for migration in all[version...] { try migration(database) }
        try database.execute("PRAGMA user_version = \(current)")
    }
}

extension SQLiteConnection {
    func holdsTable(_ name: String) throws -> Bool {
        try rows("SELECT name FROM main.sqlite_schema WHERE type = 'table'") { $0.text(0) }.contains(name)
    }

    /// Makes tables, indices and triggers.
    func make(_ objects: [SchemaObject]) throws {
        for object in objects {
            if let sql = object.sql { try execute(sql) }
        }
    }
}
