internal import KeyfobAge
internal import KeyfobAgeHybrid
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobSodium
internal import KeyfobStore
internal import KeyfobVault
internal import Synchronization

extension Keyring {
    /// For whom a slot is made.
    public enum NewSlot: ~Copyable {
        /// Whoever knows the passphrase (UTF-8). The cost is three passes over `memory` bytes, one of ``memories``.
        case passphrase(SecretBytes, memory: UInt64 = NewSlot.usualMemory)
        /// Whoever has a file with these bytes, 32 bytes to 64 KiB.
        case keyFile(SecretBytes)
        /// Whoever has the identity of this age recipient, `age1…` or `age1pq1…`.
        case recipient(String)
        /// Whoever has the one identity of age in this text, as a recovery key's file holds it. For the whole vault only.
        case recoveryKey(SecretBytes)
        /// Whoever the Secret Service, the keyring of the desktop, gives 32 random bytes: they are made for the slot and
        /// stored there. For the whole vault only.
        case secretService(SecretServiceOptions)

        /// How much memory the derivation of a key from a passphrase may take, in bytes: 64 MiB to 1 GiB.
        public static let memories = Argon2id.Cost.floor.memory...Argon2id.Cost.cap.memory
        /// What it takes unless told otherwise, in bytes: 256 MiB.
        public static let usualMemory = Argon2id.Cost.standard.memory
    }

    /// A keyring that has just been made.
    public struct Created: ~Copyable {
        /// The keyring, unlocked.
        public let keyring: Keyring
        /// The recovery key, the text of an age identity without a line end.
        public let recoveryKey: SecretBytes
    }

    /// A vault that is whole, and counts as soon as its recovery key is in somebody's hands.
    public struct NewVault: ~Copyable {
        /// Its id: 32 hexadecimal digits.
        public let id: String
        /// The recovery key, the text of an age identity without a line end.
        public let recoveryKey: SecretBytes
        /// What a restored one holds; nil for an empty one.
        public let plan: ImportPlan?
    }

    /// Makes a keyring with one slot, a recovery key and the group `default`.
    ///
    /// The vault is built aside and appears as a whole, or not at all.
    ///
    /// - Parameters:
    ///   - secretService: Where the Secret Service is to open it too, with a slot of its own: how to reach it.
    ///   - handOver: Takes the recovery key before there is a vault, so that it cannot be lost with a crash. What it
    ///     throws stops everything.
    /// - Returns: The keyring, and the recovery key as the text of an age identity
    ///   (`AGE-SECRET-KEY-PQ-1…`), which exists nowhere else: `age -d` (1.3 or later) with it opens every backup.
    /// - Throws: `alreadyExists` also where only a part of a vault is left, `configuration`, `diskFull`, `inputOutput`,
    ///   `busy`, `unavailable`; `locked` and `cancelled` where the Secret Service is to open it. There is no vault then.
    public static func create(
        at location: KeyringLocation, slot: consuming NewSlot, secretService: SecretServiceOptions? = nil,
        clock: WallClock = .system,
        handingOver handOver: (borrowing NewVault) throws(KeyringError) -> Void = { (_) throws(KeyringError) in }
    ) throws(KeyringError) -> Created {
        try requireNoneInService(at: location)
        let made = try make(
            at: location, slot: slot, secretService: secretService, clock: clock,
            filling: { (_) throws(KeyringError) in nil }, handingOver: handOver)
        let recoveryKey = made.recoveryKey.withBytes { SecretBytes(copying: $0) }
        return Created(keyring: made.keyring, recoveryKey: recoveryKey)
    }

    /// Makes sure that nothing of a vault is there, before anybody is asked how a new one is unlocked.
    ///
    /// - Throws: `alreadyExists`, also where the Secret Service has kept the vault and only its folder is gone, and as
    ///   ``create(at:slot:secretService:clock:handingOver:)`` for its folder.
    public static func requireAbsent(at location: KeyringLocation) throws(KeyringError) {
        try requireNoneInService(at: location)
        try KeyringError.translating {
            guard try VaultRemains(at: location, anything: true) != .none else { return }
            try prepare(VaultDirectory(path: location.vault), location, .none)
        }
    }

    /// Makes sure that the folder did not have a vault which the Secret Service keeps, and may have still.
    ///
    /// - Throws: `alreadyExists`.
    static func requireNoneInService(at location: KeyringLocation) throws(KeyringError) {
        guard let message = Health.lostPlace(at: location) else { return }
        throw KeyringError(.alreadyExists, message, advice: .repairOrMakeElsewhere)
    }

    /// A vault that is in its place.
    struct Made: ~Copyable {
        let keyring: Keyring
        let recoveryKey: SecretBytes
        let plan: ImportPlan?
        /// Where what was there of a vault is now.
        let aside: String?
    }

    /// Builds a vault aside, has it filled, hands its recovery key over, and puts it in its place in one step.
    ///
    /// - Parameters:
    ///   - remains: What is there of a vault, which goes into a folder of its own when all the rest is done.
    ///   - former: That vault, where it is open: the new one says that its keys follow those.
    static func make(
        at location: KeyringLocation, slot: consuming NewSlot, secretService: SecretServiceOptions?, clock: WallClock,
        puttingAside remains: VaultRemains = .none, succeeding former: consuming UnlockedVault? = nil,
        filling fill: (Keyring) throws(KeyringError) -> ImportPlan?,
        handingOver handOver: (borrowing NewVault) throws(KeyringError) -> Void
    ) throws(KeyringError) -> Made {
        let directory = VaultDirectory(path: location.vault)
        let keeper = slot.keeper ?? secretService
        do throws(KeyringError) {
            // Where nobody keeps the key, not even a folder is made.
            _ = try keeper?.connected()
        } catch {
            throw error.saying(.unlockingNew)
        }
        let turn = try KeyringError.translating {
            try prepare(directory, location, remains)
            let turn = try FileLock(directory.lock)
            // Somebody else may have made one while this waited.
            try prepare(directory, location, remains)
            try directory.removeBuilding()
            return turn
        }
        var kept: KeptSlotKeys?
        do {
            let new: NewVault
            let vaultKey: SecretBytes
            do {
                // Closed again at the end: nothing may have it open when it is moved.
                let built = try build(location, directory.building, slot, secretService, former, clock)
                kept = built.keyring.slots.keptSlotKeys(by: keeper)
                let plan = try fill(built.keyring)
                vaultKey = built.keyring.state.withLock {
                    $0.vault.unlockingKey().key.withBytes { SecretBytes(copying: $0) }
                }
                new = NewVault(
                    id: built.keyring.vaultID, recoveryKey: built.recoveryKey.withBytes { SecretBytes(copying: $0) },
                    plan: plan)
            }
            try handOver(new)
            let aside = try remains == .none ? nil : directory.putVaultAside(now: clock.now)
            if aside != nil, let id = VaultID(hexadecimal: new.id) {
                // Killed between the two, the new vault is not taken for a stranger's in the place of the old.
                try? KnownPlaces(state: location.state).note(id, in: location.vault)
            }
            try directory.takeBuilding()
            let database = try VaultDatabase.open(directory)
            let header = try database.storedHeader()
            let vault = try LockedVault(headerBytes: header.bytes).unlock(vaultKey: vaultKey)
            // It is there. Whoever opens it takes the lock to see to its header's copy, this process too.
            _ = consume turn
            let keyring = try Keyring(
                location: location, database: database, vault: vault, isHeaderFromCopy: false, clock: clock)
            keyring.notePlace()
            keyring.state.withLock { keyring.health.seeToHeaderCopy(&$0) }
            let recoveryKey = new.recoveryKey.withBytes { SecretBytes(copying: $0) }
            return Made(keyring: keyring, recoveryKey: recoveryKey, plan: new.plan, aside: aside)
        } catch {
            // One that is in its place stays, whatever failed afterwards.
            guard directory.lacksDatabase || !directory.building.lacksDatabase else { throw KeyringError(error) }
            try? directory.removeBuilding()
            kept?.forget()
            let reason = KeyringError(error).asNotDone
            throw keeper == nil ? reason : reason.saying(.unlockingNew)
        }
    }

    /// Makes sure that in a vault's folder there is nothing of one, or what is to be put aside.
    private static func prepare(
        _ directory: VaultDirectory, _ location: KeyringLocation, _ remains: VaultRemains
    ) throws {
        do {
            guard remains != .none else { return try directory.create() }
            try directory.createFolder()
            guard try VaultRemains(at: location, anything: true) == remains else {
                throw StoreError.alreadyThere(path: directory.database)
            }
        } catch StoreError.alreadyThere(let path) where Keyring.Health.hasDamagedPlace(at: location) {
            throw KeyringError(
                .alreadyExists, "\(path) exists already: it is of a vault, and damaged", advice: .diagnose(.none))
        } catch StoreError.alreadyThere(let path) where (try? VaultRemains(at: location)) == .damaged {
            throw KeyringError(
                .alreadyExists, "\(path) exists already: it is left of a vault",
                advice: .restoreBackup(path: BackupFile.newest(at: location)?.path, putsAside: false))
        } catch StoreError.alreadyThere {
            throw KeyringError(.alreadyExists, "there is a vault at \(location.vault) already", advice: .useVault)
        } catch StoreError.notWritable {
            throw KeyringError(
                .inputOutput, "no vault can be made at \(directory.path): permission denied, or a read-only disk",
                advice: .nameVault)
        }
    }

    /// Builds the vault of `location` in another folder.
    private static func build(
        _ location: KeyringLocation, _ directory: VaultDirectory, _ slot: consuming NewSlot,
        _ secretService: SecretServiceOptions?, _ former: borrowing UnlockedVault?, _ clock: WallClock
    ) throws -> Created {
        let recovery = AgeIdentity.generateHybrid()
        let recoveryKey = recovery.text()
        let first = try slot.forVault()
        let now = clock.now
        var vault = try UnlockedVault.create(slot: first.slot, now: now)
        switch former {
        case .some(let former): try vault.succeed(former, now: now)
        case .none: break
        }
        let (id, firstID) = (vault.header.vault, vault.header.slots[0].id)
        let database: VaultDatabase
        if let secretService {
            let second = SlotToMake(keptBy: secretService)
            let secondID = try vault.addSlot(second.slot, now: now)
            _ = try vault.addSlot(.recoveryKey(recovery), now: now)
            database = try first.keeping(as: firstID, of: id, folder: location.vault, in: directory.path) {
                try second.keeping(as: secondID, of: id, folder: location.vault, in: directory.path) {
                    try VaultDatabase.create(in: directory, for: vault, device: newDevice())
                }
            }
        } else {
            _ = try vault.addSlot(.recoveryKey(recovery), now: now)
            database = try first.keeping(as: firstID, of: id, folder: location.vault, in: directory.path) {
                try VaultDatabase.create(in: directory, for: vault, device: newDevice())
            }
        }
        let aside = KeyringLocation(vault: directory.path, state: location.state)
        let keyring = try Keyring(
            location: aside, database: database, vault: vault, isHeaderFromCopy: false, clock: clock)
        return Created(keyring: keyring, recoveryKey: recoveryKey)
    }

    /// Whether a text is the recovery key of a vault that was being made at `location` and never came to be.
    ///
    /// Such a key opens nothing, and the next one may take its place.
    public static func isRecoveryKey(
        _ text: borrowing SecretBytes, ofUnfinishedVaultAt location: KeyringLocation
    ) -> Bool {
        let directory = VaultDirectory(path: location.vault)
        guard directory.lacksDatabase,
            let bytes = try? VaultDatabaseReader.headerCopy(in: directory.building),
            let header = try? VaultHeader(encoded: bytes),
            let identity = try? AgeIdentityFile(text)
        else { return false }
        return (try? header.slot(openedBy: .identities(identity))) != nil
    }
}
