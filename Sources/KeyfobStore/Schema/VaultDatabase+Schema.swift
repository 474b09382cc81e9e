package import KeyfobFiles
internal import KeyfobSQLite

extension VaultDatabase {
    /// Takes foreign triggers, views, indices and tables away, and makes missing indices and triggers again.
    ///
    /// The rows of Keyfob's own tables stay as they are: what a trigger has done to them shows when they are verified.
    ///
    /// - Returns: How many were taken away and made, for people; nil where the schema was Keyfob's, or is a newer one's.
    /// - Throws: `foreignSchema` where a table of Keyfob's is not as it should be; nothing was changed then.
    package static func mendSchema(_ directory: VaultDirectory) throws -> String? {
        try directory.check()
        try directory.checkFile(directory.database)
        guard let status = try POSIXFile.status(directory.database), status.size >= 512 else { return nil }
        let database = try SQLiteConnection(path: directory.database, .writing)
        return try database.write { try mend(database) }
    }

    private static func mend(_ database: SQLiteConnection) throws -> String? {
        guard
            try database.integer("PRAGMA application_id") == Int64(VaultDatabaseReader.applicationID),
            try database.integer("PRAGMA user_version") == Int64(VaultSchema.version),
            let difference = try database.difference(from: VaultSchema.current)
        else { return nil }
        guard difference.isMendable else { throw difference.error }
        // Triggers first, so that none runs; an index that SQLite has made goes with its table.
        for kind in [SchemaObject.Kind.trigger, .view, .index, .table] {
            for object in difference.foreign where object.kind == kind && object.sql != nil {
                let name = object.name.replacing("\"", with: "\"\"")
                try database.execute("DROP \(kind.rawValue) IF EXISTS main.\"\(name)\"")
            }
        }
        try database.make(difference.missing)
        try database.execute("REINDEX")
        if let left = try database.difference(from: VaultSchema.current) {
            throw StoreError.foreignSchema(words: left.words, isMendable: false)
        }
        return "\(difference.foreign.count) removed, \(difference.missing.count) made again"
    }
}
