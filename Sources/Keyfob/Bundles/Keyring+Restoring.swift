internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobStore
internal import KeyfobSync
internal import KeyfobVault
internal import Synchronization

extension Keyring {
    /// A keyring that was made from a backup.
    public struct Restored: ~Copyable {
        /// The keyring, unlocked.
        public let keyring: Keyring
        /// The recovery key of the new vault, the text of an age identity without a line end.
        public let recoveryKey: SecretBytes
        /// What was brought back.
        public let plan: ImportPlan
    }

    /// A sign-in whose refresh token came back from a backup.
    public struct RestoredGrant: Hashable, Sendable {
        /// The group it is in.
        public let group: AccessGroup
        /// Whose it is.
        public let account: AccountID
        /// The client that it was issued to.
        public let clientID: String
    }

    /// Brings the groups of a backup back to what they held, after another backup of what they hold now.
    ///
    /// Keys and slots stay; groups that the backup does not have stay as they are.
    ///
    /// - Parameter takesStrangers: Whether a backup is taken as well that nothing shows to be the owner's: without what
    ///   decides, as an import.
    /// - Throws: `needsVaultKey`, `unknownVault` where nothing shows who made the backup, and as
    ///   ``importBundle(_:with:mode:groups:taking:)``.
    public func restore(
        _ file: borrowing BundleFile, with opener: borrowing BundleOpener, takingStrangers takesStrangers: Bool = false
    ) throws(KeyringError) -> ImportPlan {
        guard opensWholeVault else { throw KeyringError(VaultError.needsVaultKey) }
        let incoming = try IncomingBundle(file, opener, for: [.backup], of: self)
        try incoming.requireOwners(unless: takesStrangers, file.name)
        return try take(incoming, .replace, nil, isRestoring: incoming.isOwners, from: file.name)
    }

    /// Makes a vault with new keys from a backup, where none is.
    ///
    /// The vault is built aside and appears as a whole, or not at all.
    ///
    /// - Parameters:
    ///   - takesStrangers: Whether a backup is taken as well that nothing shows to be an owner's: without what decides.
    ///   - secretService: Where the Secret Service is to open it too: how to reach it.
    /// - Returns: The keyring, and its own recovery key; the one of the vault that was backed up does not open it.
    /// - Throws: `alreadyExists` where there is a vault, or what is left of one; `wrongKey`, `damaged`,
    ///   `limitExceeded`, `newerVersion`, `usage` for a file that is no backup, `unknownVault` where nothing shows who
    ///   made it, and as
    ///   ``create(at:slot:secretService:clock:)``.
    public static func restore(
        _ file: borrowing BundleFile, with opener: borrowing BundleOpener, takingStrangers takesStrangers: Bool = false,
        at location: KeyringLocation, slot: consuming NewSlot, secretService: SecretServiceOptions? = nil,
        clock: WallClock = .system
    ) throws(KeyringError) -> Restored {
        let incoming = try IncomingBundle(file, opener, for: [.backup])
        try incoming.requireOwners(unless: takesStrangers, file.name)
        let directory = VaultDirectory(path: location.vault)
        let turn = try KeyringError.translating {
            try directory.create()
            let turn = try FileLock(directory.lock)
            // Somebody else may have made one while this waited.
            try directory.create()
            try directory.removeBuilding()
            return turn
        }
        let built: Built
        do {
            built = try build(incoming, directory, location, slot, secretService, clock)
        } catch {
            try? directory.removeBuilding()
            throw error
        }
        do {
            try directory.takeBuilding()
            let database = try VaultDatabase.open(directory)
            let header = try database.storedHeader()
            let vault = try LockedVault(headerBytes: header.bytes).unlock(vaultKey: built.vaultKey)
            let keyring = try Keyring(
                location: location, database: database, vault: vault, isHeaderFromCopy: false, clock: clock)
            keyring.notePlace()
            _ = consume turn
            let recoveryKey = built.recoveryKey.withBytes { SecretBytes(copying: $0) }
            return Restored(keyring: keyring, recoveryKey: recoveryKey, plan: built.plan)
        } catch {
            built.kept.forget()
            throw KeyringError(error)
        }
    }

    /// A vault that was built aside and is closed again.
    private struct Built: ~Copyable {
        let vaultKey: SecretBytes
        let recoveryKey: SecretBytes
        let plan: ImportPlan
        let kept: KeptSlotKeys
    }

    private static func build(
        _ incoming: IncomingBundle, _ directory: VaultDirectory, _ location: KeyringLocation,
        _ slot: consuming NewSlot, _ secretService: SecretServiceOptions?, _ clock: WallClock
    ) throws(KeyringError) -> Built {
        let aside = KeyringLocation(vault: directory.building.path, state: location.state)
        let keeper = slot.keeper ?? secretService
        let created = try create(
            at: aside, known: location.vault, slot: slot, secretService: secretService, clock: clock)
        let keyring = created.keyring
        let kept = keyring.keptSlotKeys(by: keeper)
        var plan: ImportPlan
        do {
            plan = try keyring.take(incoming, .replace, nil, isRestoring: incoming.isOwners, backsUp: false)
            for group in plan.keptGroups { _ = try keyring.removeGroup(group) }
        } catch {
            kept.forget()
            throw error
        }
        plan.keptGroups = []
        let vaultKey = keyring.state.withLock { $0.vault.unlockingKey().key.withBytes { SecretBytes(copying: $0) } }
        let recoveryKey = created.recoveryKey.withBytes { SecretBytes(copying: $0) }
        return Built(vaultKey: vaultKey, recoveryKey: recoveryKey, plan: plan, kept: kept)
    }

    /// The sign-ins whose refresh token came back from a backup and has not been replaced since.
    ///
    /// Where the provider rotates its tokens, using such a one may end the sign-in: the provider may have seen a
    /// newer one.
    ///
    /// - Throws: as ``accounts(in:)``.
    public func restoredGrants(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [RestoredGrant] {
        try withState { state in
            var grants: [RestoredGrant] = []
            for group in try state.groups(groups) {
                for credential in try database.restoredGrants(in: group.keys) {
                    grants.append(
                        RestoredGrant(group: group.name, account: credential.account, clientID: credential.clientID))
                }
            }
            return grants
        }
    }
}

extension IncomingBundle {
    /// Makes sure that somebody shows to have made a backup, unless that does not matter.
    ///
    /// - Throws: `unknownVault`.
    fileprivate func requireOwners(unless takesStrangers: Bool, _ name: String) throws(KeyringError) {
        guard !isOwners, !takesStrangers else { return }
        throw KeyringError(
            .unknownVault, "\(name): nothing shows who made it: anybody can write a backup for a public key",
            advice: .proveBackup)
    }
}
