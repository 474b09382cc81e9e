import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("Blocks of the history")
struct UsageSegmentTests {
    private let keys: GroupKeys
    private let records = [
        UsageRecord(
            time: .max, account: BlindValue(halves: (.max, 1)), place: 1, owner: 0x8000_0000_0000_0000,
            host: 0x0102_0304_0506_0708, tool: 255),
        UsageRecord(time: .min, account: BlindValue(halves: (0, 0)), isUnconfirmed: true),
        UsageRecord(time: 1_700_000_000, account: BlindValue(halves: (3, 4)), tool: 9),
    ]

    init() throws {
        keys = try .sample()
    }

    /// The events of a block; nil where it does not open.
    private func open(_ sealed: [UInt8], _ keys: GroupKeys? = nil, first: UInt64 = 5) -> [UsageRecord]? {
        let before = UsageRecord(time: 0, account: BlindValue(halves: (42, 42)))
        var found = [before]
        let isOpened = (keys ?? self.keys).openUsage(sealed, first: first, into: &found)
        guard found.first == before, isOpened || found.count == 1 else { return [] }
        return isOpened ? Array(found.dropFirst()) : nil
    }

    @Test("events come back as they were")
    func roundTrip() {
        let sealed = keys.seal(records[...], first: 5)
        #expect(sealed.count == 3 * 64 + 72)
        #expect(open(sealed) == records)
        #expect(open(keys.seal(records[1...], first: 5)) == Array(records[1...]))
    }

    @Test("a full block opens", arguments: [1, 2, 511, 512])
    func sizes(count: Int) {
        let many = (0..<count).map { UsageRecord(time: Int64($0), account: BlindValue(halves: (UInt64($0), 1))) }
        #expect(open(keys.seal(many[...], first: 5)) == many)
    }

    @Test("an event is a little-endian number, the id of an account, and five more numbers")
    func encoding() {
        let record = UsageRecord(
            time: -2, account: BlindValue(halves: (0x0102_0304_0506_0708, 6)), place: 2, owner: 3, host: 4, tool: 5,
            isUnconfirmed: true)
        #expect(
            hexadecimal(UsageSegment.encode([record]))
                == "feffffffffffffff0102030405060708000000000000000602000000000000000300000000000000"
                + "040000000000000005000000000000000100000000000000")
    }

    @Test("another group, epoch, vault key or place in the history opens nothing")
    func binding() throws {
        let sealed = keys.seal(records[...], first: 5)
        #expect(open(sealed, first: 6) == nil)
        #expect(open(sealed, try .sample(2)) == nil)
        #expect(open(sealed, try .sample(group: 2)) == nil)
        #expect(open(sealed, try .sample(epoch: 2)) == nil)
    }

    @Test("no altered byte is accepted")
    func alteration() {
        let sealed = keys.seal(records[...], first: 5)
        for offset in sealed.indices {
            for mask: UInt8 in [1, 0x80, 0xFF] { #expect(open(sealed.flipping(mask, at: offset)) == nil, "\(offset)") }
        }
    }

    @Test("no truncation and nothing appended is accepted")
    func truncation() {
        let sealed = keys.seal(records[...], first: 5)
        for count in sealed.indices { #expect(open(Array(sealed[..<count])) == nil, "\(count)") }
        #expect(open(sealed + [0]) == nil)
        #expect(open([UInt8](repeating: 0, count: 40_000)) == nil)
    }

    @Test(
        "what is sealed but is no list of events is refused as a whole",
        arguments: [0, 1, 63, 65, 127, 513 * 64])
    func lengths(count: Int) {
        let context = SealingContext.usage(keys.vault, keys.group, epoch: keys.epoch, first: 5)
        let box = keys.withUsageKey {
            CommittingAEAD.seal([UInt8](repeating: 0, count: count), key: $0, context: context)
        }
        #expect(open(box.nonce + box.commitment + box.ciphertext) == nil)
    }

    @Test("a flag that is not known refuses the block, also its events before that one")
    func flags() {
        let context = SealingContext.usage(keys.vault, keys.group, epoch: keys.epoch, first: 5)
        for bit in 1..<64 {
            let bytes = UsageSegment.encode(records[...])
                .flipping(1 << UInt8(bit % 8), at: 2 * 64 + 56 + bit / 8)
            let box = keys.withUsageKey { CommittingAEAD.seal(bytes, key: $0, context: context) }
            #expect(open(box.nonce + box.commitment + box.ciphertext) == nil, "\(bit)")
        }
    }
}

@Suite("Tags of the history")
struct UsageTagTests {
    @Test("equal parts have equal tags, under one key")
    func equality() throws {
        #expect(try GroupKeys.sample().usageTag(["host", "a"]) == GroupKeys.sample().usageTag(["host", "a"]))
    }

    @Test("other parts, other cuts and other keys have other tags")
    func separation() throws {
        let keys = try GroupKeys.sample()
        let lists = [[], [""], ["", ""], ["ab"], ["a", "b"], ["b", "a"], ["ab", ""], ["", "ab"], ["AB"]]
        let tags = lists.map(keys.usageTag) + [try GroupKeys.sample(2).usageTag(["ab"])]
        #expect(Set(tags).count == tags.count)
        #expect(!tags.contains(0))
    }
}
