internal import KeyfobFiles
package import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobStore
package import KeyfobVault

/// Moves the records of a vault from the Secret Service into a database in the vault's folder.
///
/// The database is built aside and read back; then, while nothing can change the items, it is put into its place, and
/// the file `storage` goes, which is what makes it count. Whatever stops it before that leaves the vault as it was.
package struct DatabaseMigration {
    private let source: SecretServiceStorage
    private let printer = RecordPrinter()
    /// Slots that the vault gets.
    private let slots: [KeySlot]
    /// The highest sequence seen of each group's manifest, from which the new ones go on.
    private let seen: [GroupID: UInt64]

    /// How often the items are read again because somebody has changed them; the last time, nobody can.
    private static let attempts = 3

    package init(from source: SecretServiceStorage, adding slots: [KeySlot] = [], seen: [GroupID: UInt64] = [:]) {
        self.source = source
        self.slots = slots
        self.seen = seen
    }

    /// What came of it.
    package struct Outcome: Sendable {
        package let tally: MigrationTally
        /// How far the database's header and its groups have come.
        package let milestones: [Milestone]
    }

    /// What ``run(_:progress:)`` would do; nothing is written.
    ///
    /// - Throws: as that.
    package func plan(_ vault: inout UnlockedVault) throws -> MigrationTally {
        Self.tally(try read(&vault))
    }

    /// Moves the records.
    ///
    /// - Throws: `damaged` for items that do not hold what Keyfob wrote, ``DesktopError``, `busy`, `notWritable`,
    ///   `diskFull`, `inputOutput`. The items are in use then as before.
    package func run(_ vault: inout UnlockedVault, progress: (Int, Int) -> Void) throws -> Outcome {
        let directory = source.directory
        let turn = try FileLock(directory.migrationLock, orBusyAfter: .seconds(5))
        try StoragePlaceFile.require(.secretService, directory)
        var outcome: Outcome?
        do {
            for attempt in 1...Self.attempts where outcome == nil {
                outcome = try attempt == Self.attempts ? runAlone(&vault, progress) : runBeside(&vault, progress)
            }
        } catch {
            try? directory.removeMigrating()
            throw error
        }
        guard let outcome else { throw StoreError.busy }
        // What is left of it keeps nobody from anything.
        try? directory.removeMigrating()
        _ = consume turn
        return outcome
    }

    /// Does what takes time while others may change the items; nil where somebody has.
    private func runBeside(_ vault: inout UnlockedVault, _ progress: (Int, Int) -> Void) throws -> Outcome? {
        let copy = try read(&vault)
        let milestones = try build(vault, copy, progress)
        let pause = try RefreshPause(source.directory)
        let turn = try StorageTurn(at: source)
        MigrationObservation.willTake(.settle)
        try source.completeChange()
        let again = try read(&vault)
        let isUnchanged = again.sequence == copy.sequence && again.holdsSameRecords(as: copy)
        if isUnchanged { try settle() }
        _ = consume turn
        _ = consume pause
        return isUnchanged ? Outcome(tally: Self.tally(copy), milestones: milestones) : nil
    }

    /// Does all of it while nobody else can change the items.
    private func runAlone(_ vault: inout UnlockedVault, _ progress: (Int, Int) -> Void) throws -> Outcome {
        let pause = try RefreshPause(source.directory)
        let turn = try StorageTurn(at: source)
        try source.completeChange()
        let copy = try read(&vault)
        let milestones = try build(vault, copy, progress)
        MigrationObservation.willTake(.settle)
        try settle()
        _ = consume turn
        _ = consume pause
        return Outcome(tally: Self.tally(copy), milestones: milestones)
    }

    private static func tally(_ copy: VaultCopy) -> MigrationTally {
        MigrationTally(groups: copy.groups.map { MigrationTally.Group($0) })
    }

    private func read(_ vault: inout UnlockedVault) throws -> VaultCopy {
        MigrationObservation.willTake(.read)
        try source.refresh(&vault)
        let copy = try VaultCopy(vault, in: source, printer)
        try source.requireAll(in: copy, printer)
        return copy
    }

    /// Builds the database aside and sees that it holds all of `copy`.
    private func build(
        _ vault: borrowing UnlockedVault, _ copy: VaultCopy, _ progress: (Int, Int) -> Void
    ) throws -> [Milestone] {
        do {
            return try fill(vault, copy, progress)
        } catch StoreError.unconfirmed(let number) {
            // What lies aside does not count yet.
            throw StoreError.inputOutput(errno: number)
        }
    }

    private func fill(
        _ vault: borrowing UnlockedVault, _ copy: VaultCopy, _ progress: (Int, Int) -> Void
    ) throws -> [Milestone] {
        MigrationObservation.willTake(.build)
        try source.directory.removeMigrating()
        let open = try OpenHeader(vault, device: try source.device())
        var built = try open.unlocked()
        for slot in slots { _ = try built.addSlot(slot) }
        let database = try VaultDatabase.create(in: source.directory.migrating, for: built, device: open.device)
        let groups = copy.groups.map { group in
            (group.keys, group.records.map(\.sealed), (seen[group.keys.group] ?? 0) + 1)
        }
        let isSynced = (try? POSIXFile.status(source.directory.sync)).flatMap(\.self) != nil
        try database.fill(groups, isSynced: isSynced, progress: progress)
        MigrationObservation.willTake(.compare)
        try compare(built, copy)
        return [try built.milestone()] + (try copy.groups.compactMap { try database.state(of: $0.keys).milestone })
    }

    /// Reads the database that was built as another process would.
    private func compare(_ built: borrowing UnlockedVault, _ copy: VaultCopy) throws {
        let database = try VaultDatabase.open(source.directory.migrating)
        let header = try database.storedHeader()
        guard !header.isFromCopy, header.bytes == (try built.encodedHeader()) else {
            throw StoreError.damaged(what: "the header of the database that was built")
        }
        var problems = try database.integrityProblems()
        for group in copy.groups { problems += try database.verify(group.keys, name: group.name.name).problems }
        if let problem = problems.first { throw StoreError.damaged(what: "the database that was built (\(problem))") }
        let vault = try LockedVault(headerBytes: header.bytes).unlock(vaultKey: built.unlockingKey().key)
        guard try VaultCopy(vault, in: database, printer).holdsSameRecords(as: copy) else {
            throw StoreError.damaged(what: "the database that was built")
        }
    }

    /// Makes the database count.
    private func settle() throws {
        let directory = source.directory
        try MigrationNote.kept.write(directory)
        try directory.takeMigrating()
        try directory.step(directory.storage) { try StoragePlaceFile.remove(directory) }
        try POSIXFile.synchronizeFolder(of: directory.database)
    }
}
