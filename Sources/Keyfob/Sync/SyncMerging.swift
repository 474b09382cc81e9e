internal import KeyfobAge
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

extension Keyring.Sync {
    /// How many items of a segment are looked up one by one; of more, all that is here is gone through.
    private static let fewItems = 4_096

    /// What is new of a group that a device tells of.
    private struct NewFiles {
        let group: SyncGroupTag
        /// In the order in which they are taken in; the last one has the group's name.
        let files: [SyncHead.GroupFile]
    }

    /// Has all be read once more where the vault has not come as far as what was told of it: it was put back.
    func noteLosses(_ session: inout SyncSession) throws {
        let told = session.state.own?.told ?? [:]
        let groups = session.state.groups
        let isPutBack = try withVault { state in
            try told.contains { tag, told in
                guard let group = state.vault.groups.first(where: { $0.keys.group == groups[tag]?.id }) else {
                    return false
                }
                return try database.state(of: group.keys).milestone.map { $0.sequence < told.change } ?? false
            }
        }
        if isPutBack { session.state.readAgain() }
    }

    /// Takes in the files that are new of each device, and what this one had told itself where the vault may have lost it.
    ///
    /// - Returns: The groups of which this one's own files have not all come yet.
    func merge(
        _ session: inout SyncSession, _ roster: SyncRoster, _ files: SyncFolder, _ report: inout SyncReport
    ) throws -> Set<SyncGroupTag> {
        guard let mine = roster.members[session.own] else { return session.state.unread }
        let travel = travel(session, roster)
        var unread: Set<SyncGroupTag> = []
        let lost = session.state.unread
        let told = session.state.own?.files.filter { lost.contains($0.group) } ?? []
        if !told.isEmpty {
            var merged: [SyncGroupTag: UInt64] = [:]
            unread = try merge(told, of: mine, in: mine.scope, travel, files, &merged, &session, &report)
        }
        for member in roster.active where member.device.id != session.own {
            let id = member.device.id
            guard let peer = session.state.peers[id], !isStopped(id, session) else { continue }
            guard roster.holder(of: member.device.number) == id else {
                session.state.note(SyncFinding(.malformed, id, at: clock.now, found: peer.head.mark.sequence))
                continue
            }
            let scope = mine.scope.intersection(member.scope)
            // Whose decisions come in is noted before they do, so that none is left when it goes.
            if session.state.decided[member.device.number]?.covers(scope) != true {
                session.state.decided[member.device.number] =
                    session.state.decided[member.device.number]?.union(scope) ?? scope
                try save(&session)
            }
            var merged = peer.merged
            // As far as it came before it failed.
            defer { session.state.peers[id]?.merged = merged }
            _ = try merge(peer.files, of: member, in: scope, travel, files, &merged, &session, &report)
        }
        return unread
    }

    /// Takes in what is new in the files of one device.
    ///
    /// - Parameter merged: How far each group was taken in.
    /// - Returns: The groups of which not all was.
    private func merge(
        _ told: [SyncHead.GroupFile], of member: SyncRoster.Member, in scope: SyncScope, _ travel: SyncTravel,
        _ files: SyncFolder, _ merged: inout [SyncGroupTag: UInt64], _ session: inout SyncSession,
        _ report: inout SyncReport
    ) throws -> Set<SyncGroupTag> {
        let id = member.device.id
        func note(_ problem: SyncFinding.Kind, _ sequence: UInt64, _ session: inout SyncSession) {
            let found = session.state.peers[id]?.head.mark.sequence ?? 0
            session.state.note(SyncFinding(problem, id, at: clock.now, found: found, seen: sequence))
        }
        var new: [NewFiles] = []
        for (tag, all) in Dictionary(grouping: told, by: \.group).sorted(by: { $0.key < $1.key })
        where scope.contains(tag) && session.state.removedGroups[tag] == nil {
            guard var path = all.path(from: merged[tag] ?? 0) else {
                note(.malformed, 0, &session)
                return Set(told.map(\.group))
            }
            if path.isEmpty, isNamedAnew(tag, by: id, session) { path = [all.latest].compactMap(\.self) }
            if !path.isEmpty { new.append(NewFiles(group: tag, files: path)) }
        }
        let moves = new.count > 1 ? self.moves(in: new.flatMap(\.files), of: id, files, session.identity) : []
        // Where an account goes comes before where it leaves.
        let targets = Set(moves.map(\.target))
        new = new.filter { targets.contains($0.group) } + new.filter { !targets.contains($0.group) }
        var unread: Set<SyncGroupTag> = []
        for group in new {
            for move in moves where move.source == group.group { try follow(move, session) }
            var next = group.files.last
            do {
                var name: AccessGroup?
                // The name of now is in the last one, and what lies in others was written under earlier ones.
                if group.files.count > 1, let last = next,
                    session.state.groups[group.group] == nil || isNamedAnew(group.group, by: id, session)
                {
                    name = try open(last, of: member, files, session).manifest.groups.first
                }
                for file in group.files {
                    next = file
                    var displaced: [String: String?] = [:]
                    defer { self.note(displaced, file.group, &session) }
                    try merge(file, of: member, called: name, travel, files, &session, &displaced, &report)
                    merged[file.group] = max(merged[file.group] ?? 0, file.position)
                }
            } catch let problem as UnusableFile {
                note(problem.kind, next?.sequence ?? 0, &session)
                unread.insert(group.group)
            }
        }
        return unread
    }

    /// Whether a device tells of a name of a group that is later than the one here.
    private func isNamedAnew(
        _ group: SyncGroupTag, by id: SyncDeviceID, _ session: borrowing SyncSession
    ) -> Bool {
        guard let named = session.state.peers[id]?.named[group], let known = session.state.groups[group] else {
            return false
        }
        return known.named.map { $0 < named } ?? true
    }

    /// Whether nothing of a device is taken in: what it shows now, or showed, has two histories or is not its own.
    func isStopped(_ id: SyncDeviceID, _ session: borrowing SyncSession) -> Bool {
        session.state.findings.contains { $0.device == id && [.forked, .malformed].contains($0.kind) }
    }

    func travel(_ session: borrowing SyncSession, _ roster: SyncRoster) -> SyncTravel {
        SyncTravel(
            own: session.identity.device.number,
            others: Set(roster.members.values.map(\.device.number)).union(session.state.decided.keys)
                .subtracting([session.identity.device.number]),
            natives: session.state.natives, removals: session.state.removals)
    }

    /// A file of a device that is the one that its head names.
    private struct OpenedFile: ~Copyable {
        let file: BundleFile
        let verified: VerifiedBundle

        var manifest: BundleManifest { verified.bundle.manifest }
    }

    /// That a file is not what its device tells of a group.
    private struct UnusableFile: Error {
        let kind: SyncFinding.Kind
    }

    /// Opens a file.
    ///
    /// - Throws: ``UnusableFile`` where it is not what its device tells of one group.
    private func open(
        _ file: SyncHead.GroupFile, of member: SyncRoster.Member, _ files: SyncFolder,
        _ session: borrowing SyncSession
    ) throws -> OpenedFile {
        let id = member.device.id
        guard let sync = session.state.sync, let size = files.size(of: file.name, id), size >= file.size else {
            throw UnusableFile(kind: .incomplete)
        }
        guard size == file.size, let age = session.identity.age() else { throw UnusableFile(kind: .replaced) }
        do throws(KeyringError) {
            let bundle = try BundleFile(path: files.file(file.name, of: id))
            // The one reading that is checked against the head is the one that is believed.
            if let verified = try bundle.verify(.identities(age.text()), hash: file.hash, size: file.size) {
                let manifest = verified.bundle.manifest
                guard manifest.vault == sync.bytes, manifest.device == member.device.number,
                    manifest.groups.count == 1
                else { throw KeyringError(.damaged, "\(file.name) is not of its device") }
                return OpenedFile(file: bundle, verified: verified)
            }
        } catch {
            throw try Self.unusable(error)
        }
        throw UnusableFile(kind: .replaced)
    }

    /// What it says of a device that its file was not taken in.
    ///
    /// - Parameter failure: What kept the file from being read; nil where it was read, and this vault may be what is damaged.
    private static func unusable(_ error: KeyringError, whileReading failure: KeyringError?) throws -> UnusableFile {
        if let failure { return try unusable(failure) }
        guard [.limitExceeded, .usage].contains(error.code) else { throw error }
        return UnusableFile(kind: .malformed)
    }

    /// What it says of a device that its file does not open.
    private static func unusable(_ error: KeyringError) throws -> UnusableFile {
        switch error.code {
        case .noSuchFile: UnusableFile(kind: .incomplete)
        case .wrongKey: UnusableFile(kind: .closed)
        case .newerVersion: UnusableFile(kind: .newer)
        case .damaged, .limitExceeded, .usage: UnusableFile(kind: .malformed)
        default: throw error
        }
    }

    /// Takes in one file.
    ///
    /// - Parameter name: What the device calls the group now; nil where the file tells.
    /// - Throws: ``UnusableFile``, and what writing can throw.
    private func merge(
        _ file: SyncHead.GroupFile, of member: SyncRoster.Member, called name: AccessGroup?, _ travel: SyncTravel,
        _ files: SyncFolder, _ session: inout SyncSession, _ displaced: inout [String: String?],
        _ report: inout SyncReport
    ) throws {
        let id = member.device.id
        let opened = try open(file, of: member, files, session)
        var manifest = opened.manifest
        guard let told = name ?? manifest.groups.first else { throw UnusableFile(kind: .malformed) }
        let named = naming(of: file.group, as: told, by: id, session)
        let keys = file.isSegment ? try self.keys(of: opened) : nil
        var (group, ahead): (AccessGroup, Int) = (told, 0)
        var unreadable: KeyringError?
        let plan: ImportPlan
        do {
            if let known = session.state.groups[file.group], !isNamedAnew(file.group, by: id, session) {
                group = try currentName(of: known)
            } else {
                let local = try localName(told, of: file.group, named: named, in: member.scope, &session)
                guard let local else { throw UnusableFile(kind: .malformed) }
                group = local
            }
            manifest.groups = [group]
            let (epochs, decided) = try known(in: group, of: keys)
            plan = try keyring.bundles.take(
                IncomingBundle(manifest), .merge, nil, .all, isSync: true,
                into: session.state.groups[file.group]?.id, looksAt: keys, removals: travel.removals, backsUp: false
            ) { body in
                // It may be read more than once.
                ahead = 0
                var isOfVault = false
                do {
                    try opened.file.read(opened.verified) { record, secret in
                        let epoch = epochs[record.key] ?? 0
                        if SyncTravel.isFarAhead(record, of: epoch) { ahead += 1 }
                        let arriving = travel.arriving(
                            record, hasSecret: secret != nil, from: member.device.number,
                            speaksForOwner: member.scope == .whole, knowing: epoch)
                        guard let (arrived, hasSecret) = arriving else { return }
                        var item = arrived
                        item.group = group
                        if let standing = decided[item.key], let name = item.key.parts.first,
                            let owns = standing.afterDeciding(item.version, here: travel.own)
                        {
                            displaced[name] = .some(owns)
                        }
                        isOfVault = true
                        try body(item, hasSecret ? secret : nil)
                        isOfVault = false
                    }
                } catch {
                    if !isOfVault { unreadable = KeyringError(error) }
                    throw error
                }
            }
        } catch let error as UnusableFile {
            throw error
        } catch {
            throw try Self.unusable(KeyringError(error), whileReading: unreadable)
        }
        if let key = manifest.digestKey { session.state.peers[id]?.digestKeys[file.group] = key }
        try noteGroup(group, of: file.group, told: told, named: named, &session)
        note(plan, of: session.name(of: id), ahead: ahead, &report)
    }

    /// The items of a file; nil where they are many.
    ///
    /// - Throws: ``UnusableFile``.
    private func keys(of opened: borrowing OpenedFile) throws -> Set<ItemKey>? {
        var keys: Set<ItemKey> = []
        var isMany = false
        do {
            try opened.file.read(opened.verified) { item, _ in
                if keys.count < Self.fewItems { keys.insert(item.key) } else { isMany = true }
            }
        } catch {
            throw try Self.unusable(KeyringError(error))
        }
        return isMany ? nil : keys
    }

    private func note(_ plan: ImportPlan, of name: String, ahead: Int, _ report: inout SyncReport) {
        let changed = ["added", "changed", "removed"].reduce(0) { $0 + (plan.counts[$1] ?? 0) }
        report.changed += changed
        if changed > 0, !report.sources.contains(name) { report.sources.append(name) }
        if ahead > 0 {
            report.warnings.append("\(name) tells of more sign-ins than anybody makes: \(ahead) not taken in")
        }
        if plan.returnedCount > 0 {
            report.warnings.append(
                "\(name) brings back what was removed long ago (\(plan.returnedCount)): it is not taken in, and removed there"
            )
        }
        report.warnings += plan.conflicts.filter { ["forkedGrant", "farAhead", "sameVersion"].contains($0.name) }
            .map(\.description)
    }
}
