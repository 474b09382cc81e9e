package import KeyfobModel

extension VaultDirectory {
    /// Where what is there of a vault goes while it is put aside.
    private var puttingAside: String { path + "/.putting-aside" }

    /// Changes of records which a service keeps that nobody can complete.
    package var unreadableChangeLogs: [String] {
        get throws {
            try POSIXFile.names(in: path).map { "\(path)/\($0)" }.filter { $0.hasPrefix(unreadableChangeLog) }.sorted()
        }
    }

    /// What belongs to one vault: the journals first, which SQLite would play back into another database.
    ///
    /// Backups and locks are the folder's.
    private func files() throws -> [String] {
        let databases = [database, usage].flatMap { file in
            ["-journal", "-wal", "-shm", ""].map { file + $0 }
        }
        let notes = [migrationNote, quarantine, sync]
        return try databases + [headerCopy, storage, changeLog] + unreadableChangeLogs + notes
    }

    /// Whether anything is there that a new vault would take the place of.
    package var hasRemains: Bool {
        get throws { try newVaultFiles.contains { try POSIXFile.status($0) != nil } }
    }

    /// Puts what is there of a vault aside, into a folder with the time in its name: nothing is deleted.
    ///
    /// Whoever calls has ``lock``. Whatever stops it in between, the next one goes on with the same folder.
    ///
    /// - Returns: The folder.
    /// - Throws: `unsafePath`, `notWritable`, `diskFull`, `inputOutput`.
    package func putVaultAside(now: Timestamp) throws -> String {
        try VaultDirectory(path: puttingAside).createFolder()
        for file in try files() where try POSIXFile.status(file) != nil {
            try POSIXFile.putAside(file, as: puttingAside + file.dropFirst(path.count))
        }
        try POSIXFile.synchronizeFolder(of: puttingAside + "/keyring.db")
        let name = try POSIXFile.putAside(
            puttingAside, as: "\(path)/put-aside-\(CivilDate(clamping: now).compact)")
        try POSIXFile.synchronizeFolder(of: name)
        return name
    }
}
