internal import KeyfobAge
internal import KeyfobAgeHybrid
internal import KeyfobDesktop
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobStore
internal import KeyfobSodium
internal import KeyfobVault
internal import Synchronization

extension Keyring {
    /// Where the records lie.
    public var storage: StoragePlace { database.place }

    /// What the program is called that is the Secret Service in which the records lie; nil where they lie elsewhere, or it
    /// cannot be told.
    public var secretServiceName: String? { (database as? SecretServiceStorage)?.serviceName }

    /// When the records came to the Secret Service; nil where they lie elsewhere, or it cannot be told.
    public var secretServiceSince: Timestamp? { try? (database as? SecretServiceStorage)?.since() }

    /// Where the records of the vault at `location` lie; looks at the vault's folder alone.
    ///
    /// - Throws: `configuration` for a folder or file that cannot be trusted, `damaged`, `inputOutput`.
    public static func storage(at location: KeyringLocation) throws(KeyringError) -> StoragePlace {
        do {
            return try StoragePlaceFile.read(VaultDirectory(path: location.vault)) == nil ? .embedded : .secretService
        } catch {
            throw KeyringError(error, opening: location)
        }
    }

    /// Makes a keyring whose records lie with the Secret Service, with a recovery key and the group `default`.
    ///
    /// - Parameters:
    ///   - secretService: How to reach the service.
    ///   - handOver: As ``create(at:slot:secretService:clock:handingOver:)`` has it.
    /// - Returns: The keyring, and the recovery key, which opens its backups and nothing else.
    /// - Throws: `alreadyExists`, `unavailable`, `locked`, `cancelled`, `configuration`, `diskFull`, `inputOutput`.
    ///   There is no vault then.
    public static func createDelegated(
        at location: KeyringLocation, secretService: SecretServiceOptions, clock: WallClock = .system,
        handingOver handOver: (borrowing NewVault) throws(KeyringError) -> Void = { (_) throws(KeyringError) in }
    ) throws(KeyringError) -> Created {
        try requireNoneInService(at: location)
        do throws(KeyringError) {
            // Where the service cannot be reached, not even a folder is made.
            _ = try secretService.connected()
        } catch {
            throw error.saying(.making)
        }
        let recovery = AgeIdentity.generateHybrid()
        let recoveryKey = recovery.text()
        do {
            let directory = VaultDirectory(path: location.vault)
            try directory.create()
            let vault = try UnlockedVault.create(slot: .recoveryKey(recovery), now: clock.now)
            let id = vault.header.vault
            let storage = try SecretServiceStorage.create(
                in: directory, for: vault, device: newDevice(), secretService.access, state: location.state)
            let keyring: Keyring
            do {
                keyring = try Keyring(
                    location: location, database: storage, vault: vault, isHeaderFromCopy: false, clock: clock)
                try handOver(
                    NewVault(
                        id: id.description, recoveryKey: recoveryKey.withBytes { SecretBytes(copying: $0) }, plan: nil))
                try StoragePlaceFile(vault: id, collection: storage.collection).writeNew(directory)
            } catch {
                _ = try? storage.removeEverything()
                throw error
            }
            keyring.notePlace()
            return Created(keyring: keyring, recoveryKey: recoveryKey)
        } catch DesktopError.service(let reason, _) {
            throw KeyringError(reason).saying(.making)
        } catch {
            throw KeyringError(error)
        }
    }

    /// Opens a keyring whose records lie with the Secret Service; that unlocks it.
    ///
    /// - Throws: `noVault` where the records lie elsewhere, or the service has none, `locked`, `unavailable`,
    ///   `cancelled` when a person dismissed what the service asked, `damaged`, `inputOutput`.
    static func openDelegated(
        at location: KeyringLocation, secretService: SecretServiceOptions, clock: WallClock = .system
    ) throws(KeyringError) -> Keyring {
        do {
            let directory = VaultDirectory(path: location.vault)
            guard let place = try StoragePlaceFile.read(directory) else { throw StoreError.movedAway }
            let storage = try SecretServiceStorage.open(
                place, in: directory, secretService.access, state: location.state)
            let found = try storage.openOrRebuildHeader(milliseconds: clock.milliseconds(), device: newDevice())
            let vault = try found.header.unlocked()
            let keyring = try Keyring(
                location: location, database: storage, vault: vault, isHeaderFromCopy: false, clock: clock)
            if let obstacle = storage.obstacle {
                let error = KeyringError(obstacle)
                keyring.state.withLock {
                    $0.warn(
                        Warning(
                            .stoppedChange,
                            (obstacle is DesktopError ? "" : "a change that was stopped is not complete yet: ")
                                + error.message,
                            advice: error.advice ?? .repeatChange))
                }
            }
            if found.isRebuilt {
                keyring.state.withLock {
                    $0.warn(
                        Warning(
                            .serviceItems,
                            "the item that lists the vault's groups was gone from the Secret Service and has been made "
                                + "again; what the selection had learned is lost, and so are groups without records and "
                                + "the recipients of backups", advice: .addRecipient(canRekey: false)))
                }
            }
            return keyring
        } catch DesktopError.service(.noItem, _) where Keyring.Migration.hasUnusedDatabase(at: location) {
            throw KeyringError(
                .noVault,
                "the Secret Service holds none of this vault's records, and keyring.db holds them as they were before "
                    + "they were moved there", advice: .goBackToDatabase)
        } catch {
            throw KeyringError(error)
        }
    }

    /// The id of a new copy of a vault.
    static func newDevice() -> UInt64 {
        Randomness.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    /// Why a vault that the Secret Service keeps has nothing to grant and nothing to replace.
    static let noGroupKeys = "groups have no keys of their own"
}

extension SecretServiceOptions {
    /// The same in the terms of the target below.
    var access: SecretServiceAccess {
        SecretServiceAccess(
            environment: environment, mayPrompt: mayPrompt, deadline: deadline, whenAsking: whenAsking)
    }
}

extension Keyring {
    /// The keyring as it is to be used after its records were moved, opened with the key that this one holds.
    ///
    /// - Throws: `needsVaultKey`, and as opening does.
    public func reopened(secretService: SecretServiceOptions) throws(KeyringError) -> Keyring {
        guard opensWholeVault else { throw KeyringError(VaultError.needsVaultKey) }
        guard try Self.storage(at: location) == .embedded else {
            return try Self.openDelegated(at: location, secretService: secretService, clock: clock)
        }
        do {
            let database = try VaultDatabase.open(VaultDirectory(path: location.vault))
            let header = try database.storedHeader()
            let key = state.withLock { $0.vault.unlockingKey() }
            let vault = try LockedVault(headerBytes: header.bytes).unlock(vaultKey: key.key)
            return try Keyring(
                location: location, database: database, vault: vault, isHeaderFromCopy: header.isFromCopy, clock: clock)
        } catch {
            throw KeyringError(error)
        }
    }
}
