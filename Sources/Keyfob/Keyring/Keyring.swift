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
/// ## Waiting
/// A call waits up to five seconds for the calls before it and for other processes, all told, and is `busy` then; however
/// many wait, they wait together. One that is `async` waits on threads of Keyfob's own: neither the thread of the caller
/// nor those that all tasks share are held up meanwhile. One that is not `async` blocks its thread: call it where that may
/// be, and not in a task, unless that runs on an executor of its own.
///
/// What can be done with it is in its parts.
///
/// ## Topics
/// - ``accounts``
/// - ``tokens``
/// - ``signIns``
/// - ``groups``
/// - ``slots``
/// - ``bindings``
/// - ``providers``
/// - ``clients``
/// - ``bundles``
/// - ``caches``
/// - ``sync``
/// - ``programs``
/// - ``health``
/// - ``migration``
/// - ``undo``
/// - ``uses``
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
    let recentUses = Mutex(RecentUses())
    /// What this process was started for, where all that it changes is undone together.
    let running = Mutex<UndoableCommand?>(nil)

    /// What calls take turns at.
    typealias State = LookupState

    init(
        location: KeyringLocation, database: any VaultStorage, vault: consuming UnlockedVault,
        isHeaderFromCopy: Bool, clock: WallClock
    ) throws(KeyringError) {
        try Self.requireOwnState(location)
        self.location = location
        self.database = database
        self.clock = clock
        vaultID = vault.header.vault.description
        let mark = HighWaterMark(state: location.state, vault: vault.header.vault)
        let usage = UsageDatabase(directory: VaultDirectory(path: location.vault))
        self.usage = usage
        search = TokenSearch(
            storage: database,
            history: TokenSearch.PastEvents(events: { usage.events($0) }, count: { usage.count($0) }), mark: mark,
            projectFiles: Keyring.Bindings.projectFileAccess, providerHosts: Keyring.Providers.providerHosts,
            time: { clock.now })
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
    public let vaultID: String

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
            KeptNote.write(cache.vault, at: location)
        }
        // A session's end forgets it; what is kept for all that the user runs is there after it.
        if place == .user { undo.noteOutside(.keyKept, as: "unlock --user") }
    }

    static func keepsNothing() -> KeyringError {
        KeyringError(DesktopError.notOffered("the keyring of the desktop is what unlocks it"))
    }
}

/// The parts.
extension Keyring {
    /// Accounts: who is signed in, and who is chosen.
    public var accounts: Accounts { Accounts(keyring: self) }
    /// Tokens: from what is stored, or got without asking anybody.
    public var tokens: Tokens { Tokens(keyring: self) }
    /// Sign-ins: in a browser, or with a code on another device.
    public var signIns: SignIns { SignIns(keyring: self) }
    /// Access groups.
    public var groups: Groups { Groups(keyring: self) }
    /// Slots: the keys that open the vault.
    public var slots: Slots { Slots(keyring: self) }
    /// Bindings of folders, remotes and addresses, and allowed project files.
    public var bindings: Bindings { Bindings(keyring: self) }
    /// Identity providers.
    public var providers: Providers { Providers(keyring: self) }
    /// OAuth clients.
    public var clients: Clients { Clients(keyring: self) }
    /// Bundles and backups.
    public var bundles: Bundles { Bundles(keyring: self) }
    /// Token caches of other programs.
    public var caches: Caches { Caches(keyring: self) }
    /// Sync with other devices.
    public var sync: Sync { Sync(keyring: self) }
    /// What programs may ask for.
    public var programs: Programs { Programs(keyring: self) }
    /// Whether all is well, and repairs.
    public var health: Health { Health(keyring: self) }
    /// Moving between a database and the desktop's keyring.
    public var migration: Migration { Migration(keyring: self) }
    /// What sign-outs and removals took away, and how it comes back.
    public var undo: Undo { Undo(keyring: self) }
}

extension Keyring.State {
    /// The groups to look through: those named, in their order, or all within reach, `default` first.
    ///
    /// - Throws: `groupNotGranted` or `noSuchGroup` for a name that is not within reach.
    func groups(_ names: [AccessGroup]?) throws(KeyringError) -> [UnlockedVault.Group] {
        do {
            return try reachable(names)
        } catch {
            throw KeyringError(error, among: vault.groups.map(\.name))
        }
    }

    /// The group called `name`.
    ///
    /// - Parameter suggestsNear: Whether the error for a group that is not there names the one that was meant most likely.
    /// - Throws: `groupNotGranted` or `noSuchGroup`.
    func group(_ name: AccessGroup, suggestsNear: Bool = true) throws(KeyringError) -> UnlockedVault.Group {
        do {
            return try reachable(name)
        } catch {
            throw KeyringError(error, among: vault.groups.map(\.name), suggestsNear: suggestsNear)
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
