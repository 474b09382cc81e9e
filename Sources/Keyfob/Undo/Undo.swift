internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

extension Keyring {
    /// What commands took away, and how it comes back.
    ///
    /// ## Topics
    /// - ``command(_:)``
    /// - ``list(in:)``
    /// - ``entry(_:in:)``
    /// - ``undo(_:in:)``
    /// - ``clear(_:in:)``
    public struct Undo: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring.Undo {
    /// Begins a run of a command: all that is kept under it comes back together.
    public func command(_ name: String) -> UndoableCommand { UndoableCommand(name, at: clock.now) }

    /// What can be undone, the newest first, and what undoing would do as things stand.
    ///
    /// - Parameter groups: The groups to look through; nil for all within reach.
    /// - Throws: `groupNotGranted`, `noSuchGroup`, `damaged` when records are missing. A record that does not open is passed
    ///   over and told by ``Keyring/takeWarnings()``.
    public func list(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [UndoEntry] {
        try withState { state in try database.withSnapshot { try entries(&state, groups) } }
    }

    /// The entry that an id names, or the newest that brings something back.
    ///
    /// - Throws: `noSuchEntry`, `ambiguous`, and as ``list(in:)``.
    public func entry(_ id: String?, in groups: [AccessGroup]? = nil) throws(KeyringError) -> UndoEntry {
        try Self.entry(id, among: try list(in: groups))
    }

    /// Undoes a command: what it took away comes back, as far as nothing newer is there.
    ///
    /// What came back is gone from the journal; what could not come back stays there until its time is over.
    ///
    /// - Parameters:
    ///   - id: The entry's id, or the beginning of it; nil for the newest entry that brings something back.
    ///   - groups: The groups to look through; nil for all within reach.
    /// - Returns: The entry, with what was done with each item.
    /// - Throws: `noSuchEntry`, `ambiguous`, and what writing can throw.
    public func undo(_ id: String? = nil, in groups: [AccessGroup]? = nil) throws(KeyringError) -> UndoEntry {
        try withState { state in
            let entry = try Self.entry(id, among: try database.withSnapshot { try entries(&state, groups) })
            let own = try state.groups(entry.groups)
            let all = state.vault.groups
            var plans: [[PlannedUndo]] = []
            try change(&state, own) { writers in
                // All is planned before the first change, so that what other groups hold can still be read.
                plans = try zip(own, writers).map { group, writer in
                    try writer.planUndo(of: [entry.journalID]) { try isUsedElsewhere($0, than: group, among: all) }
                }
                guard plans.contains(where: { !$0.isEmpty }) else { throw Self.nothing(id) }
                for (plan, writer) in zip(plans, writers) { try writer.undo(plan) }
            }
            var done = entry
            done.items = try zip(own, plans).flatMap { group, plan in
                let names = try names(of: plan.map(\.item), in: group)
                return plan.map { UndoItem($0, in: group.name, names: names) }
            }
            return done
        }
    }

    /// Forgets what commands took away: it cannot come back any more.
    ///
    /// - Parameters:
    ///   - id: The entry's id, or the beginning of it; nil for all.
    ///   - groups: The groups to look through; nil for all within reach.
    /// - Returns: How many entries went.
    /// - Throws: `noSuchEntry` for an id that no entry has, `ambiguous`, and what writing can throw.
    public func clear(_ id: String? = nil, in groups: [AccessGroup]? = nil) throws(KeyringError) -> Int {
        try withState { state in
            var wanted: JournalID?
            if let id {
                let all = try database.withSnapshot { try entries(&state, groups) }
                wanted = try Self.entry(id, among: all).journalID
            }
            var removed: Set<JournalID> = []
            try change(&state, try state.groups(groups)) { writers in
                for writer in writers {
                    removed.formUnion(try writer.removeFromJournal { wanted == nil || $0.entry.id == wanted })
                }
            }
            return removed.count
        }
    }

    /// The same error, with the undo as what to do where it is about one account whose token was added by hand and signed
    /// out: no sign-in brings that back.
    func advising(_ error: KeyringError) -> KeyringError {
        guard error.code == .signInNeeded, error.candidates.count == 1, let account = AccountID(error.candidates[0]),
            let entry = try? list().first(where: { entry in
                entry.items.contains {
                    $0.account == account && $0.kind == .accessToken && $0.clientID == nil && $0.outcome == .returns
                }
            })
        else { return error }
        return error.saying(advice: .undo(id: entry.id, until: entry.until))
    }

    /// The entry that an id names, or the newest that brings something back.
    private static func entry(_ id: String?, among entries: [UndoEntry]) throws(KeyringError) -> UndoEntry {
        guard let id else {
            guard let newest = entries.first(where: \.bringsBack) else { throw nothing(nil) }
            return newest
        }
        let wanted = Identifier.folded(id)
        let matching = entries.filter { !wanted.isEmpty && $0.journalID.description.hasPrefix(wanted) }
        guard let first = matching.first else { throw nothing(id) }
        guard matching.count == 1 else {
            throw KeyringError(
                .ambiguous, "several entries begin with '\(id)'", candidates: matching.map(\.journalID.description))
        }
        return first
    }

    private static func nothing(_ id: String?) -> KeyringError {
        guard let id else {
            return KeyringError(
                .noSuchEntry,
                "there is nothing to undo: nothing was signed out or removed in the last 30 days, or it is there again")
        }
        return KeyringError(.noSuchEntry, "there is nothing to undo under '\(id)'", advice: .listUndo)
    }

    private func entries(_ state: inout State, _ groups: [AccessGroup]?) throws -> [UndoEntry] {
        let now = clock.now
        var (kept, outcomes): ([StoredItem<JournalItem>], [JournalID: [UndoItem]]) = ([], [:])
        for group in try state.groups(groups) {
            let found = try database.journal(in: group.keys)
            state.warn(ofDamage: found.damaged, in: group.name)
            let ofGroup = found.items.filter { !$0.value.entry.hasEnded(at: now) }
            guard !ofGroup.isEmpty else { continue }
            let all = state.vault.groups
            let used = Set(
                try ofGroup.filter { try isUsedElsewhere($0, than: group, among: all) }.map(\.record.header.record))
            let names = try names(of: ofGroup, in: group)
            for run in JournalRun.runs(of: ofGroup) {
                let plan = try database.read(group.keys) { reader in
                    try reader.planUndo(of: run.items) { used.contains($0.record.header.record) }
                }
                outcomes[run.entry.id, default: []] += plan.map { UndoItem($0, in: group.name, names: names) }
            }
            kept += ofGroup
        }
        return JournalRun.runs(of: kept).reversed().map { UndoEntry($0.entry, outcomes[$0.entry.id] ?? []) }
    }

    /// What the accounts are called that items belong to: as they are known now, or were when they went.
    private func names(
        of items: [StoredItem<JournalItem>], in group: UnlockedVault.Group
    ) throws -> [AccountID: String] {
        var names: [AccountID: String] = [:]
        for case .account(let account) in items.map(\.value.content) { names[account.id] = account.name }
        for id in Set(items.compactMap(\.value.account)) {
            if let account = try database.account(id, in: group.keys) { names[id] = account.name }
        }
        return names
    }

    /// Whether another group has used the same sign-in since a refresh token was taken away from `group`.
    ///
    /// It holds another token of it then, which came later. A provider that replaces refresh tokens may end the sign-in
    /// when an old one is used.
    private func isUsedElsewhere(
        _ item: StoredItem<JournalItem>, than group: UnlockedVault.Group, among groups: [UnlockedVault.Group]
    ) throws -> Bool {
        guard let credential = item.value.content.credential, credential.kind == .refreshToken,
            item.value.former?.hasSecret ?? false, credential.grant?.rotates != false
        else { return false }
        for other in groups where other.keys.group != group.keys.group {
            guard let theirs = try database.activeToken(GrantKey(credential), in: other.keys),
                theirs.record.header.stamp > item.record.header.stamp
            else { continue }
            let kept = try database.secret(of: item.record, in: group.keys)
            if try !database.secret(of: theirs.record, in: other.keys).isEqual(to: kept) { return true }
        }
        return false
    }
}
