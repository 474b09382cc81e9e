package import KeyfobFiles

extension VaultDatabaseReader {
    /// Opens the database of an existing vault through SQLite; nothing is read from its tables before its schema is
    /// found to be ours.
    ///
    /// - Throws: `noVault`, `unsafePath`, `unsuitableFileSystem`, `notAVault`, `damaged`, `foreignSchema`, `busy`,
    ///   `inputOutput`.
    package convenience init(_ directory: VaultDirectory) throws(StorageFailure) {
        try directory.check()
        guard try directory.checkFile(directory.database).size >= 512 else {
            // SQLite would take it for a new database.
            throw StoreError.damaged(what: "keyring.db (it is empty or cut off)")
        }
        let connection = try SQLiteConnection(path: directory.database, .reading)
        guard try connection.first(.applicationID, row: { $0.integer(0) }) == Int64(Self.applicationID) else {
            throw StoreError.notAVault(path: directory.database)
        }
        let version = Int(try connection.first(.userVersion, row: { $0.integer(0) ?? 0 }) ?? 0)
        guard version >= 1 else { throw StoreError.damaged(what: "keyring.db (its version number)") }
        try VaultSchema.require(connection, version: version)
        self.init(directory, connection, schemaVersion: version)
    }
}
