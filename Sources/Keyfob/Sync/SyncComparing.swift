internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

// Who has taken in the same holds the same: machines tell each other what stands for it, so that a difference is found whatever
// made it.

extension Keyring.Sync {
    /// How far each device's tellings of a group have come in here.
    func vector(
        of tag: SyncGroupTag, files: [SyncHead.GroupFile], _ session: borrowing SyncSession, _ roster: SyncRoster
    ) -> SyncVector {
        var positions = session.state.peers.filter { roster.isActive($0.key) }.compactMapValues { $0.merged[tag] }
        positions[session.own] = files.map(\.position).max()
        return SyncVector(positions)
    }

    /// Compares what is held here with what others tell that have taken in the same, and with what was held before.
    ///
    /// - Returns: The groups that differ.
    func compare(
        _ own: SyncState.Own, _ session: inout SyncSession, _ roster: SyncRoster
    ) -> Set<SyncGroupTag> {
        var diverged: Set<SyncGroupTag> = []
        func note(_ id: SyncDeviceID, _ tag: SyncGroupTag) {
            diverged.insert(tag)
            session.state.note(SyncFinding(.diverged, id, at: clock.now, group: tag))
        }
        for (tag, told) in own.told.sorted(by: { $0.key < $1.key }) {
            guard let held = told.held else { continue }
            if held.hasDrifted { note(session.own, tag) }
            for (id, peer) in session.state.peers.sorted(by: { $0.key < $1.key }) where roster.isActive(id) {
                guard let theirs = peer.held[tag], theirs.vector == held.vector, let key = peer.digestKeys[tag],
                    theirs.digest != GroupDigest.masked(held.digest, with: key)
                else { continue }
                note(id, tag)
            }
        }
        return diverged
    }
}

extension GroupPublication {
    /// What the vault holds of the group in the state that is told.
    ///
    /// - Parameters:
    ///   - vector: What was taken in by then.
    ///   - deciders: Whose decisions count.
    /// - Returns: Nil where the storage does not say in which state it is, a record is damaged, or another process has changed
    ///   something meanwhile: it is looked at the next time.
    func held(
        _ told: SyncState.ToldGroup, at vector: SyncVector, deciders: Set<UInt64>
    ) throws -> SyncState.ToldGroup.Held? {
        guard !told.basis.isEmpty else { return nil }
        var digest = told.held.flatMap { $0.basis == told.basis ? $0.digest : nil }
        if digest == nil {
            digest = try sync.database.withSnapshot {
                guard try basis(sync.database.state(of: group.keys)) == told.basis else { return nil }
                var digest = GroupDigest()
                var isSound = true
                let isWhole = try sync.database.forEachItem(in: group) { result, _ in
                    guard let item = try? result.get().item else {
                        isSound = false
                        return
                    }
                    if SyncTravel.isHeldAlike(item, deciders: deciders) { digest.add(item) }
                }
                return isSound && isWhole ? digest.bytes : nil
            }
        }
        return digest.map { .init(basis: told.basis, vector: vector, digest: $0, since: told.held) }
    }
}

extension SyncTravel {
    /// Whether an item is to be the same on all machines that share its group.
    static func isHeldAlike(_ item: ItemRecord, deciders: Set<UInt64>) -> Bool {
        guard travels(item.key), !item.isThisDeviceOnly else { return false }
        return item.key.kind != .setting || deciders.contains(item.version.device)
    }
}

extension SyncRoster {
    /// By whose numbers decisions in a group are told.
    func deciders(in tag: SyncGroupTag) -> Set<UInt64> { Set(readers(of: tag).map(\.number)) }
}

extension SyncState.ToldGroup {
    /// What a head tells of what is held; nil where it is not known.
    var toldDigest: SyncState.ToldDigest? {
        held.map { .init(vector: $0.vector, digest: GroupDigest.masked($0.digest, with: digestKey)) }
    }
}
