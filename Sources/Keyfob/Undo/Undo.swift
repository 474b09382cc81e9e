internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault
internal import Synchronization

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

    /// Begins what this process was started for: all that it changes is one entry.
    package func begin(_ name: String) {
        let command = command(name)
        keyring.running.withLock { $0 = command }
    }

    /// What can be undone, the newest first, and what undoing would do as things stand; and among it what cannot be undone.
    ///
    /// Reads all records of the groups. What cannot be undone is told whatever groups are meant.
    ///
    /// - Parameter groups: The groups to look through; nil for all within reach.
    /// - Throws: `groupNotGranted`, `noSuchGroup`, `damaged` when records are missing. A record that does not open is passed
    ///   over and told by ``Keyring/takeWarnings()``.
    public func list(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [UndoEntry] {
        let looking = Looking(groups: groups, shared: keyring.sync.shared())
        return try withState { state in
            // An undo that something else has made void is of no use.
            try merging(
                try database.withSnapshot { try entries(&state, looking) }.filter { !$0.isUndo || $0.changesSomething })
        }
    }

    /// The same of what is kept because a command replaced or removed it; what was only added is not looked for.
    package func kept(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [UndoEntry] {
        let looking = Looking(groups: groups, findsAdded: false, shared: keyring.sync.shared())
        return try withState { state in
            try merging(try database.withSnapshot { try entries(&state, looking) })
        }
    }

    /// What no undo takes back, of all groups within reach and of what was done beside the vault, the newest first.
    ///
    /// - Throws: as ``list(in:)``.
    public func lasting() throws(KeyringError) -> [UndoEntry] {
        let looking = Looking(findsAdded: false)
        return try withState { state in
            try merging(
                try database.withSnapshot {
                    try entries(&state, looking) { runs in
                        runs.filter { $0.items.contains { JournalAct($0.value)?.lastingChange != nil } }
                    }
                })
        }
    }

    /// The entry that an id names, or the newest that is no undo itself, whether or not it can be undone.
    ///
    /// - Parameter overrides: Whether what came later gives way.
    /// - Throws: `noSuchEntry`, `ambiguous`, and as ``list(in:)``.
    public func entry(
        _ id: String?, in groups: [AccessGroup]? = nil, overriding overrides: Bool = false
    ) throws(KeyringError) -> UndoEntry {
        let looking = Looking(groups: groups, overrides: overrides, shared: keyring.sync.shared())
        let outside = try notedOutside()
        return try withState { state in
            var noted: UndoEntry?
            let found = try database.withSnapshot {
                try entries(&state, looking) { runs in
                    switch try Self.chosen(id, among: runs, outside, now: clock.now) {
                    case .run(let run): return [run]
                    case .noted(let entry): noted = entry
                    }
                    return []
                }
            }
            guard let entry = noted ?? found.first else { throw Self.nothing(id) }
            return entry
        }
    }

    /// Undoes a command: what it took away or changed comes back, what it added goes, as far as nothing newer is there.
    ///
    /// It waits some seconds for a refresh of a sign-in that is under way. What came back is gone from the journal; what could not come back stays there until its time is over. The undo is noted
    /// itself, and can be undone.
    ///
    /// - Parameters:
    ///   - id: The entry's id, or the beginning of it; nil for the newest entry that is no undo itself, whether or not
    ///     undoing it changes something.
    ///   - groups: The groups to look through; nil for all within reach.
    ///   - overrides: Whether what came later gives way.
    /// - Returns: The entry, with what was done with each item.
    /// - Throws: `noSuchEntry`, `notUndoable` for what cannot be undone, `ambiguous`, and what writing can throw.
    public func undo(
        _ id: String? = nil, in groups: [AccessGroup]? = nil, overriding overrides: Bool = false
    ) throws(KeyringError) -> UndoEntry {
        let entry = try self.entry(id, in: groups, overriding: overrides)
        guard !entry.isLasting else { throw refusal(of: entry, in: groups) }
        let ids: [GroupID] = try withState { state in try state.groups(entry.places).map { $0.keys.group } }
        let wanted = entry.journalEntry
        let undoing = JournalEntry(id: .random(), command: wanted.nameOfUndo, time: clock.now)
        var done: Set<JournalAct> = []
        var acts = entry.items.filter { $0.act != nil }
        for (index, item) in acts.enumerated() {
            guard let act = item.act else { continue }
            if item.outcome == .returns || item.outcome == .goes {
                // What the group holds by now comes back from the backup alone.
                if item.isOverriding, act == .groupMade { _ = try keyring.bundles.backUpBeforeRemoval() }
                guard try takeBack(act, of: wanted, item, as: undoing) else {
                    (acts[index].outcome, acts[index].isOverriding) = (.changedSince, false)
                    continue
                }
            }
            if [.returns, .goes, .isThere].contains(item.outcome) { done.insert(act) }
        }
        // The token that a refresh under way gets would find nothing to replace.
        let locks = try GrantLocks(entry.grants, of: keyring, patience: .seconds(5))
        defer { withExtendedLifetime(locks) {} }
        return try withState { state in
            // The act may have removed a group, or given it its name back.
            let all = state.vault.groups
            let own = all.filter { ids.contains($0.keys.group) }
            var (plans, noted): ([[PlannedUndo]], [GroupWriter]) = ([], [])
            try change(&state, own, note: ChangeNote(undoing, marksNew: wanted.isUndo)) { writers in
                // All is planned before the first change, so that what other groups hold can still be read.
                noted = writers
                plans = try zip(own, writers).map { group, writer in
                    try writer.planUndo(of: [wanted], overriding: overrides) {
                        try isUsedElsewhere($0, than: group, among: all)
                    }
                }
                // One that came meanwhile may be in use.
                guard try zip(plans, writers).allSatisfy({ try $1.grantKeys(of: $0).isSubset(of: entry.grants) }) else {
                    throw GrantLocks.busy
                }
                guard own.count < ids.count || plans.contains(where: { !$0.isEmpty }) else { throw Self.nothing(id) }
                for (plan, writer) in zip(plans, writers) {
                    try writer.undo(
                        plan.filter { planned in
                            if case .act(let act) = planned.step { done.contains(act) } else { true }
                        })
                }
            }
            var undone = entry
            undone.items =
                try acts
                + zip(own, plans).flatMap { group, plan in
                    let names = try names(of: plan.map(\.item), in: group)
                    return plan.filter { JournalAct($0.item.value) == nil }
                        .map { UndoItem($0, in: group, names: names) }
                }
            for index in undone.items.indices {
                let item = undone.items[index]
                undone.items[index].changedBy = entry.items.first { $0.isSame(as: item) }?.changedBy
            }
            // What is too much to be kept cannot come back; the warning of the change says so.
            undone.undoneBy = own.isEmpty || noted.contains(where: \.wasTooMuch) ? nil : undoing.key.short
            return undone
        }
    }

    /// Takes back what a command did that no record says.
    ///
    /// - Returns: Whether it is taken back; no where something has come in between.
    private func takeBack(
        _ act: JournalAct, of entry: JournalEntry, _ item: UndoItem, as undoing: JournalEntry
    ) throws(KeyringError) -> Bool {
        switch act {
        case .groupMade:
            return try keyring.groups.remove(item.groupID, madeBy: entry, overriding: item.isOverriding)
        case .groupRenamed(let name):
            guard let former = try? AccessGroup(name) else { return false }
            try keyring.groups.rename(item.group, to: former, as: undoing)
            return true
        case .accountMoved(let account, let source):
            let target = try withState { state in state.vault.groups.first { $0.keys.group == source }?.name }
            guard let target else { return false }
            _ = try keyring.accounts.move(account, from: item.group, to: target, patience: .seconds(5), as: undoing)
            return true
        case .tooMuch, .lasting: return false
        }
    }

    /// Forgets what commands took away: it cannot come back any more.
    ///
    /// - Parameters:
    ///   - id: The entry's id, or the beginning of it; nil for all.
    ///   - groups: The groups to look through; nil for all within reach.
    /// - Returns: How many entries went: none where the command only added something, of which nothing is kept.
    /// - Throws: `noSuchEntry` for an id that no entry has, `ambiguous`, and what writing can throw.
    public func clear(_ id: String? = nil, in groups: [AccessGroup]? = nil) throws(KeyringError) -> Int {
        // Of these nothing could come back, so they do not count. All that the vault keeps is forgotten first: that is meant most.
        var lasting = id == nil ? 0 : try forgetNotedOutside(id, in: groups)
        var removed: Set<JournalEntry> = []
        if id == nil || lasting == 0 {
            let found: (kept: Set<JournalEntry>, noted: Int) = try withState { state in
                var wanted: JournalEntry?
                if let id {
                    _ = try database.withSnapshot {
                        try entries(&state, Looking(groups: groups)) { runs in
                            wanted = try Self.run(named: id, among: runs).entry
                            return []
                        }
                    }
                }
                var (kept, noted): (Set<JournalEntry>, Set<JournalEntry>) = ([], [])
                try change(&state, try state.groups(groups)) { writers in
                    for writer in writers {
                        func isMeant(_ item: JournalItem) -> Bool { wanted == nil || item.entry == wanted }
                        noted.formUnion(
                            try writer.removeFromJournal { isMeant($0) && JournalAct($0)?.lastingChange != nil })
                        kept.formUnion(try writer.removeFromJournal(where: isMeant))
                    }
                }
                return (kept, noted.count)
            }
            removed = found.kept
            lasting += found.noted
        }
        if id == nil { lasting += try forgetNotedOutside(nil, in: groups) }
        // What was added before can still be taken away, and nobody means that who has forgotten something just now.
        if !removed.isEmpty || lasting > 0 { note(.undoCleared, as: "undo --clear") }
        return removed.count
    }

    /// The same error, with the undo as what to do where it is about one account whose token was added by hand and taken
    /// away: no sign-in brings that back.
    ///
    /// A token in whose place another one came was not taken away from anybody.
    func advising(_ error: KeyringError) -> KeyringError {
        if case .forgetAccount(let name, let group)? = error.advice, let account = AccountID(name) {
            guard let entry = bringingBack(account, in: group) else { return error }
            return error.saying(advice: .undoRemoval(id: entry.id, until: entry.until, account: name, group))
        }
        guard error.code == .signInNeeded, error.candidates.count == 1, let account = AccountID(error.candidates[0])
        else { return error }
        func isMeant(_ credential: Credential?) -> Bool {
            credential.map { $0.account == account && $0.kind == .accessToken && $0.clientID == Credential.noClient }
                ?? false
        }
        let offered: [UndoEntry]? = try? withState { state in
            try database.withSnapshot {
                // What is kept of others is not looked at.
                try entries(&state, Looking(findsAdded: false)) { runs in
                    runs.filter { $0.items.contains { isMeant($0.value.content.credential) } }
                }
            }
        }
        let entry = offered?.first { entry in
            entry.items.contains {
                $0.account == account && $0.kind == .accessToken && $0.clientID == nil && $0.outcome == .returns
                    && !$0.isSetBack && $0.expiresOn.map { clock.now < $0 } ?? true
            }
        }
        guard let entry else { return error }
        return error.saying(advice: .undo(id: entry.id, until: entry.until))
    }

    /// What brings an account back that is not in its group any more; nil where nothing does.
    private func bringingBack(_ account: AccountID, in group: AccessGroup) -> UndoEntry? {
        let found: [UndoEntry]? = try? withState { state in
            try database.withSnapshot {
                try entries(&state, Looking(groups: [group], findsAdded: false)) { runs in
                    runs.filter { run in
                        run.items.contains {
                            if case .account(let removed) = $0.value.content { removed.id == account } else { false }
                        }
                    }
                }
            }
        }
        return found?.first { entry in
            entry.items.contains { $0.kind == .account && $0.account == account && $0.outcome == .returns }
        }
    }

    /// What is to be looked at.
    private struct Looking {
        var groups: [AccessGroup]?
        var overrides = false
        /// Whether records that were added are looked for too.
        var findsAdded = true
        /// Which groups other machines may have.
        var shared = Keyring.Sync.SharedGroups.unknown
    }

    /// What is kept of one group, and what was added to it.
    private struct Found {
        let group: UnlockedVault.Group
        let items: [StoredItem<JournalItem>]
    }

    /// The entries, the newest first, and what undoing them would do.
    ///
    /// - Parameter choose: Which of the runs are meant, of all that there are, the newest first: only those are looked at closely.
    private func entries(
        _ state: inout State, _ looking: Looking,
        choosing choose: ([JournalRun]) throws -> [JournalRun] = { $0 }
    ) throws -> [UndoEntry] {
        let now = clock.now
        var found: [Found] = []
        let wanted = Set(try state.groups(looking.groups).map(\.name))
        for group in state.vault.groups {
            let isWanted = wanted.contains(group.name)
            let kept: SearchResult<JournalItem>
            do {
                kept = try database.journal(in: group.keys)
            } catch {
                // The damage of a group that is not meant keeps nobody from undoing.
                if isWanted { throw error }
                continue
            }
            var items = kept.items
            if isWanted {
                state.warn(ofDamage: kept.damaged, in: group.name)
            } else {
                // Whoever undoes in one group means no older change there either.
                items.removeAll { JournalAct($0.value)?.lastingChange == nil }
            }
            if isWanted, looking.findsAdded {
                // What does not open is told by whoever reads it for what it says.
                let begin = now.advanced(by: -JournalEntry.lifetime)
                items = try database.additions(in: group.keys, since: begin).items + items
            }
            items.removeAll { $0.value.entry.hasEnded(at: now) }
            if !items.isEmpty { found.append(Found(group: group, items: items)) }
        }
        let runs = try choose(JournalRun.runs(of: found.flatMap(\.items), at: now).reversed())
        let meant = Set(runs.map(\.entry))
        var (outcomes, grants): ([JournalEntry: [UndoItem]], [JournalEntry: Set<GrantKey>]) = ([:], [:])
        var (lasting, places): ([JournalEntry: [LastingChange]], [JournalEntry: [AccessGroup]]) = ([:], [:])
        for found in found {
            let all = JournalRun.runs(of: found.items, at: now)
            let (ofGroup, later) = (all.filter { meant.contains($0.entry) }, LaterChanges(all))
            for (entry, plan, touched) in try plans(of: ofGroup, found, looking, among: state.vault.groups) {
                grants[entry, default: []].formUnion(touched)
                let names = try names(of: plan.map(\.item), in: found.group)
                places[entry, default: []].append(found.group.name)
                let changes = try plan.compactMap { try $0.item.lastingChange(found.group.keys) }
                lasting[entry, default: []] += changes
                let undoable = plan.filter { JournalAct($0.item.value)?.lastingChange == nil }
                outcomes[entry, default: []] += try undoable.map { planned in
                    var item = UndoItem(planned, in: found.group, names: names)
                    item.changedBy = later.next(after: entry, of: planned.item.value)
                        .map { UndoItem.ChangedBy($0.entry) }
                    item.decided = try decided(planned, by: entry, later, found.group)
                    if case .act(let act) = planned.step {
                        try item.settle(
                            act, of: entry, in: found.group,
                            isSynced: looking.shared.contains(found.group.keys.group), &state, database,
                            overriding: looking.overrides)
                    }
                    return item
                }
            }
        }
        return runs.map { run in
            UndoEntry(
                run.entry, outcomes[run.entry] ?? [], lasting: lasting[run.entry] ?? [],
                in: places[run.entry] ?? [], at: run.milliseconds, grants: grants[run.entry] ?? [])
        }
    }

    /// What a command decided, where an undo takes that back or another one was decided since.
    private func decided(
        _ planned: PlannedUndo, by entry: JournalEntry, _ later: LaterChanges, _ group: UnlockedVault.Group
    ) throws -> UndoItem.Decided? {
        let now: StoredRecord? = if case .putBack(let record) = planned.step { record } else { nil }
        guard let setting = later.left(by: entry, of: planned.item.value, now: now, group.keys) else { return nil }
        let name = try setting.account.map { id in
            try database.account(id, in: group.keys)?.name ?? id.description
        }
        return UndoItem.Decided(text: GroupDecision(setting, in: group.name).text, accountName: name)
    }

    /// What undoing runs would do in one group, which is read once for all.
    private func plans(
        of runs: [JournalRun], _ found: Found, _ looking: Looking, among groups: [UnlockedVault.Group]
    ) throws -> [(JournalEntry, [PlannedUndo], Set<GrantKey>)] {
        guard !runs.isEmpty else { return [] }
        let items = runs.flatMap(\.items)
        let used = Set(
            try items.filter { try isUsedElsewhere($0, than: found.group, among: groups) }.map(\.record.header.record))
        let surroundings = UndoSurroundings(found.items)
        return try database.read(found.group.keys) { reader in
            try runs.map { run in
                let plan = try reader.planUndo(of: run.items, in: surroundings, overriding: looking.overrides) {
                    used.contains($0.record.header.record)
                }
                return (run.entry, plan, try reader.grantKeys(of: plan))
            }
        }
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
