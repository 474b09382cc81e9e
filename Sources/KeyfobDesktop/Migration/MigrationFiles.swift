package import KeyfobFiles

extension VaultDirectory {
    /// Where a database is built before it is put in its place.
    package var migrating: VaultDirectory { VaultDirectory(path: path + "/.migrating") }
    /// The lock that lets one migration at a time run.
    package var migrationLock: String { path + "/migration.lock" }

    private static let suffix = ".before-migration"

    /// The files of a database that is in no use while the records lie with the Secret Service.
    private var oldFiles: [String] { [database, database + "-journal", headerCopy] }
    /// The same as a migration has put them aside.
    private var filesAside: [String] {
        [database + Self.suffix, database + Self.suffix + "-journal", headerCopy + Self.suffix]
    }

    /// Files of a database that were put aside by a migration.
    package func filesBeforeMigration() throws -> [String] {
        try filesAside.filter { try POSIXFile.status($0) != nil }
    }

    /// Files of a database that is not in use, if the records lie with the Secret Service.
    package func unusedDatabaseFiles() throws -> [String] {
        try oldFiles.filter { try POSIXFile.status($0) != nil } + filesBeforeMigration()
    }

    /// Whether a migration that did not end has left a folder.
    package func isMigrationLeft() throws -> Bool { try POSIXFile.status(migrating.path) != nil }

    /// Removes a database that was being built, whole or not.
    package func removeMigrating() throws {
        guard let status = try POSIXFile.status(migrating.path) else { return }
        guard status.isDirectory else {
            throw StoreError.unsafePath(path: migrating.path, reason: "it is not a folder")
        }
        for name in try POSIXFile.names(in: migrating.path) { try POSIXFile.remove(migrating.path + "/" + name) }
        try POSIXFile.removeFolder(migrating.path)
    }

    /// Removes files of the vault's folder, and brings that to the disk.
    package func removeFiles(_ files: [String]) throws {
        for file in files { try step(file) { try POSIXFile.remove(file) } }
        try POSIXFile.synchronizeFolder(of: database)
    }

    /// Puts a database that was built into its place; the one that is there is kept aside, and the one aside goes.
    ///
    /// Nobody looks at any of them while ``storage`` is there. A journal goes with its database: SQLite would play it
    /// back into another one.
    func takeMigrating() throws {
        guard try POSIXFile.status(migrating.database + "-journal") == nil else {
            throw StoreError.damaged(what: "the database that was built (its journal is there)")
        }
        if try POSIXFile.status(database) != nil { try removeFiles(filesAside) }
        // Whatever stops this in between, the next one goes on from there.
        for (file, aside) in zip(oldFiles, filesAside) where try POSIXFile.status(file) != nil {
            try step(file) { try POSIXFile.move(file, to: aside) }
        }
        try POSIXFile.synchronizeFolder(of: database)
        try step(migrating.database) { try POSIXFile.moveToNewName(migrating.database, database) }
        try step(migrating.headerCopy) { try POSIXFile.moveToNewName(migrating.headerCopy, headerCopy) }
        try POSIXFile.synchronizeFolder(of: database)
    }

    /// Takes a step that changes a file.
    func step<Result>(_ file: String, _ body: () throws -> Result) rethrows -> Result {
        MigrationObservation.willTake(.file(String(file.dropFirst(path.utf8.count + 1))))
        return try body()
    }
}

/// The file in a vault's folder that says that items of it lie with the Secret Service although its records are in the
/// database.
///
///     keyfob-migration 1
///     items begun
package enum MigrationNote: String, Sendable {
    /// They are being written, or were when it was stopped.
    case begun
    /// They are what was there before the records were moved into the database.
    case kept

    /// What the file says; nil where there is none, or it makes no sense.
    package static func read(_ directory: VaultDirectory) -> MigrationNote? {
        guard let bytes = try? POSIXFile.read(directory.migrationNote, limit: 4_096) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.count == 2, lines[0] == "keyfob-migration 1" else { return nil }
        let words = lines[1].split(separator: " ")
        return words.first == "items" && words.count == 2 ? MigrationNote(rawValue: String(words[1])) : nil
    }

    func write(_ directory: VaultDirectory) throws {
        try directory.step(directory.migrationNote) {
            try POSIXFile.replace(directory.migrationNote, with: Array("keyfob-migration 1\nitems \(rawValue)\n".utf8))
        }
    }

    static func remove(_ directory: VaultDirectory) throws {
        try directory.step(directory.migrationNote) { try POSIXFile.remove(directory.migrationNote) }
    }
}
