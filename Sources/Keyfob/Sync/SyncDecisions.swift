internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

// What other devices have decided goes with them: a decision never outlives the say of who made it.

extension Keyring.Sync {
    /// Takes away what devices have decided for groups in which they have no say any more.
    ///
    /// - Returns: What went, one line each.
    func clearDecisions(_ session: inout SyncSession) throws -> [String] {
        guard let roster = session.roster, let sync = session.state.sync else { return [] }
        var left: [UInt64: SyncScope] = [:]
        for (number, scope) in session.state.decided {
            // A vault that was let in again goes on with what it has decided.
            let now = roster.holder(of: number).flatMap { roster.members[$0]?.scope } ?? .none
            if !now.covers(scope) { left[number] = now.intersection(scope) }
        }
        left[session.identity.device.number] = nil
        guard !left.isEmpty else { return [] }
        let removed = try withVault { state in
            guard state.vault.opensWholeVault else { throw VaultError.needsVaultKey }
            var removed: [String] = []
            for group in state.vault.groups {
                let tag = session.state.tag(of: group.keys.group) ?? session.state.tag(of: group.name, in: sync)
                let decided = try settings(of: group) { item in
                    SyncTravel.travels(item.key) && !item.isTombstone
                        && left[item.version.device].map { !$0.contains(tag) } == true
                }
                guard !decided.isEmpty else { continue }
                let names = Set(decided.compactMap(\.item.key.parts.first))
                let mine = (session.state.displaced[tag] ?? [:]).filter { names.contains($0.key) }
                let gone = try change(&state, group) { writer in
                    let gone = try writer.forgetSettings { names.contains($0.name) }
                    // Every device takes them away by itself: to tell of it would undo what has been decided since.
                    var rows: [Int64] = []
                    _ = try writer.forEachItem(of: group.name) { result, _ in
                        guard let found = try? result.get(), found.item.key.kind == .setting, found.item.isTombstone,
                            let name = found.item.key.parts.first, names.contains(name)
                        else { return }
                        rows.append(found.record.rowID)
                    }
                    try writer.erase(rows: rows)
                    for (name, value) in mine { try writer.setSetting(name, to: value) }
                    return gone
                }
                for name in names { session.state.displaced[tag]?[name] = nil }
                removed += gone.map { "\(GroupDecision($0, in: group.name).text) (group '\(group.name)')" }
            }
            return removed.sorted()
        }
        // The number stays: what it has decided never becomes this vault's own. If it has a say again, it tells all again.
        for (number, scope) in left {
            session.state.decided[number] = scope
            for member in roster.members.values where member.device.number == number {
                session.state.peers[member.device.id]?.merged = [:]
            }
        }
        return removed
    }

    /// By whose numbers there are decisions that travel, but for this vault's own.
    func decidingNumbers() throws -> Set<UInt64> {
        try withVault { state in
            var numbers: Set<UInt64> = []
            for group in state.vault.groups {
                numbers.formUnion(
                    try settings(of: group) { SyncTravel.travels($0.key) && !$0.isTombstone }.map(\.item.version.device)
                )
            }
            return numbers.subtracting([try database.device()])
        }
    }

    /// A decision that holds here.
    struct StandingDecision {
        let version: ItemVersion
        /// What was decided; nil where it was taken back.
        let value: String?

        /// What this vault had decided, to hold again when who decides otherwise has no say any more; nil where nothing
        /// changes of that.
        ///
        /// Once two others have decided one after the other, that the later one goes brings nothing of this vault's back.
        func afterDeciding(_ other: ItemVersion, here own: UInt64) -> String?? {
            guard other.device != own else { return nil }
            if version.device == own { return version < other ? .some(value) : nil }
            return version.device != other.device ? .some(nil) : nil
        }
    }

    /// The latest epoch of each sign-in in a group, and what is decided there; none where the group is not here.
    ///
    /// - Parameter keys: The items that are asked for; nil for all.
    func known(
        in name: AccessGroup, of keys: Set<ItemKey>?
    ) throws(KeyringError) -> (epochs: [ItemKey: UInt64], decided: [ItemKey: StandingDecision]) {
        do {
            return try withVault { state in
                var (epochs, decided): ([ItemKey: UInt64], [ItemKey: StandingDecision]) = ([:], [:])
                guard let group = state.vault.groups.first(where: { $0.name == name }) else { return (epochs, decided) }
                func look(_ item: ItemRecord) {
                    if let grant = item.content.credential?.grant { epochs[item.key] = grant.latestEpoch }
                    guard item.key.kind == .setting, SyncTravel.travels(item.key) else { return }
                    var decision: String?
                    if case .setting(_, let value) = item.content { decision = value }
                    decided[item.key] = StandingDecision(version: item.version, value: decision)
                }
                if let keys, let items = try database.items(in: group, with: keys) {
                    for found in items { look(found.item) }
                } else {
                    _ = try database.forEachItem(in: group) { result, _ in
                        if let item = try? result.get().item { look(item) }
                    }
                }
                return (epochs, decided)
            }
        } catch {
            throw KeyringError(error)
        }
    }

    /// Remembers what this vault had decided, and another device has decided otherwise.
    func note(_ displaced: [String: String?], _ group: SyncGroupTag, _ session: inout SyncSession) {
        for (name, value) in displaced {
            let isFull = session.state.displaced[group, default: [:]].count >= Self.displacedLimit
            guard value == nil || !isFull else { continue }
            session.state.displaced[group, default: [:]][name] = value
        }
    }

    private static let displacedLimit = 1_024

    /// The settings of a group that `isMeant` finds, with their rows; removed ones are not looked at.
    func settings(
        of group: UnlockedVault.Group, where isMeant: (ItemRecord) -> Bool
    ) throws -> [(item: ItemRecord, row: Int64)] {
        try database.items(in: group, .setting).filter { isMeant($0.item) }.map { ($0.item, $0.record.rowID) }
    }
}
