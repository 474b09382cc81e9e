internal import KeyfobDesktop
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobSecretService
internal import KeyfobVault
internal import Synchronization

extension Keyring {
    /// What lies where the vault's records are not.
    public struct UnusedPlace: Hashable, Sendable {
        /// How many items of the vault the Secret Service has.
        public let items: Int
        /// The files of databases, with their paths.
        public let files: [String]
        /// Whether there is nothing.
        public var isEmpty: Bool { items == 0 && files.isEmpty }
    }

    /// What a migration has left.
    public enum MigrationLeftover: Hashable, Sendable {
        /// It was stopped before it had moved anything; a database that was being built lies in this folder.
        case folder(String)
        /// It was stopped before it had moved anything; items may lie with the Secret Service.
        case unfinishedItems
        /// The items that were in use before, and which nobody has asked to remove.
        case keptItems
        /// The files of databases that were in use before.
        case files([String])
    }
}

extension Keyring.Migration {
    /// What migrations have left; looks at the vault's folder alone.
    ///
    /// - Throws: `inputOutput`.
    public func leftovers() throws(KeyringError) -> [Keyring.MigrationLeftover] {
        try KeyringError.translating {
            let directory = database.directory
            var leftovers: [Keyring.MigrationLeftover] = []
            let note = keyring.storage == .embedded ? MigrationNote.read(directory) : nil
            if try directory.isMigrationLeft() { leftovers.append(.folder(directory.migrating.path)) }
            if note == .begun { leftovers.append(.unfinishedItems) }
            // One that runs has left nothing yet.
            if !leftovers.isEmpty, Self.isMigrating(directory) { leftovers = [] }
            if note == .kept { leftovers.append(.keptItems) }
            let files =
                try keyring.storage == .embedded ? directory.filesBeforeMigration() : directory.unusedDatabaseFiles()
            if !files.isEmpty { leftovers.append(.files(files)) }
            return leftovers
        }
    }

    private static func isMigrating(_ directory: VaultDirectory) -> Bool {
        do {
            _ = try FileLock(directory.migrationLock, orBusyAfter: .zero)
            return false
        } catch {
            return true
        }
    }

    /// Whether the database is in its place from which the records of the vault at `location` were moved.
    public static func hasUnusedDatabase(at location: KeyringLocation) -> Bool {
        let directory = VaultDirectory(path: location.vault)
        guard let place = try? StoragePlaceFile.read(directory), let reader = try? VaultDatabaseReader(directory),
            let header = try? reader.storedHeader(), let locked = try? LockedVault(headerBytes: header.bytes)
        else { return false }
        return locked.header.vault == place.vault
    }

    /// Uses the database again from which the records were moved to the Secret Service, which has lost all of them.
    ///
    /// What was stored since is lost; the vault is told to be at an earlier state until the owner accepts that.
    ///
    /// - Throws: `alreadyExists` where the service has something of the vault; `noVault` where there is no such database;
    ///   `locked`, `unavailable`, `busy`, `inputOutput`. Nothing has changed then.
    public static func goBackToDatabase(
        at location: KeyringLocation, secretService: SecretServiceOptions
    ) throws(KeyringError) {
        try KeyringError.translating {
            let directory = VaultDirectory(path: location.vault)
            guard let place = try StoragePlaceFile.read(directory), hasUnusedDatabase(at: location) else {
                throw StoreError.noVault(path: location.vault)
            }
            let migrations = try FileLock(directory.migrationLock, orBusyAfter: .seconds(5))
            let turn = try FileLock(directory.recordsLock, orBusyAfter: .seconds(5))
            do {
                _ = try SecretServiceStorage.open(place, in: directory, secretService.access)
                throw KeyringError(
                    .alreadyExists, "the Secret Service has records of this vault; nothing has changed", advice: .repair
                )
            } catch DesktopError.service(.noItem, _) {
                try StoragePlaceFile.remove(directory)
                try POSIXFile.synchronizeFolder(of: directory.storage)
            }
            _ = consume turn
            _ = consume migrations
        }
    }

    /// Removes what a migration has left that was stopped before it had moved anything.
    ///
    /// - Returns: Whether there was anything.
    /// - Throws: `busy` while one runs, `unavailable`, `locked`, `inputOutput`.
    public func removeUnfinished(secretService: SecretServiceOptions) throws(KeyringError) -> Bool {
        let leftovers = try leftovers()
        let hasItems = leftovers.contains(.unfinishedItems)
        guard hasItems || leftovers.contains(.folder(database.directory.migrating.path)) else { return false }
        try withPlaceLocked { state in
            try database.directory.removeMigrating()
            guard hasItems else { return }
            _ = try SecretServiceStorage.leftovers(
                of: state.vault, in: database.directory, secretService.patientAccess)?
                .removeEverything()
            try database.directory.removeFiles([database.directory.migrationNote])
        }
        return true
    }

    /// What lies where the vault's records are not: after a migration, what they were moved from.
    ///
    /// - Throws: `needsVaultKey`, `unavailable`, `locked`, `inputOutput`.
    public func unusedPlace(secretService: SecretServiceOptions) throws(KeyringError) -> Keyring.UnusedPlace {
        try withPlaceLocked { state in
            switch keyring.storage {
            case .secretService:
                return Keyring.UnusedPlace(items: 0, files: try database.directory.unusedDatabaseFiles())
            case .embedded:
                let items = try SecretServiceStorage.leftovers(
                    of: state.vault, in: database.directory, secretService.patientAccess)
                return Keyring.UnusedPlace(
                    items: try items?.itemCount() ?? 0, files: try database.directory.filesBeforeMigration())
            }
        }
    }

    /// Removes what lies where the vault's records are not, after a look whether all is well where they are.
    ///
    /// - Parameter progress: How many items are removed, and how many there are.
    /// - Returns: What was removed.
    /// - Throws: `damaged` where not all is well: nothing is removed then; `needsVaultKey`, `unavailable`, `locked`,
    ///   `busy`, `inputOutput`.
    public func removeUnusedPlace(
        secretService: SecretServiceOptions, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(KeyringError) -> Keyring.UnusedPlace {
        if let problem = try keyring.health.verify().problems.first {
            throw KeyringError(
                .damaged, "not all is well where the records are: \(problem); nothing was removed",
                advice: .repair)
        }
        return try withPlaceLocked { state in
            let directory = database.directory
            let files =
                try keyring.storage == .embedded ? directory.filesBeforeMigration() : directory.unusedDatabaseFiles()
            var items = 0
            if keyring.storage == .embedded {
                if let left = try SecretServiceStorage.leftovers(
                    of: state.vault, in: directory, secretService.patientAccess)
                {
                    try requireNote(directory)
                    items = try left.removeEverything(heldBy: state.vault, in: database, progress: progress)
                }
                try directory.removeFiles([directory.migrationNote])
            }
            try directory.removeFiles(files)
            return Keyring.UnusedPlace(items: items, files: files)
        }
    }

    /// Makes sure that it was this folder whose records were moved: a copy of the folder has the same vault.
    private func requireNote(_ directory: VaultDirectory) throws {
        guard MigrationNote.read(directory) != nil else {
            throw KeyringError(
                .configuration, "nothing says that the items of the Secret Service are left over from this folder",
                advice: .removeItemsByHand)
        }
    }

    /// Runs `body` while no migration runs, and where the records are where this keyring looks for them.
    private func withPlaceLocked<Result>(_ body: (inout State) throws -> Result) throws(KeyringError) -> Result {
        do {
            return try keyring.state.withLock { state in
                guard state.vault.opensWholeVault else { throw KeyringError(VaultError.needsVaultKey) }
                let turn = try FileLock(database.directory.migrationLock, orBusyAfter: .seconds(5))
                guard try Keyring.storage(at: location) == keyring.storage else { throw StoreError.movedAway }
                let result = try body(&state)
                _ = consume turn
                return result
            }
        } catch {
            throw KeyringError(migratingFrom: keyring.storage, error)
        }
    }
}
