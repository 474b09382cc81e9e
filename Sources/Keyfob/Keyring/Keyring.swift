internal import KeyfobDesktop
internal import KeyfobFiles
internal import KeyfobLookup
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
    /// Finds accounts and tokens in it.
    let search: TokenSearch
    let usage: UsageDatabase
    var mark: HighWaterMark { search.mark }
    let clock: WallClock
    let state: Mutex<State>
    let decisions = Mutex(ProgramDecisions())

    /// What calls take turns at.
    typealias State = LookupState

    init(
        location: KeyringLocation, database: any VaultStorage, vault: consuming UnlockedVault,
        isHeaderFromCopy: Bool, clock: WallClock
    ) throws(KeyringError) {
        self.location = location
        self.database = database
        self.clock = clock
        let mark = HighWaterMark(state: location.state, vault: vault.header.vault)
        let usage = UsageDatabase(directory: VaultDirectory(path: location.vault))
        self.usage = usage
        search = TokenSearch(
            storage: database,
            history: TokenSearch.PastEvents(events: { usage.events($0) }, count: { usage.count($0) }), mark: mark,
            projectFiles: Self.projectFileAccess, providerHosts: Self.providerHosts, time: { clock.now })
        var warnings: [Warning] = []
        if isHeaderFromCopy {
            warnings.append(
                Warning(
                    .damagedHeader, "the header in keyring.db is damaged; its copy is used", advice: .diagnose(.none)))
        } else if vault.opensWholeVault {
            // A copy that lags behind would be of little use later; failing to mend it is no reason to stop.
            try? database.repairHeaderCopy(vault)
        }
        state = Mutex(State(opening: vault, in: database, mark, warnings: warnings, now: clock.now))
    }

    /// The vault's id: 32 hexadecimal digits.
    public var vaultID: String { state.withLock { $0.vault.header.vault.description } }

    /// Whether the key that unlocked it is the whole vault's.
    public var opensWholeVault: Bool { state.withLock { $0.vault.opensWholeVault } }

    /// Whether a newer Keyfob wrote the database, so that this one only reads.
    public var isReadOnly: Bool { database.isReadOnly }

    /// What the owner should know, told once.
    public func takeWarnings() -> [Warning] {
        state.withLock { state in
            defer { state.warnings = [] }
            return state.warnings
        }
    }

    /// Keeps the key that unlocked the keyring in a kernel keyring.
    ///
    /// - Parameters:
    ///   - place: Whose keyring; the user's is open to all that the user runs.
    ///   - seconds: For how long, at least 1.
    /// - Throws: As ``LockedKeyring/requireKeeping(in:)``.
    public func keepKey(in place: KeyPlace = .session, seconds: UInt32) throws(KeyringError) {
        guard storage == .embedded else { throw Self.keepsNothing() }
        try withState { state in
            let cache = SessionCache(vault: state.vault.header.vault, runtime: location.runtime)
            do {
                try cache.store(state.vault.unlockingKey(), in: place.keyring, seconds: seconds, now: clock.now)
            } catch {
                throw KeyringError(keeping: error)
            }
        }
    }

    static func keepsNothing() -> KeyringError {
        KeyringError(DesktopError.notOffered("the keyring of the desktop is what unlocks it"))
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
            throw KeyringError(error, hasChanged: database.hasChanged)
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
        case LookupRefusal.noSuchGroup: true
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
        do {
            return try reachable(names)
        } catch {
            throw KeyringError(error)
        }
    }

    /// The group called `name`.
    ///
    /// - Throws: `groupNotGranted` or `noSuchGroup`.
    func group(_ name: AccessGroup) throws(KeyringError) -> UnlockedVault.Group {
        do {
            return try reachable(name)
        } catch {
            throw KeyringError(error)
        }
    }

    /// The group where new items go: the first of those named, else `default` or the first there is.
    func groupForNewItems(_ names: [AccessGroup]?) throws(KeyringError) -> UnlockedVault.Group {
        guard let first = try groups(names.map { Array($0.prefix(1)) }).first else {
            throw KeyringError(.noSuchGroup, "the vault has no group", advice: .createGroup)
        }
        return first
    }
}

extension Keyring {
    /// The group where new items go: the first of those named, else `default` or the first there is.
    ///
    /// - Throws: `noSuchGroup`, `groupNotGranted`.
    package func groupForNewItems(_ names: [AccessGroup]? = nil) throws(KeyringError) -> AccessGroup {
        try withState { try $0.groupForNewItems(names).name }
    }

    /// Changes one group in one transaction, and notes how far it has come.
    func change<Result>(
        _ state: inout State, _ group: UnlockedVault.Group, _ body: (GroupWriter) throws -> Result
    ) throws -> Result {
        try change(&state, [group]) { try body($0[0]) }
    }

    /// Changes several groups in one transaction, and notes how far they have come; `body` gets a writer for each.
    ///
    /// - Parameter isNotedLater: Whether the caller notes it with ``noteState(_:of:)``, beside what takes long.
    func change<Result>(
        _ state: inout State, _ groups: [UnlockedVault.Group], isNotedLater: Bool = false,
        _ body: ([GroupWriter]) throws -> Result
    ) throws -> Result {
        // What the change is made on is told from what it makes.
        for group in groups { try? search.checkState(&state, group, at: try database.version()) }
        let (result, milestones) = try database.change(
            groups.map(\.keys), sequence: state.vault.sequence, milliseconds: clock.milliseconds(), body)
        state.hits.removeAll()
        // Only a database tells later how far it has come.
        if !isNotedLater || database.place != .embedded { note(&state, milestones) }
        return result
    }

    /// Takes note outside the vault of how far these groups have come.
    func noteState(_ state: inout State, of groups: [UnlockedVault.Group]) {
        for group in groups { try? search.checkState(&state, group) }
    }

    /// Takes note outside the vault of how far it has come; what cannot be noted is a warning, because the change is made.
    func note(_ state: inout State, _ milestones: [Milestone]) { search.note(&state, milestones) }
}
