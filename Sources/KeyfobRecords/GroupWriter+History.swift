internal import KeyfobFiles
internal import KeyfobModel
package import KeyfobVault

// What stays of an item when it changes or goes, so that a merge understands it.

extension GroupWriter {
    /// Header and body of a record that is new, or returns after it was deleted.
    func beginning(
        _ kind: RecordHeader.Kind, _ index: RecordIndex, _ body: FieldList
    ) throws -> (header: RecordHeader, body: FieldList) {
        guard kind != .accessToken, let found = try tombstone(of: try body.recordKey(kind)) else {
            return (header(kind, index), body)
        }
        let version = found.record.version
        var body = body
        if kind == .refreshToken, let ended = found.content.grant?.grant {
            var credential = try CredentialBody.decode(body, kind: .refreshToken)
            var grant = credential.grant ?? Grant()
            if grant.epoch <= ended.epoch {
                grant.epoch = ended.epoch &+ 1
                grant.generation = 1
            }
            credential.grant = grant
            body = CredentialBody.encode(credential, replacing: body)
        }
        var history = try body.history()
        if found.content.grant == nil { history.deletion = version }
        try delete(found.record)
        return (header(kind, index, after: version.stamp), body.with(history))
    }

    /// Header and body of the next version of a record.
    func succeeding(
        _ old: StoredRecord, _ index: RecordIndex, _ body: FieldList, isSameSecret: Bool
    ) throws -> (header: RecordHeader, body: FieldList) {
        let header = header(succeeding: old, index)
        let before = try old.open(keys)
        var history = try old.decode(keys) { body throws(FieldList.Malformed) in
            try body.history()
        }
        history = history.succeeded(
            from: before, of: old.version, to: body, of: WriteVersion(stamp: header.stamp, device: header.device),
            kind: header.kind)
        if !isSameSecret { history.isRestored = false }
        return (header, body.with(history))
    }

    /// Removes a record and leaves a tombstone; of a grant, that it was signed out.
    ///
    /// Access tokens leave nothing.
    func bury(_ record: StoredRecord) throws {
        let kind = record.header.kind
        let body = try record.open(keys)
        try delete(record)
        guard kind != .accessToken else { return }
        let key = try body.recordKey(kind)
        if let former = try tombstone(of: key) { try delete(former.record) }
        let grant = kind == .refreshToken ? try CredentialBody.decode(body, kind: .refreshToken).signedOut : nil
        let content = TombstoneBody.Content(key: key, grant: grant)
        let index = keys.index(setting: TombstoneBody.name(of: key))
        let header = header(.setting, index, flags: TombstoneBody.flag, after: record.header.stamp)
        try insert(try keys.seal(header, attributes: TombstoneBody.encode(content)))
    }

    /// The tombstone of an item.
    func tombstone(of key: RecordKey) throws -> (record: StoredRecord, content: TombstoneBody.Content)? {
        guard try storage.mayHold(.setting),
            let record = try reader.records(.credential, keys.blind(setting: TombstoneBody.name(of: key)))
                .first(where: { $0.isTombstone })
        else { return nil }
        return (record, try record.decode(keys, TombstoneBody.decode))
    }
}

extension StoredRecord {
    /// When and where this version was written.
    package var version: WriteVersion { WriteVersion(stamp: header.stamp, device: header.device) }

    /// Whether it tells of an item that is gone.
    package var isTombstone: Bool { header.kind == .setting && header.flags & TombstoneBody.flag != 0 }
}

extension Credential {
    /// What is left of a refresh token that was signed out.
    fileprivate var signedOut: Credential {
        var grant = grant ?? Grant()
        grant.state = .signedOut
        return Credential(
            kind: .refreshToken, account: account, clientID: clientID, familyID: familyID, grant: grant,
            additionalFields: AdditionalFields(partition))
    }
}

extension RecordHistory {
    /// What of it an item takes along into another group, where it is new.
    var moved: RecordHistory {
        var history = RecordHistory()
        history.unknownFields = unknownFields
        history.isRestored = isRestored
        return history
    }

    /// The history of the next version of a record: what has not changed keeps its version.
    func succeeded(
        from old: FieldList, of version: WriteVersion, to new: FieldList, of newVersion: WriteVersion,
        kind: RecordHeader.Kind
    ) -> RecordHistory {
        var history = self
        history.fields = []
        let before = old.mergedFields(kind)
        let after = new.mergedFields(kind)
        for (name, value) in before {
            guard let now = after.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                history.fields.append(FieldVersion(name, newVersion))
                continue
            }
            if now.value.elementsEqual(value) {
                history.fields.append(FieldVersion(name, self.version(of: name) ?? version))
            }
        }
        if kind != .refreshToken {
            for field in unknownFields {
                let name = field.fieldName
                history.fields.append(FieldVersion(name, self.version(of: name) ?? version))
            }
        }
        let named = before.map(\.name) + after.map(\.name) + unknownFields.map(\.fieldName)
        history.fields += fields.filter { field in
            !named.contains { $0.utf8.elementsEqual(field.name.utf8) }
        }
        return history
    }
}

extension RecordHistory.UnknownField {
    /// The name by which a merge knows the field.
    var fieldName: String { "additional:\(path.utf8.count):\(path):\(name)" }
}

extension FieldList {
    /// The fields of a body that have versions of their own, and their bytes.
    fileprivate func mergedFields(_ kind: RecordHeader.Kind) -> [(name: String, value: ArraySlice<UInt8>)] {
        guard kind == .account else { return [] }
        var merged: [(name: String, value: ArraySlice<UInt8>)] = []
        for field in fields where !field.bytes.isEmpty {
            switch field.number {
            case 3: merged.append(("username", field.bytes))
            case 4: merged.append(("displayName", field.bytes))
            case 5: merged.append(("label", field.bytes))
            case 6:
                guard let profile = try? FieldList(encoded: field.bytes) else { continue }
                let realm = profile.fields.first { $0.number == 1 }.map { String(decoding: $0.bytes, as: UTF8.self) }
                merged.append(("profile:" + Identifier.folded(realm ?? ""), field.bytes))
            default: break
            }
        }
        return merged
    }

    /// What names the item that the body is of.
    func recordKey(_ kind: RecordHeader.Kind) throws -> RecordKey {
        switch kind {
        case .account: return RecordKey(kind: "account", parts: [try AccountBody.decode(self).id.canonical])
        case .refreshToken:
            let credential = try CredentialBody.decode(self, kind: .refreshToken)
            let family = credential.familyID.map { "=" + $0 } ?? ""
            return RecordKey(
                kind: "grant",
                parts: [credential.account.canonical, credential.clientID, family, credential.partitionText])
        case .idToken:
            let credential = try CredentialBody.decode(self, kind: .idToken)
            let realm = Identifier.folded(credential.realm)
            return RecordKey(
                kind: "idToken",
                parts: [credential.account.canonical, credential.clientID, realm, credential.partitionText])
        case .accessToken: throw StoreError.unexpected(resultCode: 0)
        case .appMetadata:
            let metadata = try AppMetadataBody.decode(self)
            let environment = EnvironmentAliases.canonicalName(of: metadata.environment)
            return RecordKey(kind: "appMetadata", parts: [metadata.clientID, environment])
        case .foreign:
            let (section, key) = try NamedValueBody.decode(self)
            return RecordKey(kind: "foreign", parts: [section, key])
        case .setting: return RecordKey(kind: "setting", parts: [try NamedValueBody.decode(self).first])
        }
    }
}

extension Credential {
    fileprivate var partitionText: String {
        partition.map { "\($0.name.utf8.count):\($0.name)=\($0.json.utf8.count):\($0.json)" }.joined(separator: ",")
    }
}
