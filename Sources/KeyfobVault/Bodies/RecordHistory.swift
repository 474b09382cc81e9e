package import KeyfobModel

/// When, and on which device, something was written.
package struct WriteVersion: Hashable, Comparable, Sendable {
    /// When.
    package let stamp: Stamp
    /// Where.
    package let device: UInt64

    package init(stamp: Stamp, device: UInt64) {
        self.stamp = stamp
        self.device = device
    }

    /// Orders by the stamp, then by the device.
    package static func < (left: WriteVersion, right: WriteVersion) -> Bool {
        left.stamp == right.stamp ? left.device < right.device : left.stamp < right.stamp
    }
}

/// What a record keeps for merging beside its content: the same field of every body.
///
/// 1 version of a field (repeats: 1 name, 2 stamp u64, 3 device u64), 2 deletion (2 stamp, 3 device),
/// 3 unknown field of a bundle (repeats: 1 path, 2 name, 3 JSON), 4 restored u8 (1), 5 kind of the item that a
/// tombstone is of, 6 part of its key (repeats), 7 what is left of a grant: a credential body.
package struct RecordHistory: Equatable, Sendable {
    /// The number of the field in every body.
    static let number: UInt16 = 0xFF00

    /// The version of one field.
    package struct FieldVersion: Equatable, Sendable {
        package let name: String
        package let version: WriteVersion

        package init(_ name: String, _ version: WriteVersion) {
            self.name = name
            self.version = version
        }
    }

    /// A field that came in a bundle and that no build up to this one knows.
    package struct UnknownField: Equatable, Sendable {
        /// The object it was in.
        package let path: String
        package let name: String
        package let json: String

        package init(path: String, name: String, json: String) {
            self.path = path
            self.name = name
            self.json = json
        }
    }

    /// Versions of the fields that have another than the record, and of those that were taken away.
    package var fields: [FieldVersion] = []
    /// When the item was deleted before it was written again.
    package var deletion: WriteVersion?
    /// What a newer Keyfob wrote into a bundle.
    package var unknownFields: [UnknownField] = []
    /// Whether the token came back from a backup and has not been replaced since.
    package var isRestored = false

    package init() {}

    /// Whether there is nothing to keep.
    package var isEmpty: Bool { fields.isEmpty && deletion == nil && unknownFields.isEmpty && !isRestored }

    /// The version that is noted for a field; nil where it is the record's.
    package func version(of name: String) -> WriteVersion? {
        fields.first { $0.name.utf8.elementsEqual(name.utf8) }?.version
    }
}

extension FieldList {
    /// What the body keeps for merging.
    package func history() throws(Malformed) -> RecordHistory {
        var history = RecordHistory()
        guard let list = try lists(RecordHistory.number).first else { return history }
        for entry in try list.lists(1) {
            history.fields.append(.init(try entry.requiredText(1), try entry.version()))
        }
        history.deletion = try list.lists(2).first.map { (entry) throws(Malformed) in try entry.version() }
        for entry in try list.lists(3) {
            history.unknownFields.append(
                .init(path: try entry.requiredText(1), name: try entry.requiredText(2), json: try entry.requiredText(3))
            )
        }
        let restored: UInt8? = try list.integer(4)
        history.isRestored = restored == 1
        return history
    }

    /// The body with another history.
    package func with(_ history: RecordHistory) -> FieldList {
        var body = without(RecordHistory.number)
        if !history.isEmpty { body.append(RecordHistory.number, history.list) }
        return body
    }
}

extension RecordHistory {
    /// The fields of the history's list that are written the same way for records and for what is left of one.
    fileprivate var list: FieldList {
        var list = FieldList()
        for field in fields {
            var entry = FieldList()
            entry.append(1, field.name)
            entry.append(field.version)
            list.append(1, entry)
        }
        if let deletion {
            var entry = FieldList()
            entry.append(deletion)
            list.append(2, entry)
        }
        for field in unknownFields {
            var entry = FieldList()
            entry.append(1, field.path)
            entry.append(2, field.name)
            entry.append(3, field.json)
            list.append(3, entry)
        }
        if isRestored { list.append(4, UInt8(1)) }
        return list
    }
}

extension FieldList {
    fileprivate mutating func append(_ version: WriteVersion) {
        append(2, version.stamp.value)
        append(3, version.device)
    }

    fileprivate func version() throws(Malformed) -> WriteVersion {
        guard let stamp: UInt64 = try integer(2), let device: UInt64 = try integer(3) else { throw Malformed() }
        return WriteVersion(stamp: Stamp(value: stamp), device: device)
    }
}

/// What names an item within its group, as a merge compares it: a kind and the parts of its identity.
package struct RecordKey: Hashable, Sendable {
    /// `account`, `grant`, `idToken`, `accessToken`, `appMetadata`, `setting` or `foreign`.
    package let kind: String
    package let parts: [String]

    package init(kind: String, parts: [String]) {
        self.kind = kind
        self.parts = parts
    }
}

/// The body of a tombstone, which is kept as a setting that nobody sees.
///
/// Its name begins with a zero byte, which no other setting's does, so that it is found by the index of settings.
package enum TombstoneBody {
    /// What a tombstone is of, and for a grant what is left of it.
    package struct Content: Sendable {
        package let key: RecordKey
        /// The grant, signed out; nil for other kinds.
        package let grant: Credential?
        package let history: RecordHistory

        package init(key: RecordKey, grant: Credential? = nil, history: RecordHistory = RecordHistory()) {
            self.key = key
            self.grant = grant
            self.history = history
        }
    }

    /// The bit of a record's flags that marks one.
    package static let flag: UInt16 = 1

    /// The name under which the tombstone of an item is kept.
    package static func name(of key: RecordKey) -> String {
        "\u{0}deleted:\(key.kind)" + key.parts.map { ":\($0.utf8.count):\($0)" }.joined()
    }

    package static func encode(_ content: Content) -> FieldList {
        var body = NamedValueBody.encode(name(of: content.key), "")
        var list = content.history.list
        list.append(5, content.key.kind)
        for part in content.key.parts { list.append(6, part) }
        if let grant = content.grant { list.append(7, CredentialBody.encode(grant)) }
        body.append(RecordHistory.number, list)
        return body
    }

    package static func decode(_ body: FieldList) throws(FieldList.Malformed) -> Content {
        guard let list = try body.lists(RecordHistory.number).first else { throw FieldList.Malformed() }
        let key = RecordKey(kind: try list.requiredText(5), parts: try list.texts(6))
        guard name(of: key).utf8.elementsEqual(try body.requiredText(1).utf8) else { throw FieldList.Malformed() }
        let grant = try list.lists(7).first.map { (inner) throws(FieldList.Malformed) in
            try CredentialBody.decode(inner, kind: .refreshToken)
        }
        return Content(key: key, grant: grant, history: try body.history())
    }
}
