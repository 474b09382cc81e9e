internal import Glibc

/// The folder of a vault and the names of the files in it.
package struct VaultDirectory: Hashable, Sendable {
    /// The folder's path.
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// The database: header, slots, groups, sealed records.
    package var database: String { path + "/keyring.db" }
    /// The second copy of the header.
    package var headerCopy: String { path + "/header.copy" }
    /// The lock that serialises key derivations and changes of the header.
    package var lock: String { path + "/vault.lock" }
    /// What the selection of accounts learns from; a folder that holds nothing else is no vault.
    package var usage: String { path + "/usage.db" }
    /// The history of token uses: a folder, or a file where none is kept.
    package var uses: String { path + "/uses" }
    /// The lock that lets one backup at a time take a name.
    package var backupLock: String { path + "/backup.lock" }
    /// The lock with a byte for each refresh token, held while one is redeemed.
    package var refreshLock: String { path + "/refresh.lock" }
    /// What says where the records lie, where that is not the database.
    package var storage: String { path + "/storage" }
    /// The lock that lets one process at a time change records which a service keeps.
    package var recordsLock: String { path + "/records.lock" }
    /// What says that items of the vault may lie with the Secret Service although its records are here.
    package var migrationNote: String { path + "/migration" }
    /// A change of such records that has begun and may not have ended.
    package var changeLog: String { path + "/changes" }
    /// What the first of such changes is called that nobody can complete.
    package var unreadableChangeLog: String { changeLog + ".unreadable" }
    /// What making a vault writes, the database first: whoever makes that one makes the vault.
    var newVaultFiles: [String] { [database, database + "-journal", headerCopy, storage] }
    /// What the vault knows of the sync that it is part of, sealed.
    package var sync: String { path + "/sync" }
    /// What it keeps of one that it left, sealed: whose decisions are not its own, and what was removed.
    package var syncLeft: String { sync + ".left" }
    /// The lock that lets one process at a time synchronise.
    package var syncLock: String { path + "/sync.lock" }
    /// Rows that did not open.
    package var quarantine: String { path + "/quarantine" }

    /// Whether a file of this name in the folder is the vault's own, as far as the name tells.
    package func isOwn(_ name: String) -> Bool {
        let files = [
            database, headerCopy, lock, usage, backupLock, refreshLock, storage, recordsLock, migrationNote, changeLog,
            unreadableChangeLog, sync, syncLeft, syncLock, quarantine, uses,
        ]
        // What `keyfob log --off` has put aside, and not removed yet.
        if name.hasPrefix(uses.dropFirst(path.count + 1) + ".off-") { return true }
        return files.contains { file in
            let own = file.dropFirst(path.count + 1)
            return name == own || ["-journal", "-wal", "-shm"].contains { name == own + $0 }
        }
    }

    /// Makes the folder for a new vault where it is missing, for its owner alone.
    ///
    /// - Throws: `alreadyThere` when a vault, or what is left of one, is in it, `unsafePath`,
    ///   `unsuitableFileSystem`, `inputOutput`, `notWritable`, `diskFull`.
    package func create() throws(StorageFailure) {
        try createFolder()
        // Without its database a vault's last change may be in the journal, and its keys are in the copy.
        for file in newVaultFiles where try POSIXFile.status(file) != nil {
            throw StoreError.alreadyThere(path: file)
        }
    }

    /// Makes the folder where it is missing, whatever is in it, and checks it.
    ///
    /// - Throws: `unsafePath`, `unsuitableFileSystem`, `inputOutput`, `notWritable`, `diskFull`.
    package func createFolder() throws(StorageFailure) {
        try POSIXFile.createDirectories(path)
        try check()
    }

    /// Checks that the folder is one: the caller's own, closed to others, on a local file system.
    ///
    /// - Throws: `noVault`, `unsafePath`, `unsuitableFileSystem`.
    package func check() throws(StorageFailure) {
        let status: POSIXFile.Status?
        do {
            status = try POSIXFile.status(path)
        } catch {
            guard case StoreError.notWritable = error else { throw error }
            throw StoreError.unsafePath(path: path, reason: "permission denied")
        }
        guard let status else { throw StoreError.noVault(path: path) }
        guard !status.isSymbolicLink else {
            throw StoreError.unsafePath(path: path, reason: "it is a symbolic link; name the folder itself")
        }
        guard status.isDirectory else { throw StoreError.unsafePath(path: path, reason: "it is not a folder") }
        try status.requireOwnAndPrivate(path)
        try FileSystemType.requireLocal(path)
    }

    /// Checks a file of the vault: regular, the caller's own, closed to others, under one name only.
    ///
    /// - Returns: What it is.
    /// - Throws: `unsafePath`; `noVault` when it is missing.
    @discardableResult
    package func checkFile(_ file: String) throws(StorageFailure) -> POSIXFile.Status {
        guard let status = try POSIXFile.status(file) else { throw StoreError.noVault(path: path) }
        return try check(status, of: file)
    }

    /// The same of what is known of the file.
    func check(_ status: POSIXFile.Status, of file: String) throws(StorageFailure) -> POSIXFile.Status {
        guard !status.isSymbolicLink else {
            throw StoreError.unsafePath(path: file, reason: "it is a symbolic link")
        }
        guard status.isRegularFile else { throw StoreError.unsafePath(path: file, reason: "it is not a regular file") }
        guard status.linkCount == 1 else {
            throw StoreError.unsafePath(path: file, reason: "it has a second name (hard link)")
        }
        try status.requireOwnAndPrivate(file)
        return status
    }
}
