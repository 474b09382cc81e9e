internal import KeyfobModel
internal import KeyfobVault

/// What a change has taken away, replaced and added so far, item by item.
struct JournalDraft {
    /// One item.
    struct Change {
        /// The record before the change, with its sealed secret; nil where the item was not there.
        let former: StoredRecord?
        /// The record that is there now.
        var left: SealedRecord?
    }

    private(set) var keys: [ItemKey] = []
    private var changes: [ItemKey: Change] = [:]

    /// The items with what happened to them, in the order in which they were changed first.
    var items: [(key: ItemKey, change: Change)] { keys.compactMap { key in changes[key].map { (key, $0) } } }

    /// Whether the item's former state is known already.
    func knows(_ key: ItemKey) -> Bool { changes[key] != nil }

    /// Notes an item before it changes for the first time.
    mutating func begin(_ key: ItemKey, _ former: StoredRecord?) {
        keys.append(key)
        changes[key] = Change(former: former)
    }

    /// Notes what is there of an item now.
    mutating func leave(_ key: ItemKey, _ record: SealedRecord?) { changes[key]?.left = record }
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
