internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobSync
internal import KeyfobVault

/// What a vault knows of its sync, and this device's keys, while one process works with them.
struct SyncSession: ~Copyable {
    var state: SyncState
    let identity: SyncIdentity

    var own: SyncDeviceID { identity.device.id }

    /// Who takes part, as far as this vault trusts what was said.
    var roster: SyncRoster? {
        state.sync.map { sync in
            SyncRoster(
                roots: state.roots.compactMap { root in root.device.map { ($0, root.scope) } },
                statements: state.statements, in: sync, own: own)
        }
    }

    /// What a device calls itself, or its words.
    func name(of id: SyncDeviceID) -> String {
        let name = id == own ? state.name : state.peers[id]?.name ?? ""
        return name.isEmpty ? id.words : name
    }
}

extension Keyring {
    /// Whether the vault is part of a sync.
    public var isSynchronised: Bool { (try? POSIXFile.status(database.directory.sync)).flatMap(\.self) != nil }

    /// Works with what the vault knows of its sync, while no other process does, and keeps what has become of it, also where
    /// `body` fails.
    ///
    /// - Throws: `needsVaultKey`, `configuration` where the vault is part of none, or this is a copy of the vault.
    func withSync<Result>(_ body: (inout SyncSession) throws -> Result) throws(KeyringError) -> Result {
        do {
            let held = try FileLock(database.directory.syncLock)
            var session = try openSync()
            let before = session.state
            let outcome: Swift.Result<Result, any Error>
            do { outcome = .success(try body(&session)) } catch { outcome = .failure(error) }
            if session.state != before { try save(session) }
            _ = consume held
            return try outcome.get()
        } catch {
            throw KeyringError(error)
        }
    }

    /// Begins to be part of a sync.
    ///
    /// - Parameter state: What to begin with.
    func beginSync(_ session: borrowing SyncSession) throws {
        let held = try FileLock(database.directory.syncLock)
        if try POSIXFile.status(database.directory.sync) != nil, try isSyncInUse() {
            throw KeyringError(.alreadyExists, "the vault is part of a sync already", advice: .showSync)
        }
        try save(session)
        _ = consume held
    }

    /// Whether the vault takes part in its sync; a copy, and one whose keys are gone, becomes a device of its own.
    private func isSyncInUse() throws(KeyringError) -> Bool {
        do {
            let present = try openSync()
            return !present.state.findings.contains { $0.kind == .cloned } && !present.isRevoked
        } catch {
            if error.code == .configuration { return false }
            throw error
        }
    }

    func save(_ session: borrowing SyncSession) throws {
        let content = session.state.encoded(with: session.identity)
        let sealed = try withVault { state in try state.vault.seal(sync: content) }
        try POSIXFile.replace(database.directory.sync, with: sealed)
    }

    /// What the vault knows of its sync.
    func openSync() throws(KeyringError) -> SyncSession {
        let path = database.directory.sync
        let bytes: [UInt8]?
        do { bytes = try POSIXFile.read(path, limit: Self.syncLimit) } catch { throw KeyringError(error) }
        guard let bytes else {
            throw KeyringError(.configuration, "the vault is part of no sync", advice: .beginSync)
        }
        var opened: SyncSession?
        try withState { state in
            guard let content = try state.vault.open(sync: bytes),
                let (known, number) = try? SyncState.decoded(content),
                let identity = SyncState.identity(content, number: number)
            else { return }
            opened = SyncSession(state: known, identity: identity)
        }
        guard let session = opened.take() else {
            throw KeyringError(
                .configuration, "\(path) does not open: it is damaged, or the vault has got new keys since",
                advice: .joinSyncAgain)
        }
        let number = try withState { _ in try database.device() }
        guard session.state.place == syncPlace, session.identity.device.number == number else {
            throw KeyringError(
                .configuration,
                "this vault was copied, moved or restored: what it is in its sync belongs to the vault it was before",
                advice: .joinSyncAgain)
        }
        return session
    }

    private static let syncLimit = 64 << 20

    /// What stands for this machine and the place of the vault on it.
    var syncPlace: [UInt8] {
        let machine = ["/etc/machine-id", "/var/lib/dbus/machine-id"].lazy
            .compactMap { (try? POSIXFile.read($0, limit: 4_096)).flatMap(\.self) }.first
        var bytes = CanonicalBytes()
        bytes.append("keyfob sync place v1")
        bytes.append(machine ?? [])
        bytes.append(database.directory.path)
        return BLAKE2b.hash(bytes.bytes, count: 32)
    }
}

extension SyncSession {
    /// Whether a member that shares all groups of this device has said that it takes part no more.
    var isRevoked: Bool {
        guard let sync = state.sync, let roster else { return false }
        return state.statements.contains { statement in
            guard case .revocation(own, _) = statement.content, let signer = roster.members[statement.signer],
                signer.revocation == nil, signer.scope.covers(roster.members[own]?.scope ?? .none)
            else { return false }
            return statement.signed.isSigned(by: signer.device, as: .statement, in: sync)
        }
    }
}
