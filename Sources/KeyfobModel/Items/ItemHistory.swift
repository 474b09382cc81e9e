/// When the fields of an item were written, cleared and deleted: what a merge of two copies goes by.
package struct ItemHistory: Hashable, Sendable {
    /// The version of each field that was written at another time than the item, and of each that was cleared.
    ///
    /// So a label that was never set (nil, no version) can be told from one that was cleared (nil, with the version of
    /// the clearing). The same goes for display names, and for user names that are empty.
    package var fieldVersions: [FieldName: ItemVersion]
    /// When the item was deleted before it was written again; nil where nobody knows of that.
    package var deletion: ItemVersion?
    /// The fields of the item's record in a bundle that this build does not know.
    package var unknownFields: UnknownFields
    /// Whether the token came back from a backup and has not been replaced since; no bundle tells of it.
    package var isRestored = false

    /// A history, empty unless told otherwise.
    package init(
        fieldVersions: [FieldName: ItemVersion] = [:], deletion: ItemVersion? = nil,
        unknownFields: UnknownFields = UnknownFields()
    ) {
        self.fieldVersions = fieldVersions
        self.deletion = deletion
        self.unknownFields = unknownFields
    }

    /// Whether there is nothing to keep.
    package var isEmpty: Bool { self == ItemHistory() }

    /// Fields that this build does not know, by the path of the object that they are in: empty for the record
    /// itself, `account`, `account.tenantProfiles.<realm>`, ….
    package struct UnknownFields: Hashable, Sendable {
        /// The fields by path.
        package var objects: [String: AdditionalFields]

        /// No fields, or these.
        package init(_ objects: [String: AdditionalFields] = [:]) {
            self.objects = objects
        }

        /// Whether there is none.
        package var isEmpty: Bool { objects.isEmpty }

        /// Every path with its fields, in the order of the paths.
        package var sorted: [(path: String, fields: AdditionalFields)] {
            objects.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }

        /// What a merge calls the fields.
        package var names: [FieldName] {
            sorted.flatMap { path, fields in fields.fields.map { .additional($0.name, in: path) } }
        }
    }
}
