internal import Foundation
internal import KeyfobAge
internal import KeyfobKernelKeyring
internal import KeyfobSodium
internal import KeyfobStore
internal import KeyfobVault

/// A keyring that has been found on disk and not yet unlocked.
///
///     let location = try KeyringLocation.standard(environment: ProcessInfo.processInfo.environment)
///     let keyring = try LockedKeyring(at: location).unlock(with: .session)
///     let token = try keyring.token(for: TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"]))
public struct LockedKeyring: ~Copyable {
    private let location: KeyringLocation
    private let database: VaultDatabase
    private let locked: LockedVault
    private let isHeaderFromCopy: Bool
    private let clock: WallClock

    /// What unlocks a keyring.
    public enum Key: ~Copyable {
        /// A passphrase in UTF-8; it is normalised to Unicode's form NFC.
        case passphrase(SecretBytes)
        /// The bytes of a key file, 32 bytes to 64 KiB.
        case keyFile(SecretBytes)
        /// The text of an age identity file (`AGE-SECRET-KEY-1…`): the recovery key.
        case identity(SecretBytes)
        /// What an earlier unlock left in the session's kernel keyring.
        case session
    }

    /// Finds the keyring at `location` and reads its header.
    ///
    /// - Throws: `noVault`, `configuration` for a folder or file that cannot be trusted, `damaged`,
    ///   `newerVersion`, `busy`, `inputOutput`.
    public init(at location: KeyringLocation, clock: WallClock = .system) throws(KeyringError) {
        let (database, header) = try Self.read(location)
        let locked = try Self.parse(header)
        self.location = location
        self.clock = clock
        self.database = database
        self.isHeaderFromCopy = header.isFromCopy
        self.locked = locked
    }

    private static func read(
        _ location: KeyringLocation
    ) throws(KeyringError) -> (VaultDatabase, VaultDatabase.StoredHeader) {
        try KeyringError.translating {
            let database = try VaultDatabase.open(VaultDirectory(path: location.vault))
            return (database, try database.storedHeader())
        }
    }

    private static func parse(_ header: VaultDatabase.StoredHeader) throws(KeyringError) -> LockedVault {
        do {
            return try LockedVault(headerBytes: header.bytes)
        } catch {
            throw KeyringError(error)
        }
    }

    /// The vault's id: 32 hexadecimal digits.
    public var vaultID: String { locked.header.vault.description }

    /// Forgets what an earlier unlock left in the session's kernel keyring.
    ///
    /// - Returns: Whether there was anything.
    /// - Throws: `unavailable` where the kernel offers no keyrings.
    public func forgetSession() throws(KeyringError) -> Bool {
        try SessionCache.remove(vault: locked.header.vault)
    }

    /// Unlocks the keyring.
    ///
    /// A wrong passphrase costs as much time as a right one, half a second by default, and never
    /// anything else.
    ///
    /// - Throws: `wrongKey`, `locked` when the session's keyring holds nothing, `unavailable`,
    ///   `damaged`, `configuration` for an unsuitable key file.
    public consuming func unlock(with key: consuming Key) throws(KeyringError) -> Keyring {
        let vault: UnlockedVault
        switch consume key {
        case .passphrase(let passphrase):
            // Derivations take much memory: on one machine they wait for one another.
            let directory = database.directory
            let normalized = passphrase.normalizedPassphrase()
            let turn = try KeyringError.translating { try FileLock(directory.lock) }
            vault = try locked.unlocked(with: .passphrase(normalized))
            _ = consume turn
        case .keyFile(let content):
            vault = try locked.unlocked(with: .keyFile(content))
        case .identity(let text):
            vault = try locked.unlocked(withIdentities: text)
        case .session:
            let cached = try SessionCache.read(vault: locked.header.vault)
            guard let cached else {
                throw KeyringError(.locked, "the vault is locked", hint: "run 'keyfob unlock', or give a key file")
            }
            vault = try locked.unlocked(with: cached)
        }
        return try Keyring(
            location: location, database: database, vault: vault, isHeaderFromCopy: isHeaderFromCopy, clock: clock)
    }
}

extension LockedVault {
    fileprivate consuming func unlocked(with key: borrowing SlotKey) throws(KeyringError) -> UnlockedVault {
        do {
            return try unlock(with: key)
        } catch {
            throw KeyringError(error)
        }
    }

    fileprivate consuming func unlocked(withIdentities text: borrowing SecretBytes) throws(KeyringError)
        -> UnlockedVault
    {
        let identities: AgeIdentityFile
        do {
            identities = try text.withBytes { (bytes) throws(AgeError) in try AgeIdentityFile(parsing: bytes) }
        } catch {
            throw KeyringError(.damaged, "the identity file holds no age identity (AGE-SECRET-KEY-1…)")
        }
        return try unlocked(with: .identities(identities))
    }

    fileprivate consuming func unlocked(with cached: borrowing UnlockingKey) throws(KeyringError) -> UnlockedVault {
        do {
            if let slot = cached.slot {
                return try unlock(slot: slot, ownKey: cached.key)
            }
            return try unlock(vaultKey: cached.key)
        } catch {
            throw KeyringError(error)
        }
    }
}

extension SecretBytes {
    /// The passphrase in Unicode's form NFC, so that it does not matter how a keyboard composes it.
    ///
    /// What is not UTF-8 is taken as it is.
    borrowing func normalizedPassphrase() -> SecretBytes {
        withBytes { bytes in
            let isASCII = (0..<bytes.byteCount).allSatisfy { bytes.byte(at: $0) < 0x80 }
            guard !isASCII, let text = String(validating: [UInt8](bytes), as: UTF8.self) else {
                return SecretBytes(copying: bytes)
            }
            return Array(text.precomposedStringWithCanonicalMapping.utf8).withBytes { SecretBytes(copying: $0) }
        }
    }
}
