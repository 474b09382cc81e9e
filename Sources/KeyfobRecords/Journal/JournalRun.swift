package import KeyfobModel
package import KeyfobVault

/// One run of a command, with what a group keeps of it.
package struct JournalRun {
    /// Which run it is.
    package let entry: JournalEntry
    /// What is kept of it, in the order in which it was written.
    package private(set) var items: [StoredItem<JournalItem>] = []
    /// When the last of it was written, in milliseconds since 1970.
    private var milliseconds: Int64 = 0
    /// Where the last of it was among all that was written.
    private var place = 0

    private init(_ entry: JournalEntry) { self.entry = entry }

    /// What items were kept under, the oldest run first; of a run are the items that say the same of it.
    ///
    /// Of runs in the same second the one whose records were written earlier is older. A run that says it is yet to come is
    /// older than all others: whoever holds one group's key could else have it be the newest for a day, and displace what others
    /// have done since.
    ///
    /// - Parameters:
    ///   - items: What groups keep, each group's in the order in which it was written.
    ///   - now: When that is asked.
    package static func runs(of items: [StoredItem<JournalItem>], at now: Timestamp) -> [JournalRun] {
        var runs: [JournalEntry: JournalRun] = [:]
        for (place, item) in items.enumerated() {
            var run = runs[item.value.entry] ?? JournalRun(item.value.entry)
            run.items.append(item)
            // A record that was added has changed since.
            let origin = item.isAddition ? item.value.added?.origin() : nil
            run.milliseconds = max(run.milliseconds, origin?.milliseconds ?? item.record.header.stamp.milliseconds)
            run.place = place
            runs[run.entry] = run
        }
        func order(_ run: JournalRun) -> (Int, Timestamp, Int64, Int) {
            (run.entry.isAhead(of: now) ? 0 : 1, run.entry.time, run.milliseconds, run.place)
        }
        return runs.values.sorted { order($0) < order($1) }
    }
}
