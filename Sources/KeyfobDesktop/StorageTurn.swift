internal import KeyfobFiles

/// The turn of a process at changing a vault's items.
struct StorageTurn: ~Copyable {
    private let lock: FileLock
    private let storage: SecretServiceStorage

    /// Waits for the turn.
    ///
    /// - Throws: `busy`, and what making the lock file can throw.
    init(at storage: SecretServiceStorage, orBusyAfter limit: Duration = SecretServiceStorage.patience) throws {
        lock = try FileLock(storage.directory.recordsLock, orBusyAfter: limit)
        self.storage = storage
        storage.note(hasTurn: true)
    }

    deinit { storage.note(hasTurn: false) }
}
