internal import KeyfobFiles
package import KeyfobModel
internal import KeyfobVault

// What stays of an item when it changes or goes, so that a merge understands it.

extension GroupWriter {
    /// Header and body of a record that is new, or returns after it was deleted.
    ///
    /// - Parameters:
    ///   - former: The body that the record had elsewhere.
    ///   - isUndone: Whether what ended it is undone: where this machine ended that very sign-in, no other one is to end its own.
    func beginning(
        _ content: ItemContent, former: FieldList? = nil, isUndone: Bool = false
    ) throws -> (header: RecordHeader, body: FieldList) {
        let kind = RecordHeader.Kind(content)
        var body = ItemBody.encode(content, replacing: former).body
        mark(&body, of: content)
        guard kind != .accessToken, let found = try tombstone(of: content.key) else {
            return (header(kind, keys.index(content)), body)
        }
        let version = found.record.version
        var history = try body.history()
        let header = header(kind, keys.index(content), after: version.stamp)
        try delete(found.record)
        guard let ended = found.content.credential?.grant, var credential = content.credential else {
            history.deletion = version
            return (header, body.with(history))
        }
        var grant = credential.grant ?? Grant()
        let endsNothing = isUndone && isOwn(version) && ended.epoch == grant.latestEpoch
        if grant.epoch <= ended.latestEpoch {
            grant.epoch = ended.latestEpoch &+ 1
            grant.generation = 1
        }
        if !endsNothing { grant.ended = max(grant.ended, ended.latestEnded) }
        credential.grant = grant
        return (header, CredentialBody.encode(credential, replacing: body))
    }

    /// Replaces the record of an account by a new version in which everything but the label is new, changed or not.
    func renew(_ old: StoredRecord, _ account: Account) throws {
        let (header, body) = try succeeding(old, .account(account), isSameSecret: true)
        var history = try body.history()
        let fields = Set(body.mergedFields(.account).keys)
        for name in fields where name != .label || fields == [.label] { history.fieldVersions[name] = nil }
        try replace(old, with: try keys.seal(header, attributes: body.with(history)), known(.account(account)))
    }

    /// Header and body of the next version of a record.
    func succeeding(
        _ old: StoredRecord, _ content: ItemContent, isSameSecret: Bool
    ) throws -> (header: RecordHeader, body: FieldList) {
        let header = header(succeeding: old, keys.index(content))
        let before = try body(of: old)
        let (kind, body) = ItemBody.encode(content, replacing: before)
        guard var history = try? before.history() else {
            throw StoreError.damaged(what: "record \(old.header.record.short)")
        }
        history = history.succeeded(from: before, of: old.version, to: body, of: header.version, kind: kind)
        if !isSameSecret { history.isRestored = false }
        let isChange = isChange(of: before, kind, to: content, isSameSecret: isSameSecret)
        return (header, (isChange ? body.markedAsChanged : body).with(history))
    }

    /// Removes a record and leaves a tombstone; of a grant, that it was signed out.
    ///
    /// Access tokens leave nothing.
    func bury(_ record: StoredRecord) throws {
        let kind = record.header.kind
        let content = try record.content(keys)
        try delete(record)
        guard kind != .accessToken else { return }
        let key = content.key
        if let former = try tombstone(of: key) { try delete(former.record) }
        let left = kind == .refreshToken ? content.credential?.signedOut : nil
        let header = header(.tombstone, keys.index(.tombstone(key)), after: record.header.stamp)
        let body = TombstoneBody.encode(left.map(ItemContent.credential) ?? .tombstone(key))
        try insert(try keys.seal(header, attributes: body))
    }

    /// The tombstone of an item, and what it says: for a grant, what is left of it.
    func tombstone(of key: ItemKey) throws -> (record: StoredRecord, content: ItemContent)? {
        guard try storage.mayHold(.tombstone),
            let record = try reader.records(.credential, keys.blind(tombstone: key)).first
        else { return nil }
        return (record, try record.content(keys))
    }
}

extension StoredRecord {
    /// When and where this version was written.
    package var version: ItemVersion { header.version }

    /// Whether it tells of an item that is gone.
    package var isTombstone: Bool { header.kind == .tombstone }
}

extension Credential {
    /// What is left of a refresh token that was signed out.
    fileprivate var signedOut: Credential {
        Credential(
            kind: .refreshToken, account: account, clientID: clientID, familyID: familyID,
            grant: (grant ?? Grant()).signedOut,
            additionalFields: AdditionalFields(partition))
    }
}

extension ItemHistory {
    /// What of it an item takes along into another group, where it is new.
    var moved: ItemHistory {
        var history = ItemHistory(unknownFields: unknownFields)
        history.isRestored = isRestored
        return history
    }

    /// The history of the next version of a record: what has not changed keeps its version.
    func succeeded(
        from old: FieldList, of version: ItemVersion, to new: FieldList, of newVersion: ItemVersion,
        kind: RecordHeader.Kind
    ) -> ItemHistory {
        var history = self
        let (before, after) = (old.mergedFields(kind), new.mergedFields(kind))
        for (name, value) in before {
            if after[name].map({ $0.elementsEqual(value) }) ?? false {
                history.fieldVersions[name] = fieldVersions[name] ?? version
            } else {
                history.fieldVersions[name] = after[name] == nil ? newVersion : nil
            }
        }
        // What is new has the version of the record.
        for name in after.keys where before[name] == nil { history.fieldVersions[name] = nil }
        for name in unknownFields.names {
            history.fieldVersions[name] = kind == .refreshToken ? nil : fieldVersions[name] ?? version
        }
        return history
    }
}

extension FieldList {
    /// The fields of a body that have versions of their own, and their bytes.
    fileprivate func mergedFields(_ kind: RecordHeader.Kind) -> [FieldName: ArraySlice<UInt8>] {
        guard kind == .account else { return [:] }
        var merged: [FieldName: ArraySlice<UInt8>] = [:]
        for field in fields where !field.bytes.isEmpty {
            switch field.number {
            case 3: merged[.username] = field.bytes
            case 4: merged[.displayName] = field.bytes
            case 5: merged[.label] = field.bytes
            case 6:
                guard let profile = try? FieldList(encoded: field.bytes) else { continue }
                let realm = profile.fields.first { $0.number == 1 }.map { String(decoding: $0.bytes, as: UTF8.self) }
                merged[.profile(realm: realm ?? "")] = field.bytes
            case 7: merged[.formerNames] = (merged[.formerNames].map { $0 + [0x0A] } ?? []) + field.bytes
            case 8: merged[.proved] = field.bytes
            default: break
            }
        }
        return merged
    }
}
