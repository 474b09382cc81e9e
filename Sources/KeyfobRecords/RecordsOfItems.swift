internal import KeyfobFiles
package import KeyfobModel
package import KeyfobVault

// Of a few items, what the vault has of them and of whatever belongs to the same accounts, without going through all there is.

extension RecordReading {
    /// The records of some items, and of all that belongs to their accounts; nil where finding them takes a walk through all.
    package func records(with keys: some Sequence<ItemKey>) throws -> [StoredRecord]? {
        var found: [Int64: StoredRecord] = [:]
        var accounts: Set<String> = []
        for key in keys {
            if let account = key.account {
                guard accounts.insert(account).inserted else { continue }
                guard let id = AccountID(account), let all = try everyRecord(of: self.keys.blind(id)) else {
                    return nil
                }
                for record in all { found[record.rowID] = record }
            } else {
                guard let lookup = self.keys.lookup(key) else { return nil }
                for lookup in [lookup, self.keys.blind(tombstone: key)] {
                    for record in try records(.credential, lookup) { found[record.rowID] = record }
                }
            }
        }
        return found.values.sorted { $0.rowID < $1.rowID }
    }
}

extension GroupKeys {
    /// What the record of an item is found by that is no account's; nil for other kinds than those that go from device to device.
    fileprivate func lookup(_ key: ItemKey) -> Lookup? {
        switch key.kind {
        case .setting: key.parts.first.map { blind(setting: $0) }
        case .appMetadata: key.parts.count == 2 ? blind(clientID: key.parts[0], environment: key.parts[1]) : nil
        case .account, .grant, .idToken, .accessToken, .clientSecret, .foreign: nil
        }
    }
}

extension VaultReading {
    /// Some items of a group, and all that belongs to their accounts; nil where finding them takes a walk through all.
    ///
    /// What does not open is passed over.
    package func items(in group: UnlockedVault.Group, with keys: some Sequence<ItemKey>) throws -> [RecordItem]? {
        try snapshot(group.keys) { reader in
            try reader.records(with: keys)?.compactMap { try? RecordItem($0, reader.keys, in: group.name) }
        }
    }

    /// The items of one kind in a group, and what does not open is passed over.
    package func items(in group: UnlockedVault.Group, _ kind: RecordHeader.Kind) throws -> [RecordItem] {
        try snapshot(group.keys) { reader in
            var items: [RecordItem] = []
            try reader.forEachRecord(kind: kind) { result in
                guard let record = try? result.get(),
                    let item = try? RecordItem(record, reader.keys, in: group.name)
                else { return }
                items.append(item)
            }
            return items
        }
    }
}

extension GroupWriter {
    /// The rows of some items, and of all that belongs to their accounts, with the key of each; nil where finding them takes a
    /// walk through all.
    package func rows(with keys: some Sequence<ItemKey>, in group: AccessGroup) throws -> [(key: ItemKey, row: Int64)]?
    {
        try reader.records(with: keys)?.map { record in
            (try RecordItem(record, reader.keys, in: group).item.key, record.rowID)
        }
    }
}
