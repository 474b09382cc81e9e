package import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium
package import KeyfobVault

/// An item as a merge and a bundle want it, and the record that it is read from.
package struct RecordItem: Sendable {
    /// The item; of a tombstone of a grant, the grant.
    package var item: ItemRecord
    package let record: StoredRecord

    /// Whether it has a secret to take along; the token of a grant that has ended stays where it is.
    package var hasSecret: Bool {
        if let grant = item.content.credential?.grant, grant.state != .active { return false }
        return record.secretCommitment != nil
    }

    /// Opens a record.
    ///
    /// - Throws: `staleKeys`, `damaged`.
    init(_ record: StoredRecord, _ keys: GroupKeys, in group: AccessGroup) throws {
        self.record = record
        item = try record.decode(keys) { body throws(FieldList.Malformed) in
            var content = try ItemBody.decode(body, record.header.kind)
            if var credential = content.credential {
                credential.grant = credential.grant?.elsewhere
                content = .credential(credential)
            }
            let isOwners = record.header.kind == .setting ? try Setting(body, keys).isOwners : false
            return ItemRecord(
                group: group, content: content, version: record.version, history: try body.history(),
                isThisDeviceOnly: record.header.isThisDeviceOnly,
                isOwners: isOwners)
        }
    }
}

/// Lends the secret of an item while a group is gone through.
package struct ItemSecrets {
    let reader: any RecordReading

    /// The secret of an item that has one.
    ///
    /// - Throws: `damaged`, `staleKeys`.
    package func secret(of item: RecordItem) throws -> SecretBytes { try reader.secret(item.record) }
}

extension RecordReading {
    /// Calls `body` with each item, or with what is wrong with its row; the undo journal is passed over.
    ///
    /// - Returns: Whether the rows are those of the manifest.
    func forEachItem(of group: AccessGroup, _ body: (Result<RecordItem, StoreError>, ItemSecrets) throws -> Void) throws
        -> Bool
    {
        let expected = try manifest()
        var actual = GroupManifest()
        try forEachRow { _, result in
            let item: Result<RecordItem, StoreError>
            do {
                let record = try result.get()
                actual.insert(record.element(keys))
                if record.header.kind == .journal { return }
                item = .success(try RecordItem(record, keys, in: group))
            } catch let error as StoreError {
                guard case .damaged = error else { throw error }
                item = .failure(error)
            }
            try body(item, ItemSecrets(reader: self))
        }
        return expected.map { actual.describesSameRecords(as: $0) } ?? true
    }
}

extension RecordReading {
    /// Calls `body` with the items in some rows, in their order; of many, a few at a time are in memory.
    func forEachItem(
        of group: AccessGroup, in rows: some Sequence<Int64>, _ body: (RecordItem, ItemSecrets) throws -> Void
    ) throws {
        var some: [Int64] = []
        func read() throws {
            for record in try records(rows: some) {
                try body(try RecordItem(record, keys, in: group), ItemSecrets(reader: self))
            }
            some.removeAll(keepingCapacity: true)
        }
        for row in rows {
            some.append(row)
            if some.count == 256 { try read() }
        }
        try read()
    }
}

extension VaultReading {
    /// Calls `body` with the items in some rows of a group, in their order; nothing else of this database may be called
    /// meanwhile.
    ///
    /// - Throws: `staleKeys`, `damaged` for a row that is missing or does not open, and what `body` throws.
    package func forEachItem(
        in group: UnlockedVault.Group, rows: some Sequence<Int64>, _ body: (RecordItem, ItemSecrets) throws -> Void
    ) throws {
        try snapshot(group.keys) { try $0.forEachItem(of: group.name, in: rows, body) }
    }

    /// Calls `body` with each item of a group, row by row, or with what is wrong with its row; nothing else of this
    /// database may be called meanwhile.
    ///
    /// - Returns: Whether the rows are those of the manifest.
    /// - Throws: `staleKeys`, `damaged` for the manifest, and what `body` throws.
    package func forEachItem(
        in group: UnlockedVault.Group, _ body: (Result<RecordItem, StoreError>, ItemSecrets) throws -> Void
    ) throws -> Bool {
        try snapshot(group.keys) { try $0.forEachItem(of: group.name, body) }
    }
}

extension VaultReading {
    /// Calls `body` with the refresh tokens of a group that came back from a backup and have not been replaced since;
    /// damaged records are passed over.
    package func forEachRestoredGrant(in keys: GroupKeys, _ body: (Credential) -> Void) throws {
        _ = try all(
            .refreshToken, in: keys,
            { body throws(FieldList.Malformed) in
                try body.history().isRestored ? try CredentialBody.decode(body, kind: .refreshToken) : nil
            },
            where: { credential in
                if let credential { body(credential) }
                return false
            })
    }
}

extension GroupWriter {
    /// The error for a group whose rows are not those of its manifest.
    package var incomplete: StoreError { .incomplete(group: keys.group) }
}
