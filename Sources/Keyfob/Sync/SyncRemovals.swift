internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

// Removals are told until every device that shares the group has taken them in, and then for half a year.

extension Keyring.Sync {
    /// How long a removal is told, in milliseconds.
    private static let removalAge: Int64 = 180 * 86_400_000
    /// How often it is looked for old ones, in seconds.
    private static let interval: Int64 = 7 * 86_400

    /// Whether it is time to look for old removals.
    func isCollectingDue(_ session: borrowing SyncSession) -> Bool {
        guard let last = session.state.collected else { return true }
        // A clock that was wrong then stops it no longer than its error.
        return abs(clock.now.seconds - last.seconds) >= Self.interval
    }

    /// Drops old removals from a group of which every reader has taken in all that is told.
    ///
    /// A device that is silent has taken in nothing, and so keeps them where they are until it is revoked.
    ///
    /// - Parameter position: Where who has taken in all stands.
    /// - Returns: Whether some went. Files that tell of what they removed are then to be written anew.
    func collectRemovals(_ writing: GroupPublication, told position: UInt64, _ session: inout SyncSession)
        throws -> Bool
    {
        for reader in writing.readers {
            guard let peer = session.state.peers[reader.id], !isStopped(reader.id, session),
                peer.acknowledged[writing.tag] ?? 0 >= position
            else { return false }
        }
        let now = clock.milliseconds()
        var removals = session.state.removals
        func isOld(_ item: ItemRecord) -> Bool {
            // What is known of a sign-in that has ended is needed for ever: the next one begins behind it.
            guard item.isTombstone, item.key.kind != .grant,
                item.version.stamp.milliseconds <= now - Self.removalAge
            else { return false }
            // What another device had decided that one alone tells.
            let isOthers = item.key.kind == .setting && item.version.device != writing.travel.own
            return isOthers || writing.travel.leaving(item, hasSecret: false) != nil
        }
        var count = 0
        try withVault { state in
            let id = writing.group.keys.group
            guard let group = state.vault.groups.first(where: { $0.keys.group == id }) else { return }
            _ = try database.forEachItem(in: group) { result, _ in
                guard let item = try? result.get().item, isOld(item) else { return }
                if removals.note(item.place, item.version) { count += 1 }
            }
        }
        session.state.collected = clock.now
        guard count > 0 else { return false }
        // Noted before they go: after a kill in between they are told once more.
        session.state.removals = removals
        try save(&session)
        try withVault { state in
            let id = writing.group.keys.group
            guard let group = state.vault.groups.first(where: { $0.keys.group == id }) else { return }
            try change(&state, group) { writer in
                var rows: [Int64] = []
                _ = try writer.forEachItem(of: group.name) { result, _ in
                    guard let found = try? result.get(), isOld(found.item), removals[found.item.place] != nil else {
                        return
                    }
                    rows.append(found.record.rowID)
                }
                try writer.erase(rows: rows)
            }
        }
        return true
    }
}
