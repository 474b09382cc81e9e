package import KeyfobModel
internal import KeyfobSodium

/// Where an item stands among those of its group in a bundle: what belongs to one account stands together.
///
/// 4 bytes of BLAKE2b of what the item belongs to (its account's id, or its own key where it is no account's), and then
/// 12 bytes of BLAKE2b of its key. Only order hangs on it: the first part may be the same for two accounts.
package struct ItemMark: Hashable, Comparable, Sendable {
    /// The part that all items of one account share.
    package let slice: UInt32
    private let high: UInt32
    private let low: UInt64

    /// The mark of an item with this key.
    package init(_ key: ItemKey) {
        let hash = BLAKE2b.hash(key.encoded, count: 32)
        slice = Self.slice(of: key)
        high = UInt32(truncatingIfNeeded: Self.number(hash[..<4]))
        low = Self.number(hash[4..<12])
    }

    /// The ``slice`` of the mark of an item with this key.
    package static func slice(of key: ItemKey) -> UInt32 {
        let owner = key.account.map { Array($0.utf8) } ?? key.encoded
        return UInt32(truncatingIfNeeded: number(BLAKE2b.hash(owner, count: 32)[..<4]))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// Orders as the bytes are ordered.
    package static func < (left: ItemMark, right: ItemMark) -> Bool {
        (left.slice, left.high, left.low) < (right.slice, right.high, right.low)
    }
}

/// The order of a bundle's records: by group, and in a group by ``ItemMark``, each later than the one before.
///
/// So an item cannot be there twice, and nothing has to be remembered of those before.
struct RecordOrder {
    private let limit: Int
    private var last: (group: AccessGroup, mark: ItemMark)?
    private(set) var count = 0
    private(set) var counts: [BundleManifest.RecordKind: Int] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes the next record.
    ///
    /// - Throws: `limitExceeded`; `repeatedRecord` for the item that was there before; `wrongOrder`.
    mutating func take(_ record: ItemRecord, line: Int) throws(BundleError) {
        guard count < limit else { throw .limitExceeded(.records(limit)) }
        let mark = ItemMark(record.key)
        if let last {
            guard last != (record.group, mark) else { throw .repeatedRecord(line: line) }
            guard last < (record.group, mark) else { throw .wrongOrder(line: line) }
        }
        last = (record.group, mark)
        count += 1
        counts[record.kind, default: 0] += 1
    }
}
