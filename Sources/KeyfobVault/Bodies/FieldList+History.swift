package import KeyfobModel

// What a record keeps for merging beside its content, in the same field of every body:
//
// 1 version of a field (repeats: 1 name, 2 stamp u64, 3 device u64), 2 deletion (2 stamp, 3 device),
// 3 unknown field of a bundle (repeats: 1 path, 2 name, 3 JSON), 4 restored u8 (1).

extension FieldList {
    /// The number of the field in every body.
    private static let history: UInt16 = 0xFF00

    /// What the body keeps for merging.
    package func history() throws(Malformed) -> ItemHistory {
        var history = ItemHistory()
        guard let list = try lists(Self.history).first else { return history }
        for entry in try list.lists(1) {
            history.fieldVersions[FieldName(try entry.requiredText(1))] = try entry.version()
        }
        history.deletion = try list.lists(2).first.map { (entry) throws(Malformed) in try entry.version() }
        for entry in try list.lists(3) {
            let field = AdditionalFields.Field(name: try entry.requiredText(2), json: try entry.requiredText(3))
            history.unknownFields.objects[try entry.requiredText(1), default: AdditionalFields()].fields.append(field)
        }
        let restored: UInt8? = try list.integer(4)
        history.isRestored = restored == 1
        return history
    }

    /// The body with another history.
    package func with(_ history: ItemHistory) -> FieldList {
        var body = without(Self.history)
        if !history.isEmpty { body.append(Self.history, FieldList(history)) }
        return body
    }

    private init(_ history: ItemHistory) {
        self.init()
        for (name, version) in history.fieldVersions.sorted(by: { $0.key < $1.key }) {
            var entry = FieldList()
            entry.append(1, name.name)
            entry.append(version)
            append(1, entry)
        }
        if let deletion = history.deletion {
            var entry = FieldList()
            entry.append(deletion)
            append(2, entry)
        }
        for (path, fields) in history.unknownFields.sorted {
            for field in fields.fields {
                var entry = FieldList()
                entry.append(1, path)
                entry.append(2, field.name)
                entry.append(3, field.json)
                append(3, entry)
            }
        }
        if history.isRestored { append(4, UInt8(1)) }
    }

    private mutating func append(_ version: ItemVersion) {
        append(2, version.stamp.value)
        append(3, version.device)
    }

    private func version() throws(Malformed) -> ItemVersion {
        guard let stamp: UInt64 = try integer(2), let device: UInt64 = try integer(3) else { throw Malformed() }
        return ItemVersion(stamp: Stamp(value: stamp), device: device)
    }
}
