internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

// What other devices have decided goes with them: a decision never outlives the say of who made it.

extension Keyring {
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
                let tag = SyncGroupTag(group.name, in: sync)
                let decided = try settings(of: group) { item in
                    SyncTravel.travels(item.key) && !item.isTombstone
                        && left[item.version.device].map { !$0.contains(tag) } == true
                }
                guard !decided.isEmpty else { continue }
                let names = Set(decided.compactMap(\.item.key.parts.first))
                let gone = try change(&state, group) { writer in
                    try writer.forgetSettings { names.contains($0.name) }
                }
                removed += gone.map { "\(GroupDecision($0, in: group.name).text) (group '\(group.name)')" }
            }
            return removed.sorted()
        }
        // The number stays: what it has decided never becomes this vault's own.
        for (number, scope) in left { session.state.decided[number] = scope }
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

    /// The latest epoch of each sign-in in a group; none where the group is not here.
    func latestEpochs(in name: AccessGroup) throws(KeyringError) -> [ItemKey: UInt64] {
        do {
            return try withVault { state in
                var epochs: [ItemKey: UInt64] = [:]
                guard let group = state.vault.groups.first(where: { $0.name == name }) else { return epochs }
                _ = try database.forEachItem(in: group) { result, _ in
                    guard let item = try? result.get().item, let grant = item.content.credential?.grant else { return }
                    epochs[item.key] = grant.latestEpoch
                }
                return epochs
            }
        } catch {
            throw KeyringError(error)
        }
    }

    /// The settings of a group that `isMeant` finds, with their rows.
    func settings(
        of group: UnlockedVault.Group, where isMeant: (ItemRecord) -> Bool
    ) throws -> [(item: ItemRecord, row: Int64)] {
        var found: [(item: ItemRecord, row: Int64)] = []
        _ = try database.forEachItem(in: group) { result, _ in
            guard let one = try? result.get(), one.item.key.kind == .setting, isMeant(one.item) else { return }
            found.append((one.item, one.record.rowID))
        }
        return found
    }
}
