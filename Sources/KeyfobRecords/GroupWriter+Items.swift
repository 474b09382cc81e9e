package import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium
internal import KeyfobVault

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
        of group: AccessGroup, _ body: (Result<RecordItem, StoreError>, ItemSecrets) throws -> Void
    ) throws -> Bool {
        try reader.forEachItem(of: group, body)
    }

    /// Calls `body` with the items in some rows, in their order.
    ///
    /// - Throws: `damaged` for a row that is missing or does not open, and what `body` throws.
    package func forEachItem(
        of group: AccessGroup, in rows: some Sequence<Int64>, _ body: (RecordItem, ItemSecrets) throws -> Void
    ) throws {
        try reader.forEachItem(of: group, in: rows, body)
    }

    /// Calls `body` with each account of the group.
    package func forEachAccount(_ body: (Account) throws -> Void) throws {
        try reader.forEachRecord(kind: .account) { try body($0.get().decode(keys, AccountBody.decode)) }
    }

    /// Whether it is known that there was such an item and that it was deleted.
    package func isDeleted(_ key: ItemKey) throws -> Bool { try tombstone(of: key) != nil }

    /// Writes an item as of its version, in place of the rows that held it.
    ///
    /// A grant without a token whose account is not here, or that is only known to be another machine's, and a deletion,
    /// are kept where nobody sees them.
    ///
    /// - Parameters:
    ///   - isFollowed: Whether the item is the mark of a sign-out, and the client has signed in again since: nobody sees
    ///     that either.
    ///   - isOwnAct: Whether others are told of it; what comes from them they tell themselves.
    /// - Throws: `tooLarge`, `damaged`, and what writing can throw.
    package func put(
        _ item: ItemRecord, secret: consuming NewSecret, replacing rows: [Int64], isFollowed: Bool = false,
        isOwnAct: Bool = true
    ) throws {
        let old = try rows.map { try reader.record(row: $0) }
        // A mark that is seen here, and has not been written since, nobody has followed by a sign-in.
        let isOver =
            isFollowed
            && !old.contains {
                $0.header.kind == .refreshToken && $0.secretCommitment == nil && $0.version >= item.version
            }
        var kind = RecordHeader.Kind(item.content)
        if kind == .refreshToken, !secret.isSome(), let credential = item.content.credential,
            try isOver || credential.grant?.epoch == 0 || !hasAccount(credential.account)
        {
            kind = .tombstone
        }
        if kind == .tombstone, let going = old.first(where: { $0.header.kind == .account }),
            case .account(let account)? = try? going.content(keys)
        {
            try noteRemoval(try reader.records(.account, keys.blind(account.id)))
            // Whoever has this group's key alone has no right to tokens that have gone with their account.
            if noting == nil { ended.insert(account.id) }
        }
        if noting == nil, !isOver, let credential = item.content.credential,
            credential.grant?.state == .signedOut
        {
            ended.insert(credential)
        }
        let place = old.first { $0.header.kind == kind }
        let former = try place?.open(keys)
        let body =
            kind == .tombstone
            ? TombstoneBody.encode(item.content) : ItemBody.encode(item.content, replacing: former).body
        let index = keys.index(kind == .tombstone ? .tombstone(item.key) : item.content)
        var header = place?.header ?? header(kind, index)
        (header.stamp, header.device, header.index) = (item.version.stamp, item.version.device, index)
        header.isThisDeviceOnly = item.isThisDeviceOnly
        var isReserved = false
        if case .setting(let name, _) = item.content { isReserved = name.hasPrefix(JournalEntry.reservedPrefix) }
        let written = item.isOwners && !isReserved ? SettingBody.signed(body, item.content, keys) : body
        var attributes = written.with(item.history)
        if place == nil, kind != .tombstone { mark(&attributes, of: item.content) }
        // What another machine has written is not what a command added here.
        let isChanged =
            if let former {
                isChange(
                    of: former, kind, to: item.content, isSameSecret: !secret.isNew(), isElsewhere: noting == nil)
            } else { noting == nil && kind != .tombstone }
        if isChanged { attributes = attributes.markedAsChanged }
        var sealed: SealedRecord
        var known: JournalDraft.Known?
        switch consume secret {
        case .new(let secret):
            known = self.known(item.content, secret)
            sealed = try keys.seal(header, attributes: attributes, secret: secret)
        case .kept:
            if let former = old.first(where: { $0.secretCommitment != nil }) {
                sealed = try keys.seal(header, attributes: attributes, secret: try reader.secret(former))
            } else {
                sealed = try keys.seal(header, attributes: attributes)
            }
        case .none: sealed = try keys.seal(header, attributes: attributes)
        }
        // What was changed here and is in it now, others have still to be told.
        if !isOwnAct { sealed.telling = .following(old.map(\.change).max() ?? 0) }
        for record in old where record.rowID != place?.rowID { try delete(record) }
        if let place {
            try replace(place, with: sealed, known, isNews: isOwnAct)
        } else {
            try insert(sealed, known, isNews: isOwnAct)
        }
    }

    /// Writes an item as an act of now, in place of the rows that held it: it wins over whatever was known of it before,
    /// here and on other machines.
    ///
    /// - Throws: As ``put(_:secret:replacing:)``.
    package func putAnew(
        _ item: ItemRecord, secret: consuming NewSecret, replacing rows: [Int64], isFollowed: Bool = false
    ) throws {
        let last = try rows.map { try reader.record(row: $0).version.stamp }.reduce(item.version.stamp) { max($0, $1) }
        var item = item
        item.version = version(after: last)
        item.history.fieldVersions = [:]
        if item.key.kind != .grant {
            // A field that another machine has set, and that is not in the item, goes with what was before.
            item.history.deletion = item.version
            item.version = version(after: item.version.stamp)
        }
        try put(item, secret: secret, replacing: rows, isFollowed: isFollowed)
    }

    /// Removes rows as an act of now, and leaves tombstones.
    package func bury(rows: [Int64]) throws {
        for row in rows {
            let record = try reader.record(row: row)
            if !record.isTombstone { try bury(record) }
        }
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
        for record in try reader.records(.credential, keys.lookup(.credential(credential)))
        where record.header.kind == RecordHeader.Kind(credential.kind) && !rows.contains(record.rowID) {
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
}

extension GroupWriter.NewSecret {
    fileprivate borrowing func isNew() -> Bool {
        switch self {
        case .new: true
        case .none: false
        case .kept: false
        }
    }

    fileprivate borrowing func isSome() -> Bool {
        switch self {
        case .none: false
        case .kept: true
        case .new: true
        }
    }
}
