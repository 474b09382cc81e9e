internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobVault

/// The blocks of events of one group, on an open connection.
///
/// Every event has a number, one more than that of the event before. A block is sealed with the number of
/// its first event, so that none can be repeated or put elsewhere in the history. A new event is a block of
/// its own; folding packs such loose events together.
struct UsageBlocks {
    /// More loose events than this are folded by the next event.
    static let looseEvents = 64
    /// No number of an event is believed that is not below this.
    private static let numberLimit: Int64 = 1 << 53
    /// More blocks than this are not read: no history has so many.
    private static let mostBlocks = 4_096

    let connection: SQLiteConnection
    let keys: GroupKeys
    /// How many events are kept.
    let limit: Int

    /// A block as it lies in the table.
    private struct Block {
        let id: Int64
        let epoch: Int64
        let first: Int64
        let events: Int64
        let sealed: [UInt8]

        static let columns = "id, epoch, first, events, sealed"

        init?(_ row: SQLiteStatement) {
            guard let id = row.integer(0) else { return nil }
            self.id = id
            epoch = row.integer(1) ?? 0
            first = row.integer(2) ?? -1
            events = row.integer(3) ?? 0
            sealed = row.bytes(4)
        }

        /// The number after that of the last event; nil where the columns cannot be right.
        var end: Int64? {
            guard (1...Int64(UsageSegment.capacity)).contains(events),
                (0..<UsageBlocks.numberLimit - events).contains(first)
            else { return nil }
            return first + events
        }

        /// Appends the events; false where it is not what it says.
        func open(_ keys: GroupKeys, into records: inout [UsageRecord]) -> Bool {
            guard end != nil, sealed.count == UsageSegment.overhead + Int(events) * UsageSegment.eventCount
            else { return false }
            return keys.openUsage(sealed, first: UInt64(first), into: &records)
        }
    }

    /// The events that are kept, in the order in which they were noted, and how many blocks did not open.
    func events() throws(StorageFailure) -> (records: [UsageRecord], skipped: Int) {
        var blocks: [Block] = []
        var (count, skipped) = (0, 0)
        try connection.run(
            """
            SELECT \(Block.columns) FROM blocks WHERE group_id = ?1 AND epoch = ?2
            ORDER BY first DESC LIMIT \(Self.mostBlocks)
            """,
            [group, .integer(Int64(keys.epoch))],
            row: { row in
                guard let block = Block(row), block.end != nil else {
                    skipped += 1
                    return true
                }
                blocks.append(block)
                count += Int(block.events)
                return count < limit
            })
        var records: [UsageRecord] = []
        records.reserveCapacity(min(count, limit + UsageSegment.capacity))
        var end: Int64 = 0
        for block in blocks.reversed() {
            guard block.first >= end, block.open(keys, into: &records) else {
                skipped += 1
                continue
            }
            end = block.end ?? end
        }
        if records.count > limit { records.removeFirst(records.count - limit) }
        return (records, skipped)
    }

    /// How many events there seem to be; nothing is opened.
    func count() throws(StorageFailure) -> Int {
        let sum = try connection.integer(
            "SELECT CAST(total(events) AS INTEGER) FROM blocks WHERE group_id = ?1 AND epoch = ?2",
            [group, .integer(Int64(keys.epoch))])
        return Int(max(0, min(sum ?? 0, Int64(limit))))
    }

    /// Notes an event, within a transaction.
    ///
    /// - Parameter mustFold: Whether to drop now what does not open.
    func append(_ record: UsageRecord, mustFold: Bool) throws(StorageFailure) {
        let loose = try connection.integer("SELECT count(*) FROM blocks WHERE group_id = ?1 AND events = 1", [group])
        if mustFold || (loose ?? 0) > Self.looseEvents { try fold() }
        if let next = try nextNumber() { return try insert([record], first: next) }
        // The last block's columns are damaged: folding drops it.
        try fold()
        guard let next = try nextNumber() else { throw StoreError.damaged(what: "usage.db") }
        try insert([record], first: next)
    }

    /// Packs loose events into blocks, and drops what is too old, what does not open, and what an earlier key
    /// of the group sealed.
    private func fold() throws(StorageFailure) {
        /// A block that opened, and where its events are.
        struct Opened {
            let block: Block
            let range: Range<Int>
        }
        var opened: [Opened] = []
        var records: [UsageRecord] = []
        var dropped: [Int64] = []
        var end: Int64 = 0
        try connection.run("SELECT \(Block.columns) FROM blocks WHERE group_id = ?1 ORDER BY first", [group]) { row in
            guard let block = Block(row) else { return true }
            // What a newer key sealed belongs to whoever has that key.
            if block.epoch > Int64(keys.epoch), block.end != nil { return true }
            let start = records.count
            guard block.epoch == Int64(keys.epoch), block.first >= end, block.open(keys, into: &records) else {
                dropped.append(block.id)
                return true
            }
            end = block.end ?? end
            opened.append(Opened(block: block, range: start..<records.count))
            return true
        }
        let tooOld = opened.prefix { $0.range.upperBound <= records.count - limit }
        let full = opened.dropFirst(tooOld.count).prefix { $0.block.events == UsageSegment.capacity }
        let rest = opened.dropFirst(tooOld.count + full.count)
        for id in dropped + (tooOld + rest).map(\.block.id) {
            try connection.run("DELETE FROM blocks WHERE id = ?1", [.integer(id)])
        }
        // The number of every event that is packed; a block keeps that of its first one.
        let numbers = rest.flatMap { $0.block.first..<$0.block.first + $0.block.events }
        let start = rest.first?.range.lowerBound ?? records.count
        for offset in stride(from: 0, to: numbers.count, by: UsageSegment.capacity) {
            let packed = records[(start + offset)...].prefix(UsageSegment.capacity)
            try insert(packed, first: numbers[offset])
        }
    }

    /// The number of the next event; nil where the last block cannot be right, or leaves no room for more.
    private func nextNumber() throws(StorageFailure) -> Int64? {
        var next: Int64? = 0
        let sql = "SELECT \(Block.columns) FROM blocks WHERE group_id = ?1 ORDER BY first DESC LIMIT 1"
        try connection.run(sql, [group]) { row in
            next = Block(row)?.end
            return false
        }
        return next.flatMap { $0 < Self.numberLimit - Int64(UsageSegment.capacity) ? $0 : nil }
    }

    private func insert(_ records: ArraySlice<UsageRecord>, first: Int64) throws(StorageFailure) {
        try connection.run(
            "INSERT INTO blocks (group_id, epoch, first, events, sealed) VALUES (?1, ?2, ?3, ?4, ?5)",
            [
                group, .integer(Int64(keys.epoch)), .integer(first), .integer(Int64(records.count)),
                .bytes(keys.seal(records, first: UInt64(first))),
            ])
    }

    private var group: QueryValue { .bytes(keys.group.bytes) }
}
