internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

/// Which runs of commands changed what in one group, so that an entry can say what came after it.
struct LaterChanges {
    private struct Change {
        /// The place of its run, of which the oldest has the first.
        let rank: Int
        let item: JournalItem
    }

    private var (byItem, byAccount): ([ItemKey: [Change]], [AccountID: [Change]]) = ([:], [:])
    private var ranks: [JournalEntry: Int] = [:]

    /// - Parameter runs: The runs, the oldest first.
    init(_ runs: [JournalRun]) {
        for (rank, run) in runs.enumerated() {
            ranks[run.entry] = rank
            for item in run.items.map(\.value) where JournalAct(item)?.lastingChange == nil {
                let change = Change(rank: rank, item: item)
                byItem[item.content.key, default: []].append(change)
                if let account = item.account { byAccount[account, default: []].append(change) }
            }
        }
    }

    /// What the next run changed that came after another and touched the same item; of an account, also what it holds.
    func next(after entry: JournalEntry, of item: JournalItem) -> JournalItem? {
        var changes = byItem[item.content.key] ?? []
        if case .account(let account) = item.content { changes += byAccount[account.id] ?? [] }
        return first(of: changes, after: entry)
    }

    private func first(of changes: [Change], after entry: JournalEntry) -> JournalItem? {
        guard let rank = ranks[entry] else { return nil }
        return changes.filter { $0.rank > rank }.min { $0.rank < $1.rank }?.item
    }

    /// What a command made of a setting: what the next one found, or what is there now.
    func left(by entry: JournalEntry, of item: JournalItem, now: StoredRecord?, _ group: GroupKeys) -> Setting? {
        guard case .setting(let name, _) = item.content else { return nil }
        let content = first(of: byItem[item.content.key] ?? [], after: entry)?.content ?? (try? now?.content(group))
        guard case .setting(name, let value?)? = content else { return nil }
        return Setting(name, value, by: .unknown)
    }
}
