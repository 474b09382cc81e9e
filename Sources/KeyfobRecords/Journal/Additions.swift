internal import KeyfobFiles
package import KeyfobModel
package import KeyfobVault

// What commands have added, as the records say themselves.

extension StoredItem<JournalItem> {
    /// Whether it is a record that a command added, and none of the journal.
    package var isAddition: Bool { record.header.kind != .journal }
}

extension RecordHeader.Kind {
    /// The kinds of records that can say which command added them.
    fileprivate static let added: [RecordHeader.Kind] = [
        .account, .accessToken, .refreshToken, .idToken, .appMetadata, .foreign, .setting, .clientSecret,
    ]
}

extension JournalItem {
    /// What a record says of the command that added it; nil where it says nothing.
    fileprivate init?(addedBy body: FieldList, _ kind: RecordHeader.Kind) {
        // Which version there is the record tells.
        guard let origin = body.origin(),
            let item = try? JournalItem(
                origin.entry, kind, added: body, left: ItemVersion(stamp: Stamp(value: 0), device: 0))
        else { return nil }
        self = item
    }
}

extension RecordReading {
    /// The records that some runs of commands have added; those that do not open are passed over.
    func additions(of ids: Set<JournalID>) throws -> [StoredItem<JournalItem>] {
        var found: [StoredItem<JournalItem>] = []
        for kind in RecordHeader.Kind.added {
            try forEachRecord(kind: kind) { result in
                guard let record = try? result.get(), let body = try? record.open(keys), let origin = body.origin(),
                    ids.contains(origin.entry.id), let item = JournalItem(addedBy: body, kind)
                else { return }
                found.append(StoredItem(record: record, value: item))
            }
        }
        return found
    }
}

extension VaultReading {
    /// The records of a group that say which command added them, and that were written since `time`.
    ///
    /// Reads the whole group.
    ///
    /// - Throws: `incomplete` when there are not as many records as there should be.
    package func additions(in keys: GroupKeys, since time: Timestamp) throws -> SearchResult<JournalItem> {
        var all = SearchResult<JournalItem>()
        for kind in RecordHeader.Kind.added {
            let found = try self.all(
                kind, in: keys, { JournalItem(addedBy: $0, kind) }, since: time, where: { $0 != nil })
            all.damaged += found.damaged
            all.items += found.items.compactMap { item in item.value.map { StoredItem(record: item.record, value: $0) }
            }
        }
        return all
    }
}

/// What later commands have changed of what earlier ones added.
struct JournalLater {
    private var changed: [ItemKey: Set<JournalID>] = [:]

    /// What the journal tells of it; what an undo has changed stands again as it was.
    init(_ items: [StoredItem<JournalItem>]) {
        for item in items where !item.value.entry.isUndo {
            guard let origin = item.value.former?.body.origin() else { continue }
            changed[item.value.content.key, default: []].insert(origin.entry.id)
        }
    }

    /// Whether what a command added is not any more what it added.
    func changed(_ item: JournalItem) -> Bool { changed[item.content.key]?.contains(item.entry.id) ?? false }
}
