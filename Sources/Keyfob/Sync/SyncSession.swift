internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobSync
internal import KeyfobVault
internal import Synchronization

/// The last roster that was made: each takes a check of every signature.
final class RosterMemory {
    private var basis: ([SyncState.Root], [SyncStatement], SyncID)?
    private var last: SyncRoster?

    fileprivate func roster(
        _ roots: [SyncState.Root], _ statements: [SyncStatement], in sync: SyncID, own: SyncDeviceID
    ) -> SyncRoster {
        if let last, let basis, basis == (roots, statements, sync) { return last }
        let roster = SyncRoster(
            roots: roots.compactMap { root in root.device.map { ($0, root.scope) } }, statements: statements, in: sync,
            own: own)
        (basis, last) = ((roots, statements, sync), roster)
        return roster
    }
}

/// What a vault knows of its sync, and this device's keys, while one process works with them.
struct SyncSession: ~Copyable {
    var state: SyncState
    let identity: SyncIdentity
    let memory = RosterMemory()

    var own: SyncDeviceID { identity.device.id }

    /// Who takes part, as far as this vault trusts what was said.
    var roster: SyncRoster? { roster(with: []) }

    /// The same, if some more was said.
    func roster(with more: [SyncStatement]) -> SyncRoster? {
        guard let sync = state.sync else { return nil }
        return memory.roster(state.roots, state.statements + more, in: sync, own: own)
    }

    /// How far the state has come.
    var milestone: Milestone {
        let digest = state.encoded(with: identity).withBytes { BLAKE2b.hash($0, count: Milestone.digestCount) }
        return Milestone(group: nil, sequence: state.sequence, digest: digest)
    }

    /// What a device calls itself, and its words.
    func labelled(_ id: SyncDeviceID) -> String {
        let name = name(of: id)
        return name == id.words ? name : "\(name) (\(id.words))"
    }

    /// What a device calls itself, or its words.
    func name(of id: SyncDeviceID) -> String {
        let name = id == own ? state.name : state.name(of: id)
        return name.isEmpty ? id.words : name
    }
}

extension Keyring.Sync {
    /// Whether the vault is part of a sync.
    public var isSetUp: Bool { (try? POSIXFile.status(database.directory.sync)).flatMap(\.self) != nil }

    /// Works with what the vault knows of its sync, while no other process does, and keeps what has become of it, also where
    /// `body` fails.
    ///
    /// - Throws: `needsVaultKey`, `configuration` where the vault is part of none, or this is a copy of the vault.
    func withSession<Result>(_ body: (inout SyncSession) throws -> Result) throws(KeyringError) -> Result {
        do {
            let held = try FileLock(database.directory.syncLock)
            var session = try openSession()
            let before = session.state
            let outcome: Swift.Result<Result, any Error>
            do { outcome = .success(try body(&session)) } catch { outcome = .failure(error) }
            if session.state != before { try save(&session) }
            _ = consume held
            return try outcome.get()
        } catch {
            throw KeyringError(error)
        }
    }

    /// Begins to be part of a sync.
    ///
    /// - Parameter state: What to begin with.
    func begin(_ session: inout SyncSession) throws {
        let held = try FileLock(database.directory.syncLock)
        try requireNoSync()
        // What was taken in from devices of the sync that the vault was in before is not this vault's own.
        if let known = knownState() { session.state.keep(known) }
        session.state.natives = try decidingNumbers().subtracting(session.state.decided.keys)
        let marks = try? syncMark.marks(now: clock.now)
        session.state.sequence = marks?.sequence(of: nil) ?? 0
        try save(&session)
        try? POSIXFile.remove(database.directory.syncLeft)
        _ = try? syncMark.accept([session.milestone], isAll: true, now: clock.now)
        // Who began a change before, which is not numbered, has ended it by then.
        try? withVault { state in try database.write(sequence: state.vault.sequence) { _ in } }
        _ = consume held
    }

    /// Makes sure that the vault takes part in no sync.
    ///
    /// - Throws: `alreadyExists`.
    func requireNoSync() throws(KeyringError) {
        guard isSetUp, try isSyncInUse() else { return }
        throw KeyringError(.alreadyExists, "the vault is part of a sync already", advice: .leaveSync)
    }

    /// Whether the vault takes part in its sync; a copy, and one whose keys are gone, becomes a device of its own.
    private func isSyncInUse() throws(KeyringError) -> Bool {
        do {
            let present = try openSession()
            return !present.state.findings.contains { $0.kind == .cloned } && !present.isRevoked && !present.isShutOut
        } catch {
            if error.code == .configuration || error.code == .rolledBack { return false }
            throw error
        }
    }

    /// Keeps what the vault knows of its sync, and notes outside the vault that it did.
    func save(_ session: inout SyncSession) throws {
        session.state.sequence += 1
        try write(session, to: database.directory.sync)
        if var marks = try? syncMark.marks(now: clock.now) {
            _ = syncMark.note([session.milestone], in: &marks, now: clock.now)
        }
    }

    /// Seals what is known of a sync into a file.
    func write(_ session: borrowing SyncSession, to path: String) throws {
        let content = session.state.encoded(with: session.identity)
        let sealed = try withVault { state in try state.vault.seal(sync: content) }
        try POSIXFile.replace(path, with: sealed)
    }

    /// How far what is known of the sync was seen to have come, kept outside the vault.
    var syncMark: HighWaterMark {
        HighWaterMark(state: location.state, syncOf: keyring.state.withLock { $0.vault.header.vault })
    }

    /// What does not follow from what was seen of the file.
    func stateFindings() -> [StateFinding] {
        ((try? syncMark.marks(now: clock.now))?.findings ?? []).map { finding in
            StateFinding(
                finding.kind == .rollback ? .rolledBack : finding.kind == .fork ? .forked : .marksDamaged, group: nil,
                isSync: true, found: finding.found, seen: finding.seen, since: finding.time)
        }
    }

    /// Goes on from the file as it is, and has all be read once more that was told.
    ///
    /// - Parameter isVault: Whether it is the vault's own state that is accepted: then it may lack what it had told and taken in.
    func acceptState(isVault: Bool) throws(KeyringError) {
        if isVault { try readAgain() }
        guard !stateFindings().isEmpty else { return }
        let session = try readSession()
        let milestone = session?.milestone ?? Milestone(group: nil, sequence: 0, digest: nil)
        do { _ = try syncMark.accept([milestone], isAll: true, now: clock.now) } catch { throw KeyringError(error) }
        guard milestone.digest != nil else { return }
        try withSession { session in
            session.state.resumes = true
            if isVault { session.state.readAgain() }
            session.state.findings.removeAll { $0.kind == .cloned }
        }
    }

    /// Has all be read once more that was told, where the vault is part of a sync: it may lack what it had told and taken in.
    func readAgain() throws(KeyringError) {
        if isSetUp, (try? openSession()) != nil { try withSession { $0.state.readAgain() } }
    }

    /// What the vault knows of its sync.
    ///
    /// - Throws: `configuration`, `needsVaultKey`, `rolledBack` where an earlier state was put back.
    func openSession() throws(KeyringError) -> SyncSession {
        let path = database.directory.sync
        // Before the file: what others write meanwhile may be newer.
        var marks = try? syncMark.marks(now: clock.now)
        guard (try? POSIXFile.status(path)).flatMap(\.self) != nil else {
            throw KeyringError.noSync
        }
        guard let session = try readSession() else {
            throw KeyringError(
                .configuration, "\(path) does not open: it is damaged, or the vault has got new keys since",
                advice: .joinSyncAgain)
        }
        let number = try withState { _ in try database.device() }
        guard session.state.place == place, session.identity.device.number == number else {
            throw KeyringError(
                .configuration,
                "this vault was copied, moved or restored: what it is in its sync belongs to the vault it was before",
                advice: .joinSyncAgain)
        }
        if var known = marks {
            _ = syncMark.note([session.milestone], in: &known, now: clock.now)
            marks = known
        }
        guard marks?.findings.contains(where: { $0.subject == .header }) != true else {
            throw KeyringError(
                .rolledBack,
                "\(path) has been taken back to an earlier state: who was revoked since would read what is new",
                advice: .acceptRollback(first: false))
        }
        return session
    }

    /// What is known of the sync that the vault is part of, or of the one that it left; nil where neither opens.
    func knownState() -> SyncState? {
        guard let known = try? readSession() ?? readSession(at: database.directory.syncLeft) else { return nil }
        return known.state
    }

    /// What was removed so long ago that only the sync of this vault, or the one it left, has a note of it.
    func knownRemovals() -> SyncRemovals {
        knownState()?.removals ?? SyncRemovals()
    }

    /// What the vault knows of its sync, whatever was seen of it; nil where it does not open.
    ///
    /// - Parameter path: Where it is; nil for the sync that it is part of.
    func readSession(at path: String? = nil) throws(KeyringError) -> SyncSession? {
        let path = path ?? database.directory.sync
        let bytes: [UInt8]?
        do { bytes = try POSIXFile.read(path, limit: Self.syncLimit) } catch { throw KeyringError(error) }
        guard let bytes else { return nil }
        var opened: SyncSession?
        try withState { state in
            guard let content = try state.vault.open(sync: bytes),
                let (known, number) = try? SyncState.decoded(content),
                let identity = SyncState.identity(content, number: number)
            else { return }
            opened = SyncSession(state: known, identity: identity)
        }
        return opened.take()
    }

    private static let syncLimit = 64 << 20

    /// What stands for this machine and the place of the vault on it.
    var place: [UInt8] {
        let machine = ["/etc/machine-id", "/var/lib/dbus/machine-id"].lazy
            .compactMap { (try? POSIXFile.read($0, limit: 4_096)).flatMap(\.self) }.first
        var bytes = CanonicalBytes()
        bytes.append("keyfob sync place v1")
        bytes.append(machine ?? [])
        bytes.append(database.directory.path)
        return BLAKE2b.hash(bytes.bytes, count: 32)
    }
}

extension KeyringError {
    /// That a vault takes part in none.
    public static var noSync: KeyringError {
        KeyringError(.configuration, "the vault is not in a sync", advice: .beginSync)
    }
}

extension SyncSession {
    /// Whether this device has said that it leaves.
    var isLeaving: Bool {
        state.statements.contains { $0.isRevocation && $0.signer == own && $0.subject == own }
    }

    /// Whether this device took part and does no more: it was revoked, or who alone had let it in.
    var isRevoked: Bool {
        guard let roster else { return false }
        return roster.isOwnRevoked || state.own != nil && !roster.isActive(own)
    }

    /// Whether a device whose states this one has read before writes none for it any more, and may revoke it.
    var isShutOut: Bool {
        guard let roster, let scope = roster.members[own]?.scope else { return false }
        return state.findings.contains {
            $0.kind == .closed && state.peers[$0.device] != nil && roster.isActive($0.device)
                && roster.members[$0.device]?.scope.covers(scope) == true
        }
    }
}
