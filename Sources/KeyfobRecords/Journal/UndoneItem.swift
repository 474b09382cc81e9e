internal import KeyfobModel
internal import KeyfobVault

/// An item that a run of a command has changed, from before its first change to what its last one left.
struct UndoneItem {
    /// What the journal keeps of it, or the record that was added.
    private(set) var item: StoredItem<JournalItem>
    /// What else the journal keeps of it.
    private(set) var rest: [StoredRecord] = []

    /// The items that a run has changed, in the order in which it changed them first: each once, however often that was.
    static func all(of items: [StoredItem<JournalItem>]) -> [UndoneItem] {
        var found: [UndoneItem] = []
        var places: [ItemKey: Int] = [:]
        for item in items where !item.isAddition {
            let key = item.value.content.key
            if let place = places[key] {
                found[place].add(item)
            } else {
                // What no record says is there once for each time.
                if JournalAct(item.value) == nil { places[key] = found.count }
                found.append(UndoneItem(item: item.withoutOwn))
            }
        }
        for item in items where item.isAddition {
            guard let place = places[item.value.content.key] else {
                found.append(UndoneItem(item: item))
                continue
            }
            // The run has taken the item away, and added it again.
            found[place].leave(item)
        }
        return found
    }

    /// Notes what a later change of the run left.
    private mutating func add(_ later: StoredItem<JournalItem>) {
        var value = item.value
        (value.left, value.leftDigest) = (later.value.left, later.value.leftDigest)
        value.leavesSecret = later.value.leavesSecret
        let (before, now) = (value.content.credential?.grant, later.value.content.credential?.grant)
        if later.value.isReplaced, (before ?? Grant()).epoch == (now ?? Grant()).epoch { value.isReplaced = true }
        item = StoredItem(record: item.record, value: value)
        rest.append(later.record)
    }

    private mutating func leave(_ added: StoredItem<JournalItem>) {
        guard added.value.added?.isChanged == false else { return }
        var value = item.value
        (value.left, value.leftDigest) = (added.record.header.version, nil)
        value.leavesSecret = added.record.secretCommitment != nil
        item = StoredItem(record: item.record, value: value)
    }
}

extension StoredItem<JournalItem> {
    /// The same, where what was there before the change had come by the same run: before that nothing was there.
    fileprivate var withoutOwn: StoredItem<JournalItem> {
        guard let former = value.former, former.body.origin()?.entry == value.entry else { return self }
        return StoredItem(record: record, value: value.withoutFormer(added: former.body))
    }
}
