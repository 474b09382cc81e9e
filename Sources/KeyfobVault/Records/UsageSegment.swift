package import KeyfobModel
internal import KeyfobSodium

/// One event of the history, as it is stored.
///
/// Contexts are tags of `GroupKeys.usageTag`; 0 stands for what is not known.
package struct UsageRecord: Hashable, Sendable {
    /// When, in seconds since 1970.
    package var time: Int64
    /// Which account: its blinded id, by which an index finds it.
    package var account: BlindValue
    /// The repository, the address or the directory.
    package var place: UInt64
    /// Whoever owns the place.
    package var owner: UInt64
    /// The host.
    package var host: UInt64
    /// The calling program.
    package var tool: UInt64
    /// Whether the account was taken without anybody saying that it was the right one.
    package var isUnconfirmed: Bool

    package init(
        time: Int64, account: BlindValue, place: UInt64 = 0, owner: UInt64 = 0, host: UInt64 = 0, tool: UInt64 = 0,
        isUnconfirmed: Bool = false
    ) {
        self.time = time
        self.account = account
        self.place = place
        self.owner = owner
        self.host = host
        self.tool = tool
        self.isUnconfirmed = isUnconfirmed
    }
}

/// How events of the history are sealed: several in a block, 64 bytes each.
///
///     time i64 ‖ account 16 ‖ place u64 ‖ owner u64 ‖ host u64 ‖ tool u64 ‖ flags u64
package enum UsageSegment {
    /// The most events that one block holds.
    package static let capacity = 512
    /// The length of an event in bytes.
    package static let eventCount = 64
    /// What sealing adds to the events, in bytes.
    package static let overhead =
        CommittingAEAD.nonceCount + CommittingAEAD.commitmentCount + CommittingAEAD.tagCount

    private static let unconfirmed: UInt64 = 1

    static func encode(_ records: ArraySlice<UsageRecord>) -> [UInt8] {
        var writer = ByteWriter(capacity: records.count * eventCount)
        for record in records {
            writer.write(record.time)
            writer.write(record.account)
            for tag in [record.place, record.owner, record.host, record.tool] { writer.write(tag) }
            writer.write(record.isUnconfirmed ? unconfirmed : 0)
        }
        return writer.bytes
    }

    /// Appends the events in `bytes`; false, and nothing appended, where they are none.
    static func decode(_ bytes: [UInt8], into records: inout [UsageRecord]) -> Bool {
        guard !bytes.isEmpty, bytes.count % eventCount == 0, bytes.count <= capacity * eventCount else { return false }
        let before = records.count
        for start in stride(from: 0, to: bytes.count, by: eventCount) {
            let flags = word(bytes, start + 56)
            guard flags & ~unconfirmed == 0 else {
                records.removeLast(records.count - before)
                return false
            }
            records.append(
                UsageRecord(
                    time: Int64(bitPattern: word(bytes, start)),
                    account: BlindValue(
                        halves: (word(bytes, start + 8).byteSwapped, word(bytes, start + 16).byteSwapped)),
                    place: word(bytes, start + 24), owner: word(bytes, start + 32), host: word(bytes, start + 40),
                    tool: word(bytes, start + 48), isUnconfirmed: flags & unconfirmed != 0))
        }
        return true
    }

    /// Eight bytes as a number; written out, because a choice among accounts waits for 70,000 of them.
    @inline(__always)
    private static func word(_ bytes: [UInt8], _ start: Int) -> UInt64 {
        let low =
            UInt64(bytes[start]) | UInt64(bytes[start + 1]) << 8 | UInt64(bytes[start + 2]) << 16
            | UInt64(bytes[start + 3]) << 24
        let high =
            UInt64(bytes[start + 4]) | UInt64(bytes[start + 5]) << 8 | UInt64(bytes[start + 6]) << 16
            | UInt64(bytes[start + 7]) << 24
        return low | high << 32
    }
}

extension GroupKeys {
    /// Seals events as one block, the first of which has the number `first` in its group.
    ///
    /// There must be 1 to 512 of them.
    package func seal(_ records: ArraySlice<UsageRecord>, first: UInt64) -> [UInt8] {
        precondition(!records.isEmpty && records.count <= UsageSegment.capacity, "a block has 1 to 512 events")
        let context = SealingContext.usage(vault, group, epoch: epoch, first: first)
        return withUsageKey { CommittingAEAD.seal(UsageSegment.encode(records), key: $0, context: context) }.stored
    }

    /// Appends the events of a block to `records`.
    ///
    /// - Returns: Whether it opened; if not, nothing is appended. A block of another group, of another epoch
    ///   or from another place in the history opens as little as a damaged one.
    package func openUsage(_ sealed: [UInt8], first: UInt64, into records: inout [UsageRecord]) -> Bool {
        guard sealed.count <= UsageSegment.overhead + UsageSegment.capacity * UsageSegment.eventCount,
            let box = CommittingAEAD.Box(stored: sealed)
        else { return false }
        let context = SealingContext.usage(vault, group, epoch: epoch, first: first)
        let bytes = withUsageKey { try? CommittingAEAD.openAttributes(box, key: $0, context: context) }
        return bytes.map { UsageSegment.decode($0, into: &records) } ?? false
    }

    /// What stands for a context in the history: nobody without the group's key can tell what.
    ///
    /// Other parts, or the same text cut elsewhere, have another tag. It is never 0.
    package func usageTag(_ parts: [String]) -> UInt64 {
        var message = ByteWriter()
        message.write(Array("keyfob usage tag v1".utf8))
        for part in parts { message.writeCounted(Array(part.utf8)) }
        let hash = withUsageTagKey { BLAKE2b.mac(message.bytes, key: $0, count: 16) }
        var tag: UInt64 = 0
        for index in 0..<8 { tag |= UInt64(hash[index]) << (8 * UInt64(index)) }
        return tag == 0 ? 1 : tag
    }
}
