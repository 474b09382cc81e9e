internal import KeyfobAge
internal import KeyfobFiles
internal import KeyfobSodium
internal import KeyfobStore
internal import KeyfobVault

extension Keyring {
    /// For whom a slot is made.
    public enum NewSlot: ~Copyable {
        /// Whoever knows the passphrase (UTF-8). The cost is three passes over `memory` bytes, 256 MiB
        /// by default, 64 MiB to 1 GiB.
        case passphrase(SecretBytes, memory: UInt64 = 256 << 20)
        /// Whoever has a file with these bytes, 32 bytes to 64 KiB.
        case keyFile(SecretBytes)
        /// Whoever has the identity of this age recipient, `age1…`.
        case recipient(String)
        /// Whoever the Secret Service, the keyring of the desktop, gives 32 random bytes: they are made for the slot and
        /// stored there. For the whole vault only.
        case secretService(SecretServiceOptions)
    }

    /// Makes a keyring with one slot, a recovery key and the group `default`.
    ///
    /// - Parameter secretService: Where the Secret Service is to open it too, with a slot of its own: how to reach it.
    /// - Returns: The keyring, and the recovery key as the text of an age identity
    ///   (`AGE-SECRET-KEY-1…`), which exists nowhere else: `age -d` with it opens every backup.
    /// - Throws: `alreadyExists` also where only a part of a vault is left, `configuration`, `diskFull`, `inputOutput`,
    ///   `unavailable`; `locked` and `cancelled` where the Secret Service is to open it. There is no vault then.
    public static func create(
        at location: KeyringLocation, slot: consuming NewSlot, secretService: SecretServiceOptions? = nil,
        clock: WallClock = .system
    ) throws(KeyringError) -> Created {
        try create(at: location, known: location.vault, slot: slot, secretService: secretService, clock: clock)
    }

    /// The same for a vault that is built aside: `folder` is where it will be.
    static func create(
        at location: KeyringLocation, known folder: String, slot: consuming NewSlot,
        secretService: SecretServiceOptions?, clock: WallClock
    ) throws(KeyringError) -> Created {
        let recovery = AgeIdentity.generate()
        let recoveryKey = recovery.text()
        let first = try slot.forVault()
        let now = clock.now
        do {
            let directory = VaultDirectory(path: location.vault)
            try directory.create()
            var vault = try UnlockedVault.create(slot: first.slot, now: now)
            let (id, firstID) = (vault.header.vault, vault.header.slots[0].id)
            let database: VaultDatabase
            if let secretService {
                let second = SlotToMake(keptBy: secretService)
                let secondID = try vault.addSlot(second.slot, now: now)
                _ = try vault.addSlot(.recoveryKey(recovery), now: now)
                database = try first.keeping(as: firstID, of: id, folder: folder, in: directory.path) {
                    try second.keeping(as: secondID, of: id, folder: folder, in: directory.path) {
                        try write(vault, in: directory)
                    }
                }
            } else {
                _ = try vault.addSlot(.recoveryKey(recovery), now: now)
                database = try first.keeping(as: firstID, of: id, folder: folder, in: directory.path) {
                    try write(vault, in: directory)
                }
            }
            let keyring = try Keyring(
                location: location, database: database, vault: vault, isHeaderFromCopy: false, clock: clock)
            if folder == location.vault { keyring.notePlace() }
            return Created(keyring: keyring, recoveryKey: recoveryKey)
        } catch {
            throw KeyringError(error)
        }
    }

    private static func write(
        _ vault: borrowing UnlockedVault, in directory: VaultDirectory
    ) throws -> VaultDatabase {
        let device = Randomness.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return try VaultDatabase.create(in: directory, for: vault, device: device)
    }

    /// A keyring that has just been made.
    public struct Created: ~Copyable {
        /// The keyring, unlocked.
        public let keyring: Keyring
        /// The recovery key, the text of an age identity without a line end.
        public let recoveryKey: SecretBytes
    }
}
