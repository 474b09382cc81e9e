internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
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
        /// The folder in which what was there of a vault is now; nil where there was nothing.
        public let aside: String?
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

    /// Makes a vault with new keys from a backup, where none is.
    ///
    /// The vault is built aside and appears as a whole, or not at all.
    ///
    /// - Parameters:
    ///   - takesStrangers: Whether a backup is taken as well that nothing shows to be an owner's: without what decides.
    ///   - remains: What is there of a vault, which goes into a folder of its own beside the new one, its journal and the
    ///     copy of its header too. Backups stay, and nothing is deleted.
    ///   - former: The vault that is put aside, where whoever restores has unlocked it: the new one says that its keys follow
    ///     those, so that a program that has them does not take it for a stranger's. With a key of one group alone, nothing
    ///     is said.
    ///   - secretService: Where the Secret Service is to open it too: how to reach it.
    ///   - handOver: As ``create(at:slot:secretService:clock:handingOver:)`` has it.
    /// - Returns: The keyring, and its own recovery key; the one of the vault that was backed up does not open it.
    /// - Throws: `alreadyExists` where there is a vault, or what is left of one, that is not put aside; `wrongKey`, `damaged`,
    ///   `limitExceeded`, `newerVersion`, `usage` for a file that is no backup, `unknownVault` where nothing shows who
    ///   made it, and as
    ///   ``create(at:slot:secretService:clock:handingOver:)``.
    public static func restore(
        _ file: borrowing BundleFile, with opener: borrowing BundleOpener, takingStrangers takesStrangers: Bool = false,
        at location: KeyringLocation, puttingAside remains: VaultRemains = .none,
        succeeding former: Keyring? = nil, slot: consuming NewSlot,
        secretService: SecretServiceOptions? = nil,
        clock: WallClock = .system,
        handingOver handOver: (borrowing NewVault) throws(KeyringError) -> Void = { (_) throws(KeyringError) in }
    ) throws(KeyringError) -> Restored {
        let verified = try file.verify(opener, for: [.backup])
        let incoming = IncomingBundle(verified.bundle.manifest, isOwners: verified.bundle.isOwners(by: opener, nil))
        try Keyring.Bundles.requireOwners(incoming.isOwners, unless: takesStrangers, file.name)
        let made = try make(
            at: location, slot: slot, secretService: secretService, clock: clock, puttingAside: remains,
            succeeding: toBeSucceeded(former),
            filling: { (keyring) throws(KeyringError) in
                var plan = try keyring.bundles.take(
                    incoming, .replace, nil, isRestoring: incoming.isOwners, backsUp: false,
                    reading: { try file.read(verified, $0) })
                for group in plan.keptGroups { _ = try keyring.groups.remove(group) }
                plan.keptGroups = []
                return plan
            }, handingOver: handOver)
        guard let plan = made.plan else { preconditionFailure("what was filled has a plan") }
        let recoveryKey = made.recoveryKey.withBytes { SecretBytes(copying: $0) }
        return Restored(keyring: made.keyring, recoveryKey: recoveryKey, plan: plan, aside: made.aside)
    }

    /// A vault as one that another follows; nil where that is not the owner's to say.
    private static func toBeSucceeded(_ former: Keyring?) -> UnlockedVault? {
        var vault: UnlockedVault?
        former?.state.withLock { state in
            if state.vault.opensWholeVault, state.vault.isProven { vault = state.vault.copy() }
        }
        return vault
    }
}

extension Keyring.Bundles {
    /// Brings the groups of a backup back to what they held, after another backup of what they hold now.
    ///
    /// Keys and slots stay; groups that the backup does not have stay as they are. In a sync this is what the person decides
    /// now: it goes to the other machines and wins over what they knew before.
    ///
    /// - Parameters:
    ///   - takesStrangers: Whether a backup is taken as well that nothing shows to be the owner's: without what decides, as
    ///     an import.
    ///   - isDryRun: Whether nothing is to be changed.
    /// - Throws: `needsVaultKey`, `unknownVault` where nothing shows who made the backup, and as
    ///   ``import(_:with:mode:groups:taking:)``.
    public func restore(
        _ file: borrowing BundleFile, with opener: borrowing BundleOpener, takingStrangers takesStrangers: Bool = false,
        isDryRun: Bool = false
    ) throws(KeyringError) -> ImportPlan {
        guard keyring.opensWholeVault else { throw KeyringError(VaultError.needsVaultKey) }
        let verified = try file.verify(opener, for: [.backup])
        let incoming = IncomingBundle(
            verified.bundle.manifest, isOwners: verified.bundle.isOwners(by: opener, keyring))
        try Self.requireOwners(incoming.isOwners, unless: takesStrangers, file.name)
        return try take(
            incoming, .replace, nil, isDryRun: isDryRun, isRestoring: incoming.isOwners, from: file.name,
            reading: { try file.read(verified, $0) })
    }

    /// The sign-ins whose refresh token came back from a backup and has not been replaced since.
    ///
    /// Where the provider rotates its tokens, using such a one may end the sign-in: the provider may have seen a
    /// newer one.
    ///
    /// - Throws: as ``Keyring/Accounts/list(in:)``.
    public func restoredGrants(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [Keyring.RestoredGrant] {
        try withState { state in
            var grants: [Keyring.RestoredGrant] = []
            for group in try state.groups(groups) {
                try database.forEachRestoredGrant(in: group.keys) { credential in
                    grants.append(
                        Keyring.RestoredGrant(
                            group: group.name, account: credential.account, clientID: credential.clientID))
                }
            }
            return grants
        }
    }

    /// How many ``restoredGrants(in:)`` there are in all groups within reach, without a list of them.
    public func restoredGrantCount() throws(KeyringError) -> Int {
        try withState { state in
            var count = 0
            for group in try state.groups(nil) {
                try database.forEachRestoredGrant(in: group.keys) { _ in count += 1 }
            }
            return count
        }
    }
}

extension Keyring.Bundles {
    /// Makes sure that somebody shows to have made a backup, unless that does not matter.
    ///
    /// - Throws: `unknownVault`.
    static func requireOwners(_ isOwners: Bool, unless takesStrangers: Bool, _ name: String) throws(KeyringError) {
        guard !isOwners, !takesStrangers else { return }
        throw KeyringError(
            .unknownVault, "\(name): nothing shows who made it: anybody can write a backup for a public key",
            advice: .proveBackup)
    }
}
