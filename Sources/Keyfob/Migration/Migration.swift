internal import KeyfobDesktop
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobSecretService
internal import KeyfobStore
internal import KeyfobVault
internal import Synchronization

extension Keyring {
    /// Moving all there is between the database and the desktop's keyring.
    public struct Migration: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring.Migration {
    /// Whether moving the records into a database needs a slot: nothing but recipients opens the vault without the
    /// Secret Service, and whoever has one of those has it for the day when all else is lost.
    public var needsSlotToBeEmbedded: Bool {
        keyring.state.withLock { $0.vault.header.slots.allSatisfy { $0.kind == .recipient } }
    }

    /// What ``run(to:secretService:adding:overwritingNewer:progress:)`` would do; nothing is written.
    ///
    /// - Throws: as that.
    public func plan(
        to place: StoragePlace, secretService: SecretServiceOptions
    ) throws(KeyringError) -> Keyring.MigrationReport {
        try migrating(to: place) { state in
            let tally: MigrationTally
            switch place {
            case .secretService:
                tally = try migration(&state, to: secretService, overwritesNewer: false).plan(&state.vault)
            case .embedded:
                tally = try DatabaseMigration(from: delegated()).plan(&state.vault)
            }
            return Keyring.MigrationReport(tally, from: keyring.storage, to: place, isDryRun: true, state.vault)
        }
    }

    /// Moves all records to another place, where they count once all of them are there.
    ///
    /// Ids, keys, groups, slots, the history and what a person knows to unlock with stay. Until the last step the vault
    /// is used where it was, and whatever stops the migration leaves it so; the same call again goes on from there.
    /// What was there stays too, until ``removeUnusedPlace(secretService:progress:)``. Afterwards this keyring, which
    /// looks at the old place, is to be opened again: it changes nothing any more.
    ///
    /// - Parameters:
    ///   - secretService: How to reach the Secret Service.
    ///   - slot: A way to unlock that the vault gets in a database, where it needs or is to have one; one for the Secret
    ///     Service only where that keeps none that opens the vault.
    ///   - isOverwritingNewer: Whether items of the Secret Service may go that were written later than what takes
    ///     their place.
    ///   - progress: How many records are moved, and how many there are.
    /// - Throws: `needsVaultKey`; `usage` where the vault needs a slot; `damaged` where a record does not open,
    ///   `rolledBack`; `alreadyExists` where newer items would go; `limitExceeded` for a record that the service does
    ///   not take; `unavailable`, `locked`, `cancelled`, `busy`, `diskFull`, `inputOutput`. Nothing is moved then.
    public func run(
        to place: StoragePlace, secretService: SecretServiceOptions, adding slot: consuming Keyring.NewSlot? = nil,
        overwritingNewer isOverwritingNewer: Bool = false, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(KeyringError) -> Keyring.MigrationReport {
        switch place {
        case .secretService:
            return try migrating(to: place) { state in
                let tally = try migration(&state, to: secretService, overwritesNewer: isOverwritingNewer)
                    .run(&state.vault, progress: progress)
                noteMove(&state)
                return Keyring.MigrationReport(tally, from: .embedded, to: place, isDryRun: false, state.vault)
            }
        case .embedded: return try migrateToDatabase(slot, progress)
        }
    }

    private func migrateToDatabase(
        _ slot: consuming Keyring.NewSlot?, _ progress: (Int, Int) -> Void
    ) throws(KeyringError) -> Keyring.MigrationReport {
        switch consume slot {
        case .some(let slot): return try migrateToDatabase(adding: try slot.forVault(), progress)
        case .none: break
        }
        return try migrating(to: .embedded) { state in
            guard !state.vault.header.slots.allSatisfy({ $0.kind == .recipient }) else {
                throw KeyringError(
                    .usage, "nothing but its recovery key would open this vault without the Secret Service",
                    advice: .usePassphraseOrKeyFile)
            }
            return try migrateToDatabase(&state, [], progress)
        }
    }

    private func migrateToDatabase(
        adding new: borrowing SlotToMake, _ progress: (Int, Int) -> Void
    ) throws(KeyringError) -> Keyring.MigrationReport {
        let now = clock.now
        return try migrating(to: .embedded) { state in
            // Of a key that is kept already another one would only be one more.
            if let keeper = new.keeper, try opens(state.vault.header, keeper) {
                return try migrateToDatabase(&state, [], progress)
            }
            let turn = try FileLock(database.directory.lock)
            let sealed = try state.vault.sealedSlot(for: new.slot, now: now)
            _ = consume turn
            return try new.keeping(as: sealed.id, of: state.vault.header.vault, folder: location.vault) {
                try migrateToDatabase(&state, [sealed], progress)
            }
        }
    }

    /// Whether the key of one of the slots that the vault has is kept by the Secret Service, and opens it.
    private func opens(_ header: VaultHeader, _ keeper: SecretServiceOptions) throws -> Bool {
        let bytes = try database.storedHeader().bytes
        do throws(KeyringError) {
            _ = try header.unlocked(bytes, with: keeper)
            return true
        } catch {
            return false
        }
    }

    private func migrateToDatabase(
        _ state: inout State, _ slots: [KeySlot], _ progress: (Int, Int) -> Void
    ) throws -> Keyring.MigrationReport {
        let groups = state.vault.groups.map(\.keys.group)
        let marks = Dictionary(groups.map { ($0, seen(state, $0)) }) { first, _ in first }
        let outcome = try DatabaseMigration(from: delegated(), adding: slots, seen: marks)
            .run(&state.vault, progress: progress)
        note(&state, outcome.milestones)
        return Keyring.MigrationReport(outcome.tally, from: .secretService, to: .embedded, isDryRun: false, state.vault)
    }

    /// Runs `body`, unless the records are where they are to go.
    private func migrating(
        to place: StoragePlace, _ body: (inout State) throws -> Keyring.MigrationReport
    ) throws(KeyringError) -> Keyring.MigrationReport {
        do {
            return try keyring.state.withLock { state in
                guard state.vault.opensWholeVault else { throw KeyringError(VaultError.needsVaultKey) }
                guard try Keyring.storage(at: location) == keyring.storage else { throw StoreError.movedAway }
                guard place != keyring.storage else { return Keyring.MigrationReport(at: place) }
                return try body(&state)
            }
        } catch {
            throw KeyringError(migratingFrom: keyring.storage, error)
        }
    }

    private func migration(
        _ state: inout State, to secretService: SecretServiceOptions, overwritesNewer: Bool
    ) throws -> ServiceMigration {
        guard let source = database as? VaultDatabase else { throw StoreError.movedAway }
        try source.refresh(&state.vault)
        guard state.vault.sequence >= seen(state, nil) else { throw StoreError.rolledBack(group: nil) }
        for group in state.vault.groups {
            let sequence = try source.state(of: group.keys).sequence
            guard sequence >= seen(state, group.keys.group) else {
                throw StoreError.rolledBack(group: group.keys.group)
            }
        }
        let target = try SecretServiceStorage.destination(
            for: state.vault, in: source.directory, secretService.patientAccess)
        return ServiceMigration(from: source, to: target, overwritesNewer: overwritesNewer)
    }

    private func delegated() throws -> SecretServiceStorage {
        guard let source = database as? SecretServiceStorage else { throw StoreError.movedAway }
        return source
    }

    /// The highest sequence that this process or another has seen of the header (nil) or a group.
    private func seen(_ state: borrowing State, _ group: GroupID?) -> UInt64 {
        max((try? mark.marks(now: clock.now).sequence(of: group)) ?? 0, state.marks.sequence(of: group))
    }

    /// Notes that the groups have gone on elsewhere: the database that stays behind is an earlier state from now on, and
    /// is known as one should it be used again.
    private func noteMove(_ state: inout State) {
        let milestones = state.vault.groups.map { group in
            let sequence = (try? database.state(of: group.keys).sequence) ?? 0
            return Milestone(
                group: group.keys.group, sequence: max(sequence, seen(state, group.keys.group)) + 1, digest: nil)
        }
        note(&state, milestones)
    }
}

extension SecretServiceOptions {
    /// The same with ten times the time for each item: GNOME's keyring writes all of its file again for one, which takes
    /// a busy machine seconds when there are thousands.
    var patientAccess: SecretServiceAccess {
        var access = access
        access.deadline *= 10
        return access
    }
}
