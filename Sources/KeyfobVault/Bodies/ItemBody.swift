package import KeyfobModel

/// The body of a record of any kind, and what it says.
package enum ItemBody {
    /// Kind and body of the record of an item; fields of `previous` that this build does not know stay.
    ///
    /// A setting that was told to be forgotten is a tombstone.
    package static func encode(
        _ content: ItemContent, replacing previous: FieldList? = nil
    ) -> (kind: RecordHeader.Kind, body: FieldList) {
        let kind = RecordHeader.Kind(content)
        switch content {
        case .account(let account): return (kind, AccountBody.encode(account, replacing: previous))
        case .credential(let credential): return (kind, CredentialBody.encode(credential, replacing: previous))
        case .appMetadata(let metadata): return (kind, AppMetadataBody.encode(metadata, replacing: previous))
        case .clientSecret(let clientID, let environment):
            return (kind, NamedValueBody.encode(clientID, environment, replacing: previous))
        case .setting(let name, let value?): return (kind, SettingBody.encode(name, value, replacing: previous))
        case .foreign(let section, let key): return (kind, NamedValueBody.encode(section, key, replacing: previous))
        case .setting(_, nil), .tombstone: return (kind, TombstoneBody.encode(.tombstone(content.key)))
        }
    }

    /// What the body of a record of this kind says.
    ///
    /// The tombstone of a grant is the grant, signed out. The undo journal holds no items of its own.
    package static func decode(_ body: FieldList, _ kind: RecordHeader.Kind) throws(FieldList.Malformed) -> ItemContent
    {
        switch kind {
        case .account: return .account(try AccountBody.decode(body))
        case .accessToken: return .credential(try CredentialBody.decode(body, kind: .accessToken))
        case .refreshToken: return .credential(try CredentialBody.decode(body, kind: .refreshToken))
        case .idToken: return .credential(try CredentialBody.decode(body, kind: .idToken))
        case .appMetadata: return .appMetadata(try AppMetadataBody.decode(body))
        case .foreign:
            let (section, key) = try NamedValueBody.decode(body)
            return .foreign(section: section, key: key)
        case .setting:
            let (name, value) = try NamedValueBody.decode(body)
            return .setting(name: name, value: value)
        case .tombstone: return try TombstoneBody.decode(body)
        case .clientSecret:
            let (clientID, environment) = try NamedValueBody.decode(body)
            return .clientSecret(clientID: clientID, environment: environment)
        case .journal: throw FieldList.Malformed()
        }
    }
}

extension RecordHeader.Kind {
    /// The kind of record that holds an item.
    package init(_ content: ItemContent) {
        self =
            switch content {
            case .account: .account
            case .credential(let credential): RecordHeader.Kind(credential.kind)
            case .appMetadata: .appMetadata
            case .clientSecret: .clientSecret
            case .setting(_, .some): .setting
            case .foreign: .foreign
            case .setting(_, nil), .tombstone: .tombstone
            }
    }

    /// The kind of record that holds such a credential.
    package init(_ kind: Credential.Kind) {
        self =
            switch kind {
            case .accessToken: .accessToken
            case .refreshToken: .refreshToken
            case .idToken: .idToken
            }
    }
}

/// A setting: 1 name, 2 value, 3 the owner's MAC of both.
package enum SettingBody {
    private static let mark: UInt16 = 3

    /// A body without a MAC, unless `previous` says the same and has one; its fields that this build does not know stay.
    package static func encode(_ name: String, _ value: String, replacing previous: FieldList? = nil) -> FieldList {
        var body = FieldList()
        body.append(1, name)
        body.append(2, value)
        if let previous, let old = try? NamedValueBody.decode(previous), old == (name, value),
            let bytes = previous.bytes(mark)
        {
            body.append(mark, Array(bytes))
        }
        body.keepUnknown(of: previous, above: mark)
        return body
    }

    /// Whether it may be the owner's.
    package static func isMarked(_ body: FieldList) -> Bool { body.bytes(mark) != nil }

    /// Name and value, and who wrote them.
    package static func decode(
        _ body: FieldList, _ keys: GroupKeys
    ) throws(FieldList.Malformed) -> (name: String, value: String, writer: DecisionWriter) {
        let (name, value) = try NamedValueBody.decode(body)
        return (name, value, keys.writer(of: name, value, mark: body.bytes(mark)))
    }

    /// The body of a setting as the owner's, where `keys` can say so; any other body as it is.
    package static func signed(_ body: FieldList, _ content: ItemContent, _ keys: GroupKeys) -> FieldList {
        guard case .setting(let name, let value?) = content, let bytes = keys.ownersMark(name: name, value: value)
        else { return body }
        var signed = body.without(mark)
        signed.append(mark, bytes)
        return signed
    }

    /// The body of a setting for keys that come after `old`: what the owner of those decided is signed with these.
    ///
    /// A body that `old` cannot tell to be the owner's, or that is none of a setting, stays as it is.
    package static func carried(_ body: FieldList, from old: GroupKeys, to new: GroupKeys) -> FieldList {
        guard let (name, value, writer) = try? decode(body, old), writer == .owner else { return body }
        return signed(body, .setting(name: name, value: value), new)
    }
}

/// Two texts: of a setting (1 name, 2 value), of a foreign entity (1 section, 2 key), of a client's secret (1 client id,
/// 2 environment).
package enum NamedValueBody {
    private static let lastKnown: UInt16 = 2

    /// A body of two texts; fields of `previous` that this build does not know stay.
    package static func encode(_ first: String, _ second: String, replacing previous: FieldList? = nil) -> FieldList {
        var body = FieldList()
        body.append(1, first)
        body.append(2, second)
        body.keepUnknown(of: previous, above: lastKnown)
        return body
    }

    /// The two texts in `body`.
    package static func decode(_ body: FieldList) throws(FieldList.Malformed) -> (first: String, second: String) {
        (try body.requiredText(1), try body.requiredText(2))
    }
}

/// What is left of an item that was deleted: 1 its kind and 2 a part of its key (repeats), or of a grant 3 a credential
/// body that is signed out.
package enum TombstoneBody {
    /// The body of a tombstone, or of what is left of a grant.
    package static func encode(_ content: ItemContent) -> FieldList {
        var body = FieldList()
        if case .credential(let grant) = content {
            body.append(3, CredentialBody.encode(grant))
            return body
        }
        body.append(1, content.key.kind.rawValue)
        for part in content.key.parts { body.append(2, part) }
        return body
    }

    /// What it says; a kind that this build does not know is refused by its name.
    package static func decode(_ body: FieldList) throws(FieldList.Malformed) -> ItemContent {
        if let grant = try body.lists(3).first {
            return .credential(try CredentialBody.decode(grant, kind: .refreshToken))
        }
        let name = try body.requiredText(1)
        guard let kind = ItemKind(rawValue: name) else { throw FieldList.Malformed(unknownKind: name) }
        let parts = try body.texts(2)
        guard parts.count == ItemKey.partCount(of: kind) else { throw FieldList.Malformed() }
        return .tombstone(ItemKey(kind, parts))
    }
}
