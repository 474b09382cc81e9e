package import KeyfobFiles
package import KeyfobModel
package import KeyfobVault

/// What is remembered under a name.
package struct Setting: Hashable, Sendable {
    package let name: String
    package let value: String
    package let writer: DecisionWriter

    /// Whether it is known that the owner wrote it.
    package var isOwners: Bool { writer == .owner }

    /// A setting as a backup has it.
    package init(_ name: String, _ value: String, by writer: DecisionWriter) {
        (self.name, self.value, self.writer) = (name, value, writer)
    }

    init(_ body: FieldList, _ keys: GroupKeys) throws(FieldList.Malformed) {
        (name, value, writer) = try SettingBody.decode(body, keys)
    }
}

extension VaultReading {
    /// What is remembered under names that begin with one of `prefixes`.
    ///
    /// Opens every setting of the group, since names are sealed; a group without any costs two short reads.
    ///
    /// - Throws: `incomplete` when there are not as many as there should be.
    package func settings(prefixes: [String], in keys: GroupKeys) throws(StorageFailure) -> SearchResult<Setting> {
        var found = try all(.setting, in: keys) { body throws(FieldList.Malformed) in
            try Setting(body, keys)
        }
        found.items.removeAll { item in !prefixes.contains { item.value.name.hasPrefix($0) } }
        return found
    }
}
