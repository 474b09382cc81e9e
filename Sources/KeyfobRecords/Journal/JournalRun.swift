package import KeyfobModel
package import KeyfobVault

/// One run of a command, with what a group keeps of it.
package struct JournalRun {
    /// Which run it is.
    package let entry: JournalEntry
    /// What is kept of it, in the order in which it was written.
    package private(set) var items: [StoredItem<JournalItem>] = []
    /// When the last of it was written, in milliseconds since 1970: a command that began earlier may have ended later.
    package private(set) var milliseconds: Int64 = 0
    /// Where the last of it was among all that was written.
    private var place = 0

    private init(_ entry: JournalEntry) { self.entry = entry }

    private mutating func add(_ item: StoredItem<JournalItem>, at place: Int) {
        items.append(item)
        // A record that was added has changed since.
        let origin = item.isAddition ? item.value.added?.origin() : nil
        milliseconds = max(milliseconds, origin?.milliseconds ?? item.record.header.stamp.milliseconds)
        self.place = place
    }

    private func isAhead(of now: Timestamp) -> Bool {
        entry.isAhead(of: now) || JournalEntry.isAhead(Timestamp(seconds: milliseconds / 1_000), of: now)
    }

    /// What items were kept under, the oldest run first; of a run are the items that say the same of it.
    ///
    /// The newest is the one that wrote last, whenever its command began. A run that says it is yet to come is older than all
    /// others: whoever holds one group's key could else have it be the newest for a day, and displace what others
    /// have done since.
    ///
    /// - Parameters:
    ///   - items: What groups keep, each group's in the order in which it was written.
    ///   - now: When that is asked.
    package static func runs(of items: [StoredItem<JournalItem>], at now: Timestamp) -> [JournalRun] {
        var runs: [JournalEntry: JournalRun] = [:]
        for (place, item) in items.enumerated() {
            let entry = item.value.entry
            runs[entry, default: JournalRun(entry)].add(item, at: place)
        }
        func order(_ run: JournalRun) -> (Int, Int64, Timestamp, Int) {
            (run.isAhead(of: now) ? 0 : 1, run.milliseconds, run.entry.time, run.place)
        }
        return runs.values.sorted { order($0) < order($1) }
    }
}
