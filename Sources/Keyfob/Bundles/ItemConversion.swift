internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobSync
internal import KeyfobVault

// Items as the store has them and as bundles and merges have them.

extension ItemRecord {
    /// The item of a group, as a bundle has it.
    init(_ item: RecordItem, group: AccessGroup) {
        let content: Content
        switch item.content {
        case .account(let account): content = .account(account)
        case .credential(let credential): content = .credential(credential)
        case .appMetadata(let metadata): content = .appMetadata(metadata)
        case .setting(let name, let value): content = .setting(name: name, value: value)
        case .foreign(let section, let key): content = .foreign(section: section, key: key)
        case .tombstone(let key):
            content = .tombstone(ItemKey(ItemKind(rawValue: key.kind) ?? .setting, key.parts))
        }
        self.init(group: group, content: content, version: Version(item.version))
        deletion = item.history.deletion.map(Version.init)
        for field in item.history.fields { fieldVersions[FieldName(field.name)] = Version(field.version) }
        for field in item.history.unknownFields {
            unknownFields.objects[field.path, default: AdditionalFields()].fields.append(
                .init(name: field.name, json: field.json))
        }
        normalize()
        isThisDeviceOnly = item.isThisDeviceOnly
    }

    /// Brings an account into the one form that it has after a merge.
    private mutating func normalize() {
        guard case .account(let account) = content else { return }
        let isBare =
            account.username.isEmpty && account.displayName == nil && account.label == nil
            && account.tenantProfiles.isEmpty && fieldVersions.isEmpty
        // An account of which nothing is known but its id: without any field it would not be there.
        if isBare { fieldVersions[.username] = version }
        var state = GroupState()
        state.insert(self)
        if let normal = state.record(key, in: group), !normal.isTombstone { self = normal }
    }

    /// The item as the store has it.
    var storedContent: RecordItem.Content {
        switch content {
        case .account(let account): .account(account)
        case .credential(let credential): .credential(credential)
        case .appMetadata(let metadata): .appMetadata(metadata)
        case .setting(let name, let value?): .setting(name: name, value: value)
        case .setting(_, nil): .tombstone(RecordKey(key))
        case .foreign(let section, let key): .foreign(section: section, key: key)
        case .tombstone(let key): .tombstone(RecordKey(key))
        }
    }

    /// What the store keeps for merging.
    var history: RecordHistory {
        var history = RecordHistory()
        for (name, version) in fieldVersions.sorted(by: { $0.key < $1.key }) {
            history.fields.append(.init(name.name, WriteVersion(version)))
        }
        history.deletion = deletion.map(WriteVersion.init)
        for (path, fields) in unknownFields.objects.sorted(by: { $0.key < $1.key }) {
            for field in fields.fields {
                history.unknownFields.append(.init(path: path, name: field.name, json: field.json))
            }
        }
        return history
    }
}

extension Version {
    init(_ version: WriteVersion) {
        self.init(stamp: version.stamp, device: version.device)
    }
}

extension WriteVersion {
    init(_ version: Version) {
        self.init(stamp: version.stamp, device: version.device)
    }
}

extension RecordKey {
    init(_ key: ItemKey) {
        self.init(kind: key.kind.rawValue, parts: key.parts)
    }
}
