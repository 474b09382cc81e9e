internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobSync
internal import KeyfobVault

extension Keyring.Sync {
    /// Writes for the others what is new here: files of groups first, and the head that names them when they are there.
    ///
    /// What is about to be written is noted before, so that after a kill nobody takes it for somebody else's.
    ///
    /// - Parameter unread: Groups of which it is not known what was told: that stays as it is.
    func publish(
        _ session: inout SyncSession, _ roster: SyncRoster, _ folder: SyncFolder, isOwnShown: Bool,
        besides unread: Set<SyncGroupTag>, _ report: inout SyncReport
    ) throws {
        guard let sync = session.state.sync, let mine = roster.members[session.own]?.scope else { return }
        let before = session.state.own
        let sequence = (before?.head.mark.sequence ?? 0) + 1
        var own = SyncState.Own(
            head: SeenHead(.init(sequence: sequence, hash: []), previous: []),
            files: before?.files.filter { unread.contains($0.group) } ?? [],
            roster: rosterDigest(session, roster), isConfirmed: false)
        own.time = clock.now
        var isNew = !isOwnShown || own.roster != before?.roster || Self.isOld(before?.time, clock.now)
        let isCollecting = isCollectingDue(session)
        let travel = travel(session, roster)
        let groups = try withVault { state in
            guard state.vault.opensWholeVault else { throw VaultError.needsVaultKey }
            try database.refresh(&state.vault)
            return state.vault.groups
        }
        for group in groups {
            // One that another process has made meanwhile is told the next time.
            guard let tag = session.state.tag(of: group.keys.group) else { continue }
            let readers = roster.readers(of: tag).filter { $0.id != session.own }
            guard mine.contains(tag), !readers.isEmpty, !unread.contains(tag) else { continue }
            try adoptOrphans(of: group, travel)
            let writing = GroupPublication(
                sync: self, group: group, tag: tag, own: session.identity.device, readers: readers, syncID: sync,
                sequence: sequence, travel: travel, folder: folder)
            let published = try writing.publish(before?.files.filter { $0.group == tag } ?? [], as: before?.told[tag])
            own.files += published.files
            own.told[tag] = published.told
            own.told[tag]?.held = try writing.held(
                published.told, at: vector(of: tag, files: published.files, session, roster),
                deciders: roster.deciders(in: tag))
            report.bytes += published.bytes
            if isCollecting, published.bytes == 0, let position = published.files.map(\.position).max(),
                try collectRemovals(writing, told: position, &session)
            {
                own.told[tag]?.isStale = true
            }
        }
        if Set(own.files) != Set(before?.files ?? []) { isNew = true }
        let diverged = compare(own, &session, roster)
        // Others hear of it from this machine alone.
        if diverged.contains(where: { own.told[$0]?.toldDigest != before?.held[$0] }) { isNew = true }
        guard isNew else {
            session.state.own?.told = own.told
            return
        }
        report.bytes += try show(own, after: before, &session, roster, folder)
        report.hasPublished = true
    }

    /// Signs and writes a head, and takes away the files that neither it nor the one before it names.
    ///
    /// - Returns: How many bytes it has.
    func show(
        _ shown: SyncState.Own, after before: SyncState.Own?, _ session: inout SyncSession, _ roster: SyncRoster,
        _ folder: SyncFolder
    ) throws -> UInt64 {
        guard let sync = session.state.sync else { return 0 }
        var own = shown
        let sequence = (before?.head.mark.sequence ?? 0) + 1
        let head = SyncHead(
            device: session.identity.device, sequence: sequence,
            previous: before.map { [$0.head.mark.hash] + $0.head.previous.prefix(SyncHead.previousLimit - 1) } ?? [],
            time: clock.now, name: session.state.name, files: own.files,
            seen: session.state.peers.mapValues { $0.head.mark }.filter { roster.isActive($0.key) },
            statements: roster.kept(of: session.state.statements),
            acknowledged: session.state.peers.filter { roster.isActive($0.key) }
                .mapValues(\.merged),
            groups: session.state.groupChanges(in: roster.members[session.own]?.scope ?? .none),
            digests: own.told.compactMapValues { $0.toldDigest?.digest })
        let signed = head.signed(by: session.identity, in: sync)
        let sealed = try SyncEnvelope.seal(signed, for: roster.readers(of: nil))
        guard sealed.count <= SyncFolder.headLimit else {
            throw KeyringError(
                .limitExceeded, "what this device has to tell of its groups is longer than a head may be")
        }
        own.head = SeenHead(.init(sequence: sequence, hash: SyncHead.hash(of: signed)), previous: head.previous)
        own.held = own.told.compactMapValues(\.toldDigest)
        session.state.own = own
        try save(&session)
        try folder.write(head: sealed, of: session.own)
        // Who is reading the head before still finds its files, but for what somebody has put in the place of one.
        let sound = Set(own.told.values.flatMap(\.traits.keys))
        let former = (before?.files ?? []).filter { sound.contains(Array($0.hash.prefix(SyncHead.hashCount))) }
        folder.removeFiles(of: session.own, besides: Set((own.files + former).map(\.name)))
        return UInt64(sealed.count)
    }

    /// After how long a device shows a new state, also where nothing is new, so that others see that it still takes part.
    private static let showing: Int64 = 7 * 86_400

    private static func isOld(_ time: Timestamp?, _ now: Timestamp) -> Bool {
        guard let time else { return false }
        // A clock that was wrong then shows no state in years.
        return now.seconds - time.seconds > showing || time.seconds - now.seconds > showing
    }

    /// What stands for who takes part, and what is said of that.
    private func rosterDigest(_ session: borrowing SyncSession, _ roster: SyncRoster) -> [UInt8] {
        var bytes = CanonicalBytes()
        for member in roster.active { bytes.append(member.device.id.bytes) }
        for signature in session.state.statements.map(\.signed.signature).sorted(by: {
            $0.lexicographicallyPrecedes($1)
        }) {
            bytes.append(signature)
        }
        bytes.append(session.state.name)
        let changes = session.state.groupChanges(in: roster.members[session.own]?.scope ?? .none)
        for (tag, change) in changes.sorted(by: { $0.key < $1.key }) {
            bytes.append(tag.bytes)
            for version in [change.named, change.removed] {
                bytes.append(optional: version) { bytes, version in
                    bytes.append(version.stamp.value)
                    bytes.append(version.device)
                }
            }
        }
        return BLAKE2b.hash(bytes.bytes, count: 32)
    }

    /// Takes decisions for this device's own that no device of the sync has made.
    private func adoptOrphans(of group: UnlockedVault.Group, _ travel: SyncTravel) throws {
        try withVault { state in
            guard let group = state.vault.groups.first(where: { $0.keys.group == group.keys.group }) else { return }
            let orphans = try settings(of: group, where: travel.isOrphan)
            guard !orphans.isEmpty else { return }
            try change(&state, group) { writer in
                for (item, row) in orphans {
                    var item = item
                    item.version = ItemVersion(
                        stamp: Stamp(milliseconds: clock.milliseconds(), after: item.version.stamp), device: travel.own)
                    item.history.fieldVersions = [:]
                    try writer.put(item, secret: .none, replacing: [row])
                }
            }
        }
    }
}
