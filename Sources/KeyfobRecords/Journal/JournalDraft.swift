internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobVault

/// What a change has taken away, replaced and added so far, item by item.
struct JournalDraft {
    /// One item.
    struct Change {
        /// The record before the change, with its sealed secret; nil where the item was not there.
        let former: StoredRecord?
        /// What that one said.
        let said: (body: FieldList, content: ItemContent)?
        /// Whether the same run has added that one before.
        let isOwn: Bool
        /// The record that is there now.
        var left: SealedRecord?
        /// What tells it from any other, where whoever wrote it has said so.
        var leftDigest: [UInt8]?
    }

    /// What is known of a record that is written, so that nobody has to open it again.
    struct Known {
        let key: ItemKey
        let digest: [UInt8]
    }

    /// How many bytes the former records may have; nil for any number.
    private let limit: Int?
    private var size = 0
    /// Whether they have more than that: then none of them is held.
    private(set) var isTooLarge = false
    private(set) var keys: [ItemKey] = []
    private var changes: [ItemKey: Change] = [:]

    /// A draft whose former records have so many bytes at most.
    init(limit: Int? = nil) { self.limit = limit }

    /// The items with what happened to them, in the order in which they were changed first.
    var items: [(key: ItemKey, change: Change)] { keys.compactMap { key in changes[key].map { (key, $0) } } }

    /// Whether nothing was noted.
    var isEmpty: Bool { keys.isEmpty }

    /// Whether the item's former state is known already.
    func knows(_ key: ItemKey) -> Bool { changes[key] != nil }

    /// Notes an item before it changes for the first time.
    mutating func begin(
        _ key: ItemKey, _ former: StoredRecord?, _ said: (body: FieldList, content: ItemContent)?, isOwn: Bool = false
    ) {
        size += (former?.attributes.ciphertext.count ?? 0) + (former?.secret?.ciphertext.count ?? 0)
        if let limit, size > limit { (isTooLarge, keys, changes) = (true, [], [:]) }
        guard !isTooLarge else { return }
        keys.append(key)
        changes[key] = Change(former: former, said: said, isOwn: isOwn)
    }

    /// Notes what is there of an item now.
    mutating func leave(_ key: ItemKey, _ record: SealedRecord?, _ digest: [UInt8]? = nil) {
        changes[key]?.left = record
        changes[key]?.leftDigest = digest
    }
}

extension ItemContent {
    /// Whether it can come back: all but the note of which accounts are gone, which follows them by itself.
    var isKeptForUndo: Bool {
        if case .setting(FormerAccount.setting, _) = self { false } else { true }
    }
}

extension RecordHeader.Kind {
    /// Whether its records hold items that can come back.
    var isOfItems: Bool { self != .tombstone && self != .journal }
}
