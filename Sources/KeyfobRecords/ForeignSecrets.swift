internal import KeyfobFiles
internal import KeyfobModel
package import KeyfobSodium
package import KeyfobVault

// Secrets that belong to no account, under a section and a key.

extension GroupWriter {
    /// Forgets what is kept under `key` in `section`, where there is something.
    package func removeForeign(section: String, key: String) throws {
        let lookup = keys.lookup(foreignIn: section, key: key)
        for record in try reader.records(.credential, lookup) where record.header.kind == .foreign { try bury(record) }
    }
}

extension VaultReading {
    /// The secret that is kept under `key` in `section`; nil where there is none.
    ///
    /// - Throws: `damaged` when it does not open, `incomplete` when that cannot be told for certain.
    package func foreignSecret(section: String, key: String, in keys: GroupKeys) throws -> SecretBytes? {
        let found = try foreignEntities(in: keys)
        guard let item = found.items.first(where: { $0.value == [section, key] }) else {
            if let damage = found.damaged.first { throw StoreError.damaged(what: damage) }
            return nil
        }
        return try secret(of: item.record, in: keys)
    }
}
