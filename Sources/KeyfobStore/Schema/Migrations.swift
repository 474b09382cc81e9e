internal import GRDB
internal import KeyfobSQLite

/// The versions of the database's schema, oldest first.
///
/// A released one is never edited.
enum Migrations {
    private static let all: [@Sendable (Database) throws -> Void] = [
        { try $0.make(VaultSchema.first) }
    ]

    /// `PRAGMA user_version` of the newest schema.
    static var current: Int { all.count }

    /// Brings the schema from `version` to ``current``, inside the caller's transaction.
    ///
    /// So far only a new vault needs it. With a second version it is to be called where a vault is opened for writing, and
    /// `VaultSchema.require` is to compare a file with the schema of its own version.
    static func run(_ database: Database, from version: Int) throws {
        for migration in all[version...] { try migration(database) }
        try database.execute(sql: "PRAGMA user_version = \(current)")
    }
}

extension Database {
    /// Makes tables, indices and triggers.
    func make(_ objects: [SchemaObject]) throws {
        for object in objects {
            if let sql = object.sql { try execute(sql: sql) }
        }
    }
}
