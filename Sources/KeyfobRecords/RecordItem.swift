package import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium
package import KeyfobVault

/// A record with everything in it but its secret, as a merge and a bundle want it.
package struct RecordItem: Sendable {
    /// What is in a record.
    package enum Content: Sendable {
        case account(Account)
        /// A token; a grant that has ended may have none.
        case credential(Credential)
        case appMetadata(AppMetadata)
        case setting(name: String, value: String)
        case foreign(section: String, key: String)
        /// The item was deleted.
        case tombstone(RecordKey)
    }

    /// The bit of a record's flags for what never leaves this device.
    package static let thisDeviceOnly: UInt16 = 4

    package let content: Content
    package let history: RecordHistory
    package let record: StoredRecord

    /// When and where it was written.
    package var version: WriteVersion { record.version }
    /// Whether it has a secret to take along; the token of a grant that has ended stays where it is.
    package var hasSecret: Bool {
        if case .credential(let credential) = content, let grant = credential.grant, grant.state != .active {
            return false
        }
        return record.secretCommitment != nil
    }
    /// Whether it never leaves this device.
    package var isThisDeviceOnly: Bool { record.header.flags & Self.thisDeviceOnly != 0 }

    /// Opens a record.
    ///
    /// - Throws: `staleKeys`, `damaged`.
    init(_ record: StoredRecord, _ keys: GroupKeys) throws {
        self.record = record
        (content, history) = try record.decode(keys) { body throws(FieldList.Malformed) in
            if record.isTombstone {
                let found = try TombstoneBody.decode(body)
                return (found.grant.map(Content.credential) ?? .tombstone(found.key), found.history)
            }
            return (try Self.content(body, record.header.kind), try body.history())
        }
    }

    private static func content(
        _ body: FieldList, _ kind: RecordHeader.Kind
    ) throws(FieldList.Malformed) -> Content {
        switch kind {
        case .account: return .account(try AccountBody.decode(body))
        case .accessToken: return .credential(try CredentialBody.decode(body, kind: .accessToken))
        case .refreshToken:
            var credential = try CredentialBody.decode(body, kind: .refreshToken)
            credential.grant = credential.grant?.elsewhere
            return .credential(credential)
        case .idToken: return .credential(try CredentialBody.decode(body, kind: .idToken))
        case .appMetadata: return .appMetadata(try AppMetadataBody.decode(body))
        case .foreign:
            let (section, key) = try NamedValueBody.decode(body)
            return .foreign(section: section, key: key)
        case .setting:
            let (name, value) = try NamedValueBody.decode(body)
            return .setting(name: name, value: value)
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
    /// Calls `body` with each item, or with what is wrong with its row.
    ///
    /// - Returns: Whether the rows are those of the manifest.
    func forEachItem(_ body: (Result<RecordItem, StoreError>, ItemSecrets) throws -> Void) throws -> Bool {
        let expected = try manifest()
        var actual = GroupManifest()
        try forEachRow { _, result in
            let item: Result<RecordItem, StoreError>
            do {
                let record = try result.get()
                actual.insert(record.element(keys))
                item = .success(try RecordItem(record, keys))
            } catch let error as StoreError {
                guard case .damaged = error else { throw error }
                item = .failure(error)
            }
            try body(item, ItemSecrets(reader: self))
        }
        return expected.map { actual.describesSameRecords(as: $0) } ?? true
    }
}

extension VaultReading {
    /// Calls `body` with each item of a group, row by row, or with what is wrong with its row; nothing else of this
    /// database may be called meanwhile.
    ///
    /// - Returns: Whether the rows are those of the manifest.
    /// - Throws: `staleKeys`, `damaged` for the manifest, and what `body` throws.
    package func forEachItem(
        in keys: GroupKeys, _ body: (Result<RecordItem, StoreError>, ItemSecrets) throws -> Void
    ) throws -> Bool {
        try snapshot(keys) { try $0.forEachItem(body) }
    }
}

extension VaultReading {
    /// The refresh tokens of a group that came back from a backup and have not been replaced since; damaged records
    /// are passed over.
    package func restoredGrants(in keys: GroupKeys) throws -> [Credential] {
        try all(.refreshToken, in: keys) { body throws(FieldList.Malformed) in
            try body.history().isRestored ? try CredentialBody.decode(body, kind: .refreshToken) : nil
        }.items.compactMap(\.value)
    }
}

extension GroupWriter {
    /// The error for a group whose rows are not those of its manifest.
    package var incomplete: StoreError { .incomplete(group: keys.group) }
}
