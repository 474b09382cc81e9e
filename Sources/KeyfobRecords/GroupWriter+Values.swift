internal import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium
internal import KeyfobVault

// What is neither account nor credential.

extension GroupWriter {
    /// Stores what is known of a client.
    package func save(_ metadata: AppMetadata) throws -> Outcome {
        let index = keys.index(metadata)
        guard let record = try record(at: keys.lookup(metadata)) else {
            try insert(.appMetadata, index, AppMetadataBody.encode(metadata))
            return .added
        }
        let previous = try record.open(keys)
        guard try record.decode(keys, AppMetadataBody.decode) != metadata else { return .unchanged }
        try replace(record, index, AppMetadataBody.encode(metadata, replacing: previous))
        return .changed
    }

    /// Stores what another program's file holds under `key` in `section`, as it stands there.
    package func saveForeign(section: String, key: String, json: borrowing SecretBytes) throws -> Outcome {
        let index = keys.index(foreignIn: section, key: key)
        guard let record = try record(at: keys.lookup(foreignIn: section, key: key)) else {
            try insert(.foreign, index, NamedValueBody.encode(section, key), secret: json)
            return .added
        }
        guard try !reader.secret(record).isEqual(to: json) else { return .unchanged }
        try replace(record, index, NamedValueBody.encode(section, key), secret: json)
        return .changed
    }

    /// Remembers `value` under `name`; nil forgets it.
    package func setSetting(_ name: String, to value: String?) throws {
        let index = keys.index(setting: name)
        let record = try record(at: keys.blind(setting: name))
        switch (record, value) {
        case (nil, nil): break
        case (nil, let value?): try insert(.setting, index, NamedValueBody.encode(name, value))
        case (let record?, nil): try bury(record)
        case (let record?, let value?): try replace(record, index, NamedValueBody.encode(name, value))
        }
    }

    /// What is remembered under `name`.
    package func setting(_ name: String) throws -> String? {
        try record(at: keys.blind(setting: name))?.decode(keys, NamedValueBody.decode).second
    }

    /// The names that begin with `prefix` and under which something is remembered; damaged records are passed over.
    package func settingNames(prefix: String) throws -> [String] {
        var names: [String] = []
        try reader.forEachRecord(kind: .setting) { result in
            guard let record = try? result.get() else { return }
            do {
                let name = try record.decode(keys, NamedValueBody.decode).first
                if name.hasPrefix(prefix) { names.append(name) }
            } catch StoreError.damaged {
                // Nothing is known of it, least of all that it is meant.
            }
        }
        return names
    }

    func record(at lookup: Lookup) throws -> StoredRecord? {
        try reader.records(.credential, lookup).first
    }
}
