internal import KeyfobAge
internal import KeyfobDesktop
internal import KeyfobFiles
internal import KeyfobKernelKeyring
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobSodium
internal import KeyfobStore
internal import KeyfobVault
internal import Synchronization

/// A keyring that has been found on disk and not yet unlocked.
///
///     let location = try KeyringLocation.standard(environment: ProcessInfo.processInfo.environment)
///     let keyring = try LockedKeyring(at: location).unlock(with: .session)
///     let token = try keyring.tokens.stored(for: TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"]))
public struct LockedKeyring: ~Copyable {
    let location: KeyringLocation
    /// The database; nil where the records lie with the Secret Service.
    private let database: VaultDatabase?
    private let locked: LockedVault
    /// The header as it was read.
    let headerBytes: [UInt8]
    private let isHeaderFromCopy: Bool
    let clock: WallClock

    /// What unlocks a keyring.
    public enum Key: ~Copyable {
        /// A passphrase in UTF-8; it is normalised to Unicode's form NFC.
        case passphrase(SecretBytes)
        /// The bytes of a key file, 32 bytes to 64 KiB.
        case keyFile(SecretBytes)
        /// The text of an age identity file (`AGE-SECRET-KEY-PQ-1…` or `AGE-SECRET-KEY-1…`): the recovery key.
        case identity(SecretBytes)
        /// What an earlier unlock left in the session's or the user's kernel keyring.
        case session
        /// What the Secret Service, the keyring of the desktop, keeps.
        case secretService(SecretServiceOptions)

        /// The same once more.
        package borrowing func copy() -> Key {
            switch self {
            case .passphrase(let text): .passphrase(text.withBytes { SecretBytes(copying: $0) })
            case .keyFile(let bytes): .keyFile(bytes.withBytes { SecretBytes(copying: $0) })
            case .identity(let text): .identity(text.withBytes { SecretBytes(copying: $0) })
            case .session: .session
            case .secretService(let options): .secretService(options)
            }
        }
    }

    /// Finds the keyring at `location` and reads its header; it blocks its thread while another process has the database.
    ///
    /// - Throws: `noVault`, `configuration` for a folder or file that cannot be trusted, `damaged`,
    ///   `newerVersion`, `busy`, `inputOutput`.
    public init(at location: KeyringLocation, clock: WallClock = .system) throws(KeyringError) {
        let turn = Patience.Arrival().begin()
        defer { turn.end() }
        let found: FoundVault
        do {
            found = try FoundVault(in: VaultDirectory(path: location.vault)) { try VaultDatabaseReader($0) }
        } catch StoreError.noVault {
            throw KeyringError.noVault(at: location)
        } catch {
            throw KeyringError(error, opening: location)
        }
        let locked: LockedVault
        switch found {
        case .embedded(let reader, let header):
            locked = try Self.parse(header)
            database = VaultDatabase(reader)
            isHeaderFromCopy = header.isFromCopy
            headerBytes = header.bytes
        case .delegated(let place):
            locked = LockedVault(delegated: place.vault)
            database = nil
            isHeaderFromCopy = false
            headerBytes = []
        }
        self.location = location
        self.clock = clock
        self.locked = locked
    }

    private static func parse(_ header: StoredHeader) throws(KeyringError) -> LockedVault {
        do {
            return try header.locked()
        } catch {
            throw KeyringError(error)
        }
    }

    /// Where the records lie.
    public var storage: StoragePlace { database == nil ? .secretService : .embedded }

    /// The vault's id: 32 hexadecimal digits.
    public var vaultID: String { header.vault.description }

    /// The header; nothing in it is authentic.
    var header: VaultHeader { locked.header }

    /// Where earlier unlocks left the key, and until when.
    public func keptKeys() -> [KeyKept] {
        let cache = cache
        return KeyPlace.allCases.compactMap { place in
            cache.end(in: place.keyring).map { KeyKept(place: place, until: $0) }
        }
    }

    /// Makes sure that a key can be kept in `place`, before anybody is asked for one.
    ///
    /// - Throws: `unavailable` where there is no such keyring, or no folder that lives as long as the login;
    ///   `configuration` where others have a part in that folder, `notOffered` where nothing is kept for the vault.
    public func requireKeeping(in place: KeyPlace) throws(KeyringError) {
        guard storage == .embedded else { throw Keyring.keepsNothing() }
        do {
            try cache.require(place.keyring)
        } catch {
            throw KeyringError(keeping: error)
        }
    }

    private var cache: SessionCache { SessionCache(vault: header.vault, runtime: location.runtime) }

    /// The error where nothing has been kept that opens the vault.
    private static func locked(_ kinds: Set<KeySlot.Kind>, _ cache: SessionCache) -> KeyringError {
        guard kinds.contains(.passphrase) || kinds.contains(.secretService) else {
            return KeyringError(.locked, "the vault is locked", advice: .giveOtherKey(kinds.names))
        }
        return KeySearch(cache).error
    }

    /// Unlocks the keyring.
    ///
    /// A wrong passphrase costs as much time as a right one, half a second by default, and never
    /// anything else. It blocks its thread meanwhile.
    ///
    /// - Throws: `unknownVault`, `wrongKey`, `locked` when the session's keyring holds nothing, or the Secret Service is locked or
    ///   has no item for the vault, `unavailable`, `cancelled` when a person dismissed what the Secret Service asked,
    ///   `damaged`, `configuration` for an unsuitable key file.
    public consuming func unlock(with key: consuming Key) throws(KeyringError) -> Keyring {
        let turn = Patience.Arrival().begin()
        defer { turn.end() }
        var newer = try successor()
        if let newer = newer.take() { return try newer.unlock(with: key) }
        guard let database else { return try Self.unlockDelegated(location, with: key, clock) }
        let vault: UnlockedVault
        var warning: Warning?
        switch consume key {
        case .passphrase(let passphrase):
            // Derivations take much memory: on one machine they wait for one another.
            let directory = database.directory
            let normalized = passphrase.normalizedPassphrase()
            let turn: FileLock?
            do {
                turn = try FileLock(directory.lock)
            } catch StoreError.notWritable {
                // Whoever may only read the vault has no turn to take.
                turn = nil
            } catch {
                throw KeyringError(error)
            }
            vault = try locked.unlocked(with: .passphrase(normalized))
            _ = consume turn
        case .keyFile(let content):
            vault = try locked.unlocked(with: .keyFile(content))
        case .identity(let text):
            vault = try locked.unlocked(withIdentities: text)
        case .session:
            guard let cached = cache.read() else {
                throw Self.locked(Set(locked.header.slots.map(\.kind)), cache)
            }
            do {
                vault = try locked.unlock(with: cached)
            } catch .corrupted(.headerAuthentication), .noSuchSlot {
                // In this session it may have been kept before another one gave the vault new keys.
                throw KeyringError(
                    .locked, "the key that was kept does not open the vault any more: it has other keys now",
                    advice: .unlock)
            } catch {
                throw KeyringError(error)
            }
        case .secretService(let options):
            let unlocked = try header.unlocked(headerBytes, with: options)
            warning = unlocked.warning
            vault = unlocked.vault
        }
        try Self.requireProof(vault, location)
        let keyring = try Keyring(
            location: location, database: database, vault: vault, isHeaderFromCopy: isHeaderFromCopy, clock: clock)
        keyring.notePlace()
        if let warning { keyring.state.withLock { $0.warn(warning) } }
        return keyring
    }

    /// The same with a key that another process of the owner's has unlocked with.
    consuming func unlock(with handedOver: borrowing UnlockingKey) throws(KeyringError) -> Keyring {
        let turn = Patience.Arrival().begin()
        defer { turn.end() }
        var newer = try successor()
        if let newer = newer.take() { return try newer.unlock(with: handedOver) }
        guard let database else { throw Keyring.keepsNothing() }
        let vault: UnlockedVault
        do {
            vault = try locked.unlock(with: handedOver)
        } catch .corrupted(.headerAuthentication), .noSuchSlot, .wrongKey {
            throw KeyringError(.wrongKey, "that key does not open the vault")
        } catch {
            throw KeyringError(error)
        }
        try Self.requireProof(vault, location)
        let keyring = try Keyring(
            location: location, database: database, vault: vault, isHeaderFromCopy: isHeaderFromCopy, clock: clock)
        keyring.notePlace()
        return keyring
    }
}

extension LockedKeyring {
    /// Opens a keyring that the Secret Service keeps, which nothing else unlocks.
    private static func unlockDelegated(
        _ location: KeyringLocation, with key: consuming Key, _ clock: WallClock
    ) throws(KeyringError) -> Keyring {
        switch consume key {
        case .secretService(let options):
            return try Keyring.openDelegated(at: location, secretService: options, clock: clock)
        case .session:
            throw KeyringError(.locked, "nothing is kept for the session: the Secret Service unlocks this vault")
        case .passphrase: break
        case .keyFile: break
        case .identity: break
        }
        throw KeyringError(DesktopError.notOffered("nothing but the service unlocks it"))
    }
}

extension LockedVault {
    fileprivate consuming func unlocked(with key: borrowing SlotKey) throws(KeyringError) -> UnlockedVault {
        let kinds = Set(header.slots.map(\.kind))
        do {
            return try unlock(with: key)
        } catch .noSuchKindOfSlot {
            throw KeyringError(
                .wrongKey, "the vault has no slot for what was offered", advice: .giveOtherKey(kinds.names))
        } catch .wrongKey {
            throw KeyringError(.wrongKey, "\(key.words) does not open the vault", advice: key.advice(kinds))
        } catch {
            throw KeyringError(error)
        }
    }

    fileprivate consuming func unlocked(withIdentities text: borrowing SecretBytes) throws(KeyringError)
        -> UnlockedVault
    {
        try unlocked(with: .identities(AgeIdentityFile.usable(in: text)))
    }
}

extension SlotKey {
    fileprivate var words: String {
        switch self {
        case .passphrase: "that passphrase"
        case .keyFile: "that key file"
        case .secretService: "what the desktop's keyring holds"
        case .identities: "that identity"
        }
    }

    /// What to do where it does not open a vault whose slots are of these kinds.
    fileprivate func advice(_ kinds: Set<KeySlot.Kind>) -> Advice {
        switch self {
        case .passphrase where kinds.contains(.recipient): .replaceLostKey(KeySlot.Kind.passphrase.name)
        case .keyFile where kinds.contains(.recipient): .replaceLostKey(KeySlot.Kind.keyFile.name)
        default: .giveOtherKey(kinds.names)
        }
    }
}

extension Set<KeySlot.Kind> {
    fileprivate var names: [String] { map(\.name).sorted() }
}
