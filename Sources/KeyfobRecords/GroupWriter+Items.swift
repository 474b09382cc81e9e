package import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium
package import KeyfobVault

// Writing items as another vault has them, versions and all.

extension GroupWriter {
    /// Which secret a record that is written gets.
    package enum NewSecret: ~Copyable {
        /// None.
        case none
        /// The one that it has.
        case kept
        /// This one.
        case new(SecretBytes)
    }

    /// Calls `body` with each item of the group, or with what is wrong with its row.
    ///
    /// - Returns: Whether the rows are those of the manifest.
    package func forEachItem(
        _ body: (Result<RecordItem, StoreError>, ItemSecrets) throws -> Void
    ) throws -> Bool {
        try reader.forEachItem(body)
    }

    /// Writes an item as of a version that is given, in place of the rows that held it.
    ///
    /// A grant without a token whose account is not here, and a deletion, are kept where nobody sees them.
    ///
    /// - Throws: `tooLarge`, `damaged`, and what writing can throw.
    package func put(
        _ content: RecordItem.Content, version: WriteVersion, history: RecordHistory, isThisDeviceOnly: Bool = false,
        secret: consuming NewSecret, replacing rows: [Int64]
    ) throws {
        let old = try rows.map { try reader.record(row: $0) }
        let (kind, index, body) = try sealable(content, history, replacing: old, hasSecret: secret.isSome())
        var flags: UInt16 = isThisDeviceOnly ? RecordItem.thisDeviceOnly : 0
        if kind == nil { flags |= TombstoneBody.flag }
        let recordKind = kind ?? .setting
        let place = old.first { $0.header.kind == recordKind && $0.isTombstone == (kind == nil) }
        var header = place?.header ?? header(recordKind, index)
        (header.stamp, header.device, header.index) = (version.stamp, version.device, index)
        header.flags = header.flags & ~(RecordItem.thisDeviceOnly | TombstoneBody.flag) | flags
        let sealed: SealedRecord
        switch consume secret {
        case .new(let secret): sealed = try keys.seal(header, attributes: body, secret: secret)
        case .kept:
            if let former = old.first(where: { $0.secretCommitment != nil }) {
                sealed = try keys.seal(header, attributes: body, secret: try reader.secret(former))
            } else {
                sealed = try keys.seal(header, attributes: body)
            }
        case .none: sealed = try keys.seal(header, attributes: body)
        }
        for record in old where record.rowID != place?.rowID { try delete(record) }
        if let place { try replace(place, with: sealed) } else { try insert(sealed) }
    }

    /// Removes rows without a trace.
    package func erase(rows: [Int64]) throws {
        for row in rows { try delete(try reader.record(row: row)) }
    }

    /// Makes room for an access token: those that it supersedes go.
    ///
    /// - Returns: False, and nothing has gone, when one that has a scope in common is newer.
    package func makeRoom(for credential: Credential, except rows: [Int64]) throws -> Bool {
        var obsolete: [StoredRecord] = []
        for record in try reader.records(.credential, keys.lookup(credential))
        where record.header.kind == credential.kind.record && !rows.contains(record.rowID) {
            let stored = try record.decode(keys) { body throws(FieldList.Malformed) in
                try CredentialBody.decode(body, kind: credential.kind)
            }
            guard credential.supersedes(stored) else { continue }
            if credential.isOlder(than: stored) { return false }
            obsolete.append(record)
        }
        for record in obsolete { try delete(record) }
        return true
    }

    /// Kind, lookup fields and body of a record; no kind for what nobody is to see.
    private func sealable(
        _ content: RecordItem.Content, _ history: RecordHistory, replacing old: [StoredRecord], hasSecret: Bool
    ) throws -> (kind: RecordHeader.Kind?, index: RecordIndex, body: FieldList) {
        func previous(_ kind: RecordHeader.Kind) throws -> FieldList? {
            try old.first { $0.header.kind == kind && !$0.isTombstone }?.open(keys)
        }
        func hidden(_ key: RecordKey, _ grant: Credential?) -> (RecordHeader.Kind?, RecordIndex, FieldList) {
            let content = TombstoneBody.Content(key: key, grant: grant, history: history)
            return (nil, keys.index(setting: TombstoneBody.name(of: key)), TombstoneBody.encode(content))
        }
        switch content {
        case .account(let account):
            let body = AccountBody.encode(account, replacing: try previous(.account))
            return (.account, keys.index(account), body.with(history))
        case .credential(let credential):
            let kind = credential.kind.record
            let body = CredentialBody.encode(credential, replacing: try previous(kind)).with(history)
            if kind == .refreshToken, !hasSecret, !(try holds(credential.account)) {
                return hidden(try body.recordKey(kind), credential)
            }
            return (kind, keys.index(credential), body)
        case .appMetadata(let metadata):
            let body = AppMetadataBody.encode(metadata, replacing: try previous(.appMetadata))
            return (.appMetadata, keys.index(metadata), body.with(history))
        case .setting(let name, let value):
            return (.setting, keys.index(setting: name), NamedValueBody.encode(name, value).with(history))
        case .foreign(let section, let key):
            let body = NamedValueBody.encode(section, key).with(history)
            return (.foreign, keys.index(foreignIn: section, key: key), body)
        case .tombstone(let key): return hidden(key, nil)
        }
    }

    private func holds(_ account: AccountID) throws -> Bool {
        try reader.records(.account, keys.blind(account)).contains { $0.header.kind == .account }
    }
}

extension GroupWriter.NewSecret {
    fileprivate borrowing func isSome() -> Bool {
        switch self {
        case .none: false
        case .kept: true
        case .new: true
        }
    }
}
