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
    func additions(of entries: Set<JournalEntry>) throws -> [StoredItem<JournalItem>] {
        var found: [StoredItem<JournalItem>] = []
        for kind in RecordHeader.Kind.added {
            try forEachRecord(kind: kind) { result in
                guard let record = try? result.get(), let body = try? record.open(keys), let origin = body.origin(),
                    entries.contains(origin.entry), let item = JournalItem(addedBy: body, kind)
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

/// What a group holds besides the items of one run, for what undoing that run would do: read once for all runs.
package final class UndoSurroundings {
    private struct Change {
        let entry: JournalEntry
        let place: (milliseconds: Int64, row: Int64)
    }

    private var ofAccounts: [AccountID: [Change]] = [:]
    /// The entries of other programs' files, by the accounts that they are about; nil until somebody asks.
    var foreign: [AccountID: [StoredRecord]]?

    /// What the journal of the group keeps; what an undo has changed stands again as it was.
    package init(_ items: [StoredItem<JournalItem>]) {
        for item in items where !item.isAddition && !item.value.entry.isUndo {
            let change = Change(
                entry: item.value.entry, place: (item.record.header.stamp.milliseconds, item.record.rowID))
            if case .accountMoved(let id, _) = JournalAct(item.value) { ofAccounts[id, default: []].append(change) }
            switch item.value.content {
            case .account(let account): ofAccounts[account.id, default: []].append(change)
            case .credential(let credential): ofAccounts[credential.account, default: []].append(change)
            default: break
            }
        }
    }

    /// Whether something of an account was changed or taken away since a command added the account: it could not come back
    /// without it.
    func changed(_ account: AccountID, since added: StoredItem<JournalItem>) -> Bool {
        let begin = added.addedAt
        return ofAccounts[account]?.contains { $0.entry != added.value.entry && $0.place > begin } ?? false
    }
}

extension StoredItem<JournalItem> {
    /// When a command added the item, and in which row that is told.
    fileprivate var addedAt: (milliseconds: Int64, row: Int64) {
        let origin = isAddition ? value.added?.origin() : nil
        return (origin?.milliseconds ?? record.header.stamp.milliseconds, record.rowID)
    }
}
