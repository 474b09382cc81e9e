internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobSodium
internal import KeyfobVault
internal import Synchronization

/// An unlocked keyring: accounts and tokens, partitioned by access group.
///
/// It may be used from several threads; calls take turns. Other processes may use the same vault at
/// the same time.
///
/// ## Topics
/// ### Groups and slots
/// - ``groups()``
/// - ``slots()``
/// ### Accounts and tokens
/// - ``accounts(in:)``
/// - ``token(for:in:)``
/// - ``lookUp(_:)``
/// - ``select(_:in:)``
/// - ``store(_:secret:for:in:)``
/// ### Signing in
/// - ``acquireTokenSilently(for:options:in:network:)``
/// - ``beginSignIn(_:redirectURI:in:network:)``
/// - ``beginDeviceSignIn(_:in:network:)``
/// - ``signOut(_:clientID:reach:from:endsBrowserSession:network:)``
/// - ``providers(in:)``
/// - ``clients(of:in:)``
public final class Keyring: Sendable {
    /// Where its files are.
    public let location: KeyringLocation
    let database: any VaultStorage
    let usage: UsageDatabase
    let mark: HighWaterMark
    let clock: WallClock
    let state: Mutex<State>

    /// What calls take turns at.
    struct State: ~Copyable {
        var vault: UnlockedVault
        /// Tokens that were looked up, still sealed.
        var hits = TokenHits()
        /// What had been seen of the vault when it was opened, and what this process has written since.
        var marks: HighWaterMark.Marks
        /// The state of the database in which each group was last compared with its marks and its count.
        var checked: [(group: GroupID, version: StorageVersion)] = []
        /// What the owner should know, each told once.
        var warnings: [String] = []
    }

    init(
        location: KeyringLocation, database: any VaultStorage, vault: consuming UnlockedVault,
        isHeaderFromCopy: Bool, clock: WallClock
    ) throws(KeyringError) {
        self.location = location
        self.database = database
        self.clock = clock
        usage = UsageDatabase(directory: VaultDirectory(path: location.vault))
        let id = vault.header.vault
        mark = HighWaterMark(state: location.state, vault: id)
        var warnings: [String] = []
        if isHeaderFromCopy {
            warnings.append("the header in keyring.db is damaged; its copy is used (run 'keyfob doctor')")
        } else if vault.opensWholeVault {
            // A copy that lags behind would be of little use later; failing to mend it is no reason to stop.
            try? database.repairHeaderCopy(vault)
        }
        var marks = (try? mark.marks()) ?? HighWaterMark.Marks()
        var vault = vault
        // To the key of one group the header is not authentic: its sequence says nothing.
        if vault.opensWholeVault {
            let seen = marks.sequence(of: nil)
            // Another process may have changed the header, and the mark, since the header was read.
            if vault.sequence < seen { try? database.refresh(&vault) }
            if vault.sequence < seen {
                warnings.append(
                    "the vault has been taken back to an earlier state (header \(vault.sequence), seen \(seen)); "
                        + "if you restored it yourself, run 'keyfob doctor --accept-rollback'")
            } else if vault.sequence > seen {
                try? mark.raise([(nil, vault.sequence)])
                marks.raise([(nil, vault.sequence)])
            }
        }
        state = Mutex(State(vault: vault, marks: marks, warnings: warnings))
    }

    /// The vault's id: 32 hexadecimal digits.
    public var vaultID: String { state.withLock { $0.vault.header.vault.description } }

    /// Whether the key that unlocked it is the whole vault's.
    public var opensWholeVault: Bool { state.withLock { $0.vault.opensWholeVault } }

    /// Whether a newer Keyfob wrote the database, so that this one only reads.
    public var isReadOnly: Bool { database.isReadOnly }

    /// What the owner should know, told once.
    public func takeWarnings() -> [String] {
        state.withLock { state in
            defer { state.warnings = [] }
            return state.warnings
        }
    }

    /// Keeps the key that unlocked the keyring in the session's kernel keyring.
    ///
    /// - Parameter seconds: For how long, at least 1.
    /// - Throws: `unavailable` where the session has no keyring of its own.
    public func cacheForSession(seconds: UInt32) throws(KeyringError) {
        try withState { state in
            try requireEmbedded("the keyring of the desktop is what unlocks it")
            try SessionCache.store(state.vault.unlockingKey(), vault: state.vault.header.vault, seconds: seconds)
        }
    }

    /// Takes the state, runs `body`, and translates what it throws.
    ///
    /// When a record, a group or the header turns out to be newer than what this process has read,
    /// the header is read again and `body` runs once more; again while the header goes on changing.
    func withState<Result: ~Copyable>(
        _ body: (inout State) throws -> sending Result
    ) throws(KeyringError) -> sending Result {
        do {
            return try withVault(body)
        } catch {
            throw KeyringError(error)
        }
    }

    /// The same without translating.
    func withVault<Result: ~Copyable>(
        _ body: (inout State) throws -> sending Result
    ) throws -> sending Result {
        try state.withLock { state in
            for _ in 1..<Self.attempts {
                do {
                    return try body(&state)
                } catch  where Self.mayBeStale(error) {
                    let sequence = state.vault.sequence
                    try database.refresh(&state.vault)
                    state.hits.removeAll()
                    // Only a header that others keep changing is worth more than one attempt.
                    if state.vault.sequence == sequence { break }
                }
            }
            return try body(&state)
        }
    }

    /// How often a change is tried while other processes change the header.
    private static let attempts = 20

    static func mayBeStale(_ error: any Error) -> Bool {
        switch error {
        case StoreError.staleKeys, VaultError.noSuchGroup, VaultError.noSuchSlot: true
        case let error as KeyringError: error.code == .noSuchGroup
        default: false
        }
    }
}

extension Keyring.State {
    /// The groups to look through: those named, in their order, or all within reach, `default` first.
    ///
    /// - Throws: `groupNotGranted` or `noSuchGroup` for a name that is not within reach.
    func groups(_ names: [AccessGroup]?) throws(KeyringError) -> [UnlockedVault.Group] {
        guard let names else {
            return vault.groups.filter { $0.name == .default } + vault.groups.filter { $0.name != .default }
        }
        var groups: [UnlockedVault.Group] = []
        for name in names { groups.append(try group(name)) }
        return groups
    }

    /// The group called `name`.
    ///
    /// - Throws: `groupNotGranted` or `noSuchGroup`.
    func group(_ name: AccessGroup) throws(KeyringError) -> UnlockedVault.Group {
        do {
            return try vault.group(name)
        } catch .noSuchGroup {
            throw KeyringError(
                .noSuchGroup, "there is no group '\(name)'", hint: "'keyfob group list' shows those there are")
        } catch {
            throw KeyringError(.groupNotGranted, "the key does not open group '\(name)'")
        }
    }

    /// The group where new items go: the first of those named, else `default` or the first there is.
    func groupForNewItems(_ names: [AccessGroup]?) throws(KeyringError) -> UnlockedVault.Group {
        guard let first = try groups(names.map { Array($0.prefix(1)) }).first else {
            throw KeyringError(.noSuchGroup, "the vault has no group", hint: "make one with 'keyfob group create'")
        }
        return first
    }
}
