internal import KeyfobAge
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
    }

    /// Makes a keyring with one slot, a recovery key and the group `default`.
    ///
    /// - Returns: The keyring, and the recovery key as the text of an age identity
    ///   (`AGE-SECRET-KEY-1…`), which exists nowhere else: `age -d` with it opens every backup.
    /// - Throws: `alreadyExists` also where only a part of a vault is left, `configuration`, `diskFull`, `inputOutput`, `unavailable`.
    public static func create(
        at location: KeyringLocation, slot: consuming NewSlot, clock: WallClock = .system
    ) throws(KeyringError) -> Created {
        let recovery = AgeIdentity.generate()
        let slot = try slot.forVault()
        let now = clock.now
        let keyring: Keyring
        do {
            let directory = VaultDirectory(path: location.vault)
            try directory.create()
            var vault = try UnlockedVault.create(slot: slot, now: now)
            _ = try vault.addSlot(.recipient(recovery.recipient), now: now)
            let device = Randomness.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let database = try VaultDatabase.create(in: directory, for: vault, device: device)
            keyring = try Keyring(
                location: location, database: database, vault: vault, isHeaderFromCopy: false, clock: clock)
        } catch {
            throw KeyringError(error)
        }
        return Created(keyring: keyring, recoveryKey: recovery.text())
    }

    /// A keyring that has just been made.
    public struct Created: ~Copyable {
        /// The keyring, unlocked.
        public let keyring: Keyring
        /// The recovery key, the text of an age identity without a line end.
        public let recoveryKey: SecretBytes
    }
}

extension Keyring.NewSlot {
    /// The same in the vault's terms.
    consuming func forVault() throws(KeyringError) -> NewSlot {
        switch consume self {
        case .passphrase(let text, let memory):
            let cost = Argon2id.Cost(operations: Argon2id.Cost.standard.operations, memory: memory)
            return .passphrase(NewPassphrase(text.normalizedPassphrase(), cost: cost))
        case .keyFile(let content): return .keyFile(content)
        case .recipient(let text):
            guard let recipient = AgeRecipient(parsing: text) else {
                throw KeyringError(
                    .usage, "that is no age recipient", hint: "one looks like age1… and has 62 characters")
            }
            return .recipient(recipient)
        }
    }
}
