internal import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium
package import KeyfobVault

// What is neither account nor credential.

extension GroupWriter {
    /// Stores what is known of a client.
    package func save(_ metadata: AppMetadata) throws -> Outcome {
        let content = ItemContent.appMetadata(metadata)
        guard let record = try record(of: content) else {
            try insert(content)
            return .added
        }
        guard try record.content(keys) != content else { return .unchanged }
        try replace(record, content)
        return .changed
    }

    /// Stores what another program's file holds under `key` in `section`, as it stands there.
    package func saveForeign(section: String, key: String, json: borrowing SecretBytes) throws -> Outcome {
        try keep(json, of: .foreign(section: section, key: key))
    }

    /// Stores the secret of a client.
    package func save(
        clientSecret: borrowing SecretBytes, clientID: String, environment: String
    ) throws -> Outcome {
        try keep(clientSecret, of: .clientSecret(clientID: clientID, environment: environment))
    }

    private func keep(_ secret: borrowing SecretBytes, of content: ItemContent) throws -> Outcome {
        guard let record = try record(of: content) else {
            try insert(content, secret: secret)
            return .added
        }
        guard try !reader.secret(record).isEqual(to: secret) else { return .unchanged }
        try replace(record, content, secret: secret)
        return .changed
    }

    /// Removes the secret of a client, where there is one.
    package func removeClientSecret(clientID: String, environment: String) throws {
        let content = ItemContent.clientSecret(clientID: clientID, environment: environment)
        if let record = try record(of: content) { try bury(record) }
    }

    /// Remembers `value` under `name`; nil forgets it.
    ///
    /// Whoever holds the vault key does so as the owner.
    ///
    /// - Parameter isThisDeviceOnly: Whether no bundle for others carries what is new.
    package func setSetting(_ name: String, to value: String?, isThisDeviceOnly: Bool = false) throws {
        let content = ItemContent.setting(name: name, value: value)
        switch (try record(of: content), value) {
        case (nil, nil): break
        case (nil, .some):
            var new = try beginning(content)
            new.header.isThisDeviceOnly = isThisDeviceOnly
            try insert(try keys.seal(new.header, attributes: SettingBody.signed(new.body, content, keys)))
        case (let record?, nil): try bury(record)
        case (let record?, .some):
            let new = try succeeding(record, content, isSameSecret: true)
            try replace(
                record, with: try keys.seal(new.header, attributes: SettingBody.signed(new.body, content, keys)))
        }
    }

    /// What is remembered under `name`.
    package func setting(_ name: String) throws -> String? {
        try record(of: .setting(name: name, value: nil))?.decode(keys, NamedValueBody.decode).second
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

    /// Forgets the settings that `isObsolete` finds; damaged records are passed over.
    ///
    /// - Returns: What was forgotten.
    @discardableResult
    package func forgetSettings(where isObsolete: (Setting) -> Bool) throws -> [Setting] {
        var forgotten: [Setting] = []
        var obsolete: [StoredRecord] = []
        try reader.forEachRecord(kind: .setting) { result in
            guard let record = try? result.get() else { return }
            do {
                let setting = try record.decode(keys) { body throws(FieldList.Malformed) in
                    try Setting(body, keys)
                }
                guard isObsolete(setting) else { return }
                obsolete.append(record)
                forgotten.append(setting)
            } catch StoreError.damaged {
                // Nothing is known of it, least of all that it is meant.
            }
        }
        for record in obsolete { try bury(record) }
        return forgotten
    }

    func record(of content: ItemContent) throws -> StoredRecord? {
        try reader.records(.credential, keys.lookup(content)).first
    }
}

extension VaultReading {
    /// The secret of a client; nil where none is kept.
    ///
    /// - Throws: `damaged` when it does not open, `incomplete` when that cannot be told for certain.
    package func clientSecret(clientID: String, environment: String, in keys: GroupKeys) throws -> SecretBytes? {
        let wanted = ItemContent.clientSecret(clientID: clientID, environment: environment).key
        let found = try all(.clientSecret, in: keys) { body throws(FieldList.Malformed) in
            try ItemBody.decode(body, .clientSecret).key
        }
        guard let item = found.items.first(where: { $0.value == wanted }) else {
            if let damage = found.damaged.first { throw StoreError.damaged(what: damage) }
            return nil
        }
        return try secret(of: item.record, in: keys)
    }
}
