package import KeyfobModel

// From records to a state and back.

extension GroupItems {
    /// Adds what a record says; `secret` is the digest of the secret beside it.
    ///
    /// - Returns: Whether it could be: not a tombstone of a grant.
    @discardableResult
    package mutating func insert(_ record: ItemRecord, secret: SecretDigest? = nil) -> Bool {
        let key = record.key
        var item = FieldItem(fields: Dictionary(minimumCapacity: 3), deletion: record.history.deletion)
        func set(_ name: FieldName, _ value: FieldValue?) {
            item.set(name, Register(value, record.version(of: name)))
        }
        switch record.content {
        case .account(let account):
            // An account without a user name is there all the same.
            set(.username, account.username.isEmpty ? nil : .text(account.username))
            if let name = account.displayName { set(.displayName, .text(name)) }
            if let label = account.label { set(.label, .text(label)) }
            // No name holds a line feed.
            if !account.formerNames.isEmpty { set(.formerNames, .text(account.formerNames.joined(separator: "\n"))) }
            if account.isProved { set(.proved, .text("true")) }
            for profile in account.tenantProfiles { set(.profile(realm: profile.realm), .profile(profile)) }
            // As joining does, and in place: a bundle has many accounts.
            if let known = accountIDs[key], known.spelling.lexicographicallyPrecedes(account.id.spelling) { break }
            accountIDs[key] = account.id
        case .credential(let credential) where credential.kind == .refreshToken:
            let unknown = record.history.unknownFields
            guard let grant = GrantItem(credential, secret: secret, version: record.version, unknownFields: unknown)
            else { return false }
            grants[key] = grants[key].map { $0.joined(with: grant) } ?? grant
            return true
        case .credential(let credential): set(.content, .token(credential, secret))
        case .appMetadata(let metadata): set(.content, .metadata(metadata))
        case .setting(_, let value): set(.content, value.map(FieldValue.text))
        case .clientSecret, .foreign: set(.content, secret.map(FieldValue.secret))
        case .tombstone:
            guard key.kind != .grant else { return false }
            item.delete(record.version)
        }
        if !record.isTombstone {
            for (path, object) in record.history.unknownFields.objects {
                for field in object.fields { set(.additional(field.name, in: path), .json(field.json)) }
            }
            // Fields that have a version and no value were taken away.
            for (name, version) in record.history.fieldVersions where item.fields[name] == nil {
                item.set(name, Register(nil, version))
            }
        }
        items[key] = items[key].map { $0.joined(with: item) } ?? item
        return true
    }

    /// The record of an item, a tombstone where it was deleted; nil where there is none.
    package func record(_ key: ItemKey, in group: AccessGroup) -> ItemRecord? {
        if let grant = grants[key] {
            return ItemRecord(
                group: group, content: .credential(grant.credential), version: grant.version,
                history: ItemHistory(unknownFields: grant.unknownFields))
        }
        guard let item = items[key], let version = item.version else { return nil }
        guard !item.isDeleted else {
            return item.deletion.map { ItemRecord(group: group, content: .tombstone(key), version: $0) }
        }
        let content: ItemContent
        let (first, last) = (key.parts.first ?? "", key.parts.last ?? "")
        switch (key.kind, item[.content]) {
        case (.account, _):
            guard let account = account(key, item) else { return nil }
            content = .account(account)
        case (.setting, let value):
            let text: String? = if case .text(let text) = value { text } else { nil }
            content = .setting(name: first, value: text)
        case (_, .token(let credential, _)): content = .credential(credential)
        case (_, .metadata(let metadata)): content = .appMetadata(metadata)
        case (.clientSecret, .secret): content = .clientSecret(clientID: first, environment: last)
        case (.foreign, .secret): content = .foreign(section: first, key: last)
        default: return nil
        }
        var history = ItemHistory(deletion: item.deletion, unknownFields: item.unknownFields)
        for (name, register) in item.fields where register.version != version || register.isEmpty {
            history.fieldVersions[name] = register.version
        }
        return ItemRecord(group: group, content: content, version: version, history: history)
    }

    private func account(_ key: ItemKey, _ item: FieldItem) -> Account? {
        guard let id = accountIDs[key] ?? key.parts.first.flatMap({ AccountID($0) }) else { return nil }
        var account = Account(id: id, username: item.text(.username) ?? "")
        account.displayName = item.text(.displayName)
        account.label = item.text(.label)
        account.formerNames = item.text(.formerNames)?.split(separator: "\n").map(String.init) ?? []
        account.isProved = item.text(.proved) == "true"
        for register in item.fields.values {
            if case .profile(let profile) = register.value { account.tenantProfiles.append(profile) }
        }
        account.tenantProfiles.sort { $0.realm.utf8.lexicographicallyPrecedes($1.realm.utf8) }
        return account
    }
}

extension FieldItem {
    /// The fields that Keyfob does not interpret, by the object they are in.
    fileprivate var unknownFields: ItemHistory.UnknownFields {
        var unknown = ItemHistory.UnknownFields()
        for name in fields.keys.filter({ $0.additional != nil }).sorted() {
            guard let place = name.additional, case .json(let json) = self[name] else { continue }
            unknown.objects[place.path, default: AdditionalFields()].fields.append(.init(name: place.name, json: json))
        }
        return unknown
    }
}

extension Register {
    /// Whether a record shows the field only by its version.
    fileprivate var isEmpty: Bool { value == nil || value == .text("") }
}

extension KeyringState {
    /// Adds what a record says, as ``GroupItems/insert(_:secret:)``.
    @discardableResult
    package mutating func insert(_ record: ItemRecord, secret: SecretDigest? = nil) -> Bool {
        groups[record.group, default: GroupItems()].insert(record, secret: secret)
    }

    /// The record at a place; nil where there is none.
    package func record(at place: ItemPlace) -> ItemRecord? {
        groups[place.group]?.record(place.key, in: place.group)
    }
}
