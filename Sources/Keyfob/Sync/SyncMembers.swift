internal import KeyfobFiles
public import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

extension Keyring.Sync {
    /// Begins a sync, of which this vault is the first device.
    ///
    /// - Parameters:
    ///   - remote: What people call the place of the files; kept to be given back.
    ///   - name: What the device calls itself to the others.
    /// - Throws: `alreadyExists`, `needsVaultKey`, and what writing can throw.
    public func begin(at remote: String, named name: String) throws(KeyringError) {
        if name != SyncRemote.hostName { try NewName.device.require(name) }
        do {
            let identity = SyncIdentity.generate(number: try withVault { _ in try database.device() })
            var state = SyncState(remote: remote, name: name, place: place)
            state.sync = SyncID.random()
            state.roots = [.init(id: identity.device.id, scope: .whole, device: identity.device)]
            var session = SyncSession(state: state, identity: identity)
            try begin(&session)
        } catch {
            throw KeyringError(error)
        }
    }

    /// Asks to be let into a sync, and says which device is trusted there.
    ///
    /// Doing so again gives the words or the name later, or others, and keeps the device's keys.
    ///
    /// - Parameters:
    ///   - name: What the others call this machine; nil for the name that it has, or else its host name.
    ///   - words: The six words of a device of the sync, which a person has from that device itself; nil to give them later.
    ///   - groups: For which groups that device is trusted; nil for all.
    ///   - folder: Where the files lie on this machine.
    /// - Throws: `usage` for words that are none, `alreadyExists`, `needsVaultKey`, and what writing can throw.
    public func join(
        at remote: String, named name: String? = nil, trusting words: String?, groups: [AccessGroup]? = nil,
        through folder: String
    ) throws(KeyringError) {
        var root: SyncState.Root?
        guard groups?.count ?? 0 <= SyncStatement.entryLimit else { throw Self.tooManyGroups() }
        if let name { try NewName.device.require(name) }
        if let words {
            let id = try Self.syncDevice(words)
            root = .init(id: id, scope: groups == nil ? .whole : .none, groups: groups ?? [])
        }
        do {
            let files = try SyncFolder(folder)
            if let root {
                var own: SyncDeviceID?
                if let known = try? openSession() { own = known.own }
                let others = files.devices().filter { $0 != own }
                guard others.isEmpty || others.contains(root.id) else {
                    throw KeyringError(.usage, "no device at \(remote) has these words; check them")
                }
            }
            if isSetUp,
                let done = try? withSession({ session in
                    guard session.state.remote == remote, session.state.own == nil, !session.isRevoked else {
                        return false
                    }
                    if let root {
                        guard root.id != session.own else { throw Self.ownWords() }
                        session.state.roots = [root]
                        session.state.sync = nil
                    }
                    if let name { session.state.name = name }
                    try Self.writeRequest(session, files)
                    return true
                }), done
            {
                return
            }
            let identity = SyncIdentity.generate(number: try withVault { _ in try database.device() })
            var state = SyncState(remote: remote, name: name ?? SyncRemote.hostName, place: place)
            state.roots = root.map { [$0] } ?? []
            var session = SyncSession(state: state, identity: identity)
            try begin(&session)
            try Self.writeRequest(session, files)
        } catch {
            throw KeyringError(error)
        }
    }

    // The device's list, and 4 what it calls itself.
    static func writeRequest(_ session: borrowing SyncSession, _ folder: SyncFolder) throws {
        var body = session.identity.device.list
        body.append(4, session.state.name)
        let signed = session.identity.sign(body.encoded(), as: .request, in: nil)
        try folder.write(request: signed.list.encoded(), of: session.own)
    }

    private static func tooManyGroups() -> KeyringError {
        KeyringError(.limitExceeded, "at most \(SyncStatement.entryLimit) groups are named one by one")
    }

    private static func ownWords() -> KeyringError {
        KeyringError(.usage, "these are the words of this very device; give those that the other one shows")
    }

    private static func syncDevice(_ words: String) throws(KeyringError) -> SyncDeviceID {
        guard let id = SyncDeviceID(words: words) else {
            throw KeyringError(.usage, "'\(Identifier.isAcceptable(words) ? words : "")' is not six words of a device")
        }
        return id
    }

    /// Lets a device in: a person has compared the words that it shows.
    ///
    /// - Parameters:
    ///   - words: Its six words.
    ///   - groups: The groups that it shares and decides for; nil for all that this device shares.
    /// - Throws: `usage` where nobody with these words asks, `noSuchGroup`, `limitExceeded`, `needsVaultKey`.
    public func approve(
        _ words: String, groups: [AccessGroup]? = nil, through folder: String
    ) throws(KeyringError) -> SyncChange {
        let id = try Self.syncDevice(words)
        if let groups {
            try withState { state in for group in groups { _ = try state.group(group) } }
        }
        return try withSession { session in
            let files = try SyncFolder(folder)
            guard let sync = session.state.sync, let roster = session.roster, let mine = roster.members[session.own],
                roster.isActive(session.own)
            else {
                throw KeyringError(.configuration, "this device was not let into the sync yet", advice: .synchronise)
            }
            guard id != session.own else { throw Self.ownWords() }
            let known = roster.members[id]
            guard known?.revocation == nil else {
                throw KeyringError(.usage, "\(words) was revoked; it has to ask anew", advice: .joinSyncAgain)
            }
            let request = Self.request(of: id, files)
            guard let device = known?.device ?? Self.told(of: id, session) ?? request?.device else {
                throw KeyringError(
                    .usage, "no device with the words \(id.words) asks to be let in, as far as is seen here",
                    advice: .askForSync)
            }
            // By the number its decisions are told from others': two devices never share one.
            // One that is further from here than it would be does not keep it out.
            let isTaken = { (other: SyncRoster.Member) in
                other.device.number == device.number && other.device.id != id && other.depth <= mine.depth + 1
            }
            if let other = roster.active.first(where: isTaken) {
                throw KeyringError(
                    .usage,
                    "\(id.words) is the vault of \(session.name(of: other.device.id)), or a copy of it: revoke that one first",
                    advice: .showSync)
            }
            let scope: SyncScope =
                groups.map { .groups(Set($0.map { session.state.tag(of: $0, in: sync) })) } ?? .whole
            try approve(device, scope, &session, sync)
            if let name = request?.name, !name.isEmpty { session.state.askedNames[id] = name }
            return SyncChange(words: id.words, title: session.name(of: id), signIns: [], removedDecisions: [])
        }
    }

    /// Says that a device may take part, in addition to what this one has said of it before.
    private func approve(_ device: SyncDevice, _ scope: SyncScope, _ session: inout SyncSession, _ sync: SyncID) throws
    {
        var scope = scope
        for statement in session.state.statements where statement.signer == session.own {
            if case .approval(device, let before) = statement.content { scope = scope.union(before) }
        }
        guard scope.count <= SyncStatement.entryLimit else { throw Self.tooManyGroups() }
        let statement = SyncStatement(.approval(device, scope), by: session.identity, in: sync, at: clock.now)
        guard let roster = session.roster(with: [statement]), roster.isActive(device.id) else {
            let isFull = session.roster.map { $0.active.count >= SyncRoster.deviceLimit } ?? false
            throw KeyringError(
                .limitExceeded,
                isFull
                    ? "a sync has at most \(SyncRoster.deviceLimit) devices"
                    : "this device does not share those groups, or has let in as many as one may that shares some alone: \(SyncRoster.partialLimit)"
            )
        }
        session.state.statements = roster.kept(of: session.state.statements + [statement])
    }

    /// A device that somebody has told of, by its id: whoever gives its words has compared them.
    private static func told(of id: SyncDeviceID, _ session: borrowing SyncSession) -> SyncDevice? {
        for statement in session.state.statements where statement.subject == id {
            if case .approval(let device, _) = statement.content { return device }
        }
        return nil
    }

    /// The device that asks, and what it calls itself; nil where none does, or what is there is not signed by it.
    static func request(of id: SyncDeviceID, _ folder: SyncFolder) -> (device: SyncDevice, name: String)? {
        guard let bytes = folder.request(of: id), let list = try? FieldList(encoded: bytes[...]),
            let signed = try? SignedBytes(list), let body = try? FieldList(encoded: signed.body[...]),
            let device = try? SyncDevice(body), device.id == id, signed.isSigned(by: device, as: .request, in: nil)
        else { return nil }
        return (device, body.bytes(4).map { shown(String(decoding: $0, as: UTF8.self)) } ?? "")
    }

    /// Keeps a device out from now on, and takes away what it has decided.
    ///
    /// What it has read it has read: its sign-ins are to be ended at their providers.
    ///
    /// Whom it alone had let in is out with it.
    ///
    /// - Parameters:
    ///   - name: What it calls itself, its words, or the first of them.
    ///   - names: Devices that stay, although it alone had let them in.
    /// - Throws: `usage` for a name that no device has, `ambiguous`, `needsVaultKey`, and what writing can throw.
    public func revoke(_ name: String, keeping names: [String] = []) throws(KeyringError) -> SyncChange {
        try withSession { session in
            guard let sync = session.state.sync, let roster = session.roster else {
                throw KeyringError(.configuration, "this device was not let into the sync yet", advice: .synchronise)
            }
            let id = try Self.device(name, session, roster)
            guard let member = roster.members[id], let mine = roster.members[session.own] else {
                throw KeyringError(.usage, "no device of the sync is called '\(name)'")
            }
            let title = session.name(of: id)
            guard id != session.own else {
                throw KeyringError(
                    .usage, "a device is revoked on another one: to take this one out, leave the sync",
                    advice: .leaveSync)
            }
            // One that left is kept out by others too, where somebody goes on with its keys.
            guard member.revocation == nil || member.hasLeft else {
                throw KeyringError(.usage, "\(title) was revoked already")
            }
            guard mine.scope.covers(member.scope) else {
                throw KeyringError(
                    .groupNotGranted, "\(title) shares groups that this device does not: one that does can revoke it")
            }
            var kept: [SyncRoster.Member] = []
            for name in names {
                let other = try Self.device(name, session, roster)
                guard other != id, let found = roster.members[other], roster.isActive(other) else {
                    throw KeyringError(.usage, "\(session.name(of: other)) cannot be kept: it is out already")
                }
                kept.append(found)
            }
            let (signIns, unshared) = try signIns(in: member.scope, session.state)
            // Whom it has kept out stays out; of all else that it said, nothing counts.
            let said = roster.revocations.filter { $0.signer == id }
            session.state.statements.append(
                SyncStatement(
                    .revocation(id, keeping: Set(said.prefix(SyncStatement.entryLimit).map(\.hash))),
                    by: session.identity, in: sync, at: clock.now))
            for other in said.dropFirst(SyncStatement.entryLimit).map(\.subject) {
                session.state.statements.append(
                    SyncStatement(.revocation(other, keeping: []), by: session.identity, in: sync, at: clock.now))
            }
            for member in kept { try approve(member.device, member.scope, &session, sync) }
            let now = session.roster
            func scope(_ id: SyncDeviceID) -> SyncScope { now?.members[id]?.scope ?? .none }
            let others = roster.active.filter { $0.device.id != id && !scope($0.device.id).covers($0.scope) }
            let out = others.filter { scope($0.device.id).isEmpty }.map(\.device.id)
            session.state.findings.removeAll { $0.device == id || out.contains($0.device) }
            let removed = try clearDecisions(&session)
            var change = SyncChange(words: id.words, title: title, signIns: signIns, removedDecisions: removed)
            change.mayHaveSignedIn = unshared
            change.alsoOut = out.map { session.labelled($0) }
            change.reduced = others.map(\.device.id).filter { !out.contains($0) }.map { session.labelled($0) }
            return change
        }
    }

    /// Goes on from what a device shows now, whatever was found.
    ///
    /// - Throws: `usage` for a name that no device has, `ambiguous`, `needsVaultKey`.
    /// - Returns: How many findings are dropped, and what the device is called.
    public func acceptFindings(of name: String) throws(KeyringError) -> (count: Int, title: String) {
        try withSession { session in
            guard let roster = session.roster else {
                throw KeyringError(.configuration, "this device was not let into the sync yet", advice: .synchronise)
            }
            let id = try Self.device(name, session, roster)
            guard !session.state.findings.contains(where: { $0.device == id && $0.kind == .cloned }) else {
                throw KeyringError(
                    .usage, "two machines with one device's keys cannot go on", advice: .joinSyncAgain)
            }
            let count = session.state.findings.count { $0.device == id }
            session.state.findings.removeAll { $0.device == id }
            session.state.peers[id]?.beginsAnew = true
            // What of its own files does not come is given up.
            if id == session.own { session.state.unread = [] }
            return (count, session.name(of: id))
        }
    }

    /// The device that a name means: what it calls itself, its words, or the beginning of them.
    static func device(
        _ name: String, _ session: borrowing SyncSession, _ roster: SyncRoster
    ) throws(KeyringError) -> SyncDeviceID {
        if let id = SyncDeviceID(words: name), roster.members[id] != nil { return id }
        var found: [SyncDeviceID] = []
        for id in roster.members.keys.sorted() {
            if Identifier.foldedName(session.name(of: id)) == Identifier.foldedName(name)
                || name.utf8.count >= 5 && id.words.hasPrefix(Identifier.folded(name))
            {
                found.append(id)
            }
        }
        guard let first = found.first else {
            throw KeyringError(
                .usage, "no device of the sync is called '\(Identifier.isAcceptable(name) ? name : "")'",
                advice: .showSync,
                candidates: roster.members.keys.sorted().filter { $0 != session.own }.map { session.name(of: $0) })
        }
        guard found.count == 1 else {
            throw KeyringError(
                .ambiguous, "several devices are called '\(name)': give the words of one",
                candidates: found.map(\.words))
        }
        return first
    }

    /// The sign-ins whose tokens went to devices that share these groups, and the others there are: each machine makes those for
    /// itself, and which has made one is not told.
    private func signIns(in scope: SyncScope, _ known: SyncState) throws -> (shared: [String], others: [String]) {
        guard let sync = known.sync else { return ([], []) }
        let travel = SyncTravel(own: 0, others: [])
        return try withVault { state in
            var (shared, others): (Set<String>, Set<String>) = ([], [])
            for group in state.vault.groups where scope.contains(known.tag(of: group.name, in: sync)) {
                _ = try database.forEachItem(in: group) { result, _ in
                    guard let found = try? result.get(), let credential = found.item.content.credential,
                        let (_, hasSecret) = travel.leaving(found.item, hasSecret: found.hasSecret)
                    else { return }
                    let name = "\(credential.account) (client \(credential.clientID), group '\(group.name)')"
                    if hasSecret {
                        shared.insert(name)
                    } else if let grant = credential.grant, grant.latestEpoch > grant.latestEnded {
                        others.insert(name)
                    }
                }
            }
            return (shared.sorted(), others.sorted())
        }
    }
}
