internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
package import KeyfobStore
package import KeyfobVault

/// Moves the records of a vault from its database to the Secret Service.
///
/// First every record becomes an item, beside the database, which stays in use; then all items are read back and
/// compared; then, while nothing can change the database, the file `storage` says that they count. Whatever stops it
/// before that leaves the vault as it was, and items that the next attempt takes up.
package struct ServiceMigration {
    private let source: VaultDatabase
    private let target: SecretServiceStorage
    private let printer = RecordPrinter()
    /// Whether items may be overwritten that were written later than what takes their place.
    private let overwritesNewer: Bool
    /// The longest record that the service takes, in bytes.
    private let limit: Int

    /// How often the records are read again because somebody has changed them; the last time, nobody can.
    private static let attempts = 4
    /// How often the items are compared again because the service does not hold what it was given.
    private static let comparisons = 4

    package init(
        from source: VaultDatabase, to target: SecretServiceStorage, overwritesNewer: Bool = false, limit: Int? = nil
    ) {
        self.source = source
        self.target = target
        self.overwritesNewer = overwritesNewer
        self.limit = limit ?? SecretService.secretLimit
    }

    /// What ``run(_:progress:)`` would do; nothing is written.
    ///
    /// - Throws: as that.
    package func plan(_ vault: inout UnlockedVault) throws -> MigrationTally {
        let copy = try read(&vault)
        var tally = try target.changes(vault, device: try source.device(), copy, printer).tally
        // Items that a migration has left are from before, whatever they say.
        if MigrationNote.read(source.directory) != nil { tally.newer = 0 }
        return tally
    }

    /// Moves the records.
    ///
    /// - Throws: `damaged`, `incomplete` for a database that is not sound, ``NewerItems``, ``DesktopError``, `busy`,
    ///   `notWritable`, `diskFull`, `inputOutput`. The database is in use then as before.
    package func run(_ vault: inout UnlockedVault, progress: (Int, Int) -> Void) throws -> MigrationTally {
        let directory = source.directory
        let turn = try FileLock(directory.migrationLock, orBusyAfter: .seconds(5))
        try StoragePlaceFile.require(.embedded, directory)
        try directory.removeMigrating()
        let tally = try plan(&vault)
        guard tally.newer == 0 || overwritesNewer else { throw NewerItems(count: tally.newer) }
        try MigrationNote.begun.write(directory)
        let device = try source.device()
        for attempt in 1...Self.attempts {
            if attempt == Self.attempts {
                try runAlone(&vault, device: device, progress)
            } else {
                let copy = try read(&vault)
                try converge(vault, device: device, copy, progress)
                guard try settle(vault, copy) else { continue }
            }
            break
        }
        // The file `storage` counts; this one says nothing any more.
        try? MigrationNote.remove(directory)
        _ = consume turn
        return tally
    }

    /// Reads the records of a database that is sound.
    private func read(_ vault: inout UnlockedVault) throws -> VaultCopy {
        let header = try source.storedHeader()
        guard !header.isFromCopy else { throw StoreError.damaged(what: "the header in keyring.db") }
        if let problem = try source.integrityProblems().first { throw StoreError.damaged(what: problem) }
        let copy = try readRecords(&vault)
        guard try source.strayRowCount(groups: copy.groups.map(\.keys.group)) == 0 else {
            throw StoreError.damaged(what: "keyring.db (it has records that belong to no group)")
        }
        return copy
    }

    private func readRecords(_ vault: inout UnlockedVault) throws -> VaultCopy {
        MigrationObservation.willTake(.read)
        let copy: VaultCopy = try source.withSnapshot {
            try source.refresh(&vault)
            return try VaultCopy(vault, in: source, printer)
        }
        guard copy.groups.allSatisfy({ $0.records.allSatisfy { $0.print.count <= limit } }) else {
            throw DesktopError.service(.tooLarge(limit: limit), partly: false)
        }
        return copy
    }

    /// Makes the items what the copy is, and sees that they are.
    private func converge(
        _ vault: borrowing UnlockedVault, device: UInt64, _ copy: VaultCopy, _ progress: (Int, Int) -> Void
    ) throws {
        for _ in 1...Self.comparisons {
            let changes = try target.changes(vault, device: device, copy, printer)
            if changes.isEmpty { return }
            try target.make(changes, vault, device: device, progress: progress)
        }
        guard try target.changes(vault, device: device, copy, printer).isEmpty else {
            // It was told to hold something, said that it does, and does not.
            throw DesktopError.service(.damaged, partly: false)
        }
    }

    /// Makes the items count, unless the database has changed since it was read.
    private func settle(_ vault: borrowing UnlockedVault, _ copy: VaultCopy) throws -> Bool {
        MigrationObservation.willTake(.settle)
        let pause = try RefreshPause(source.directory)
        let place = StoragePlaceFile(vault: vault.header.vault, collection: target.collection)
        do {
            let isUnchanged = try source.write(sequence: copy.sequence) { change in
                for group in copy.groups {
                    guard try change.records(group.keys).reader.manifest() == group.manifest else { return false }
                }
                try put(place)
                return true
            }
            _ = consume pause
            return isUnchanged
        } catch StoreError.staleKeys {
            return false
        }
    }

    /// Does all of it while nobody else can change the database.
    private func runAlone(
        _ vault: inout UnlockedVault, device: UInt64, _ progress: (Int, Int) -> Void
    ) throws {
        let pause = try RefreshPause(source.directory)
        try source.refresh(&vault)
        let place = StoragePlaceFile(vault: vault.header.vault, collection: target.collection)
        try source.write(sequence: vault.sequence) { _ in
            // What looks at the whole database has to wait for this very transaction; it has looked before.
            let copy = try readRecords(&vault)
            try converge(vault, device: device, copy, progress)
            MigrationObservation.willTake(.settle)
            try put(place)
        }
        _ = consume pause
    }

    private func put(_ place: StoragePlaceFile) throws {
        let directory = source.directory
        try directory.step(directory.storage) { try place.write(directory) }
    }
}

/// Items of the Secret Service were written later than what would take their place.
package struct NewerItems: Error, Equatable, Sendable {
    /// How many.
    package let count: Int
}
