package import KeyfobModel

/// One item with everything that rebuilds it in another vault, but for its secret.
package struct ItemRecord: Hashable, Sendable {
    /// The group it is in.
    package var group: AccessGroup
    /// What it is.
    package var content: Content
    /// The version of the item as a whole: the greatest of its fields.
    package var version: Version
    /// The versions of the fields that have another than ``version``, and of all fields that are there and hold
    /// nothing.
    ///
    /// A label that is nil and has no version here is one nobody ever said anything about; one that was taken away
    /// has the version of that. The same goes for display names, and for user names that are empty.
    package var fieldVersions: [FieldName: Version]
    /// When the item was deleted before it was written again; nil where nobody knows of that.
    package var deletion: Version?
    /// Whether the item is for the vault it comes from alone.
    package var isThisDeviceOnly: Bool
    /// The fields of the record in a bundle that this build does not know, by the object they are in.
    package var unknownFields: UnknownFields

    /// A record.
    package init(
        group: AccessGroup, content: Content, version: Version, fieldVersions: [FieldName: Version] = [:],
        deletion: Version? = nil, isThisDeviceOnly: Bool = false, unknownFields: UnknownFields = UnknownFields()
    ) {
        self.group = group
        self.content = content
        self.version = version
        self.fieldVersions = fieldVersions
        self.deletion = deletion
        self.isThisDeviceOnly = isThisDeviceOnly
        self.unknownFields = unknownFields
    }

    /// What an item is.
    package enum Content: Hashable, Sendable {
        /// A person at a provider.
        case account(Account)
        /// What is known of a token.
        case credential(Credential)
        /// What is known of a client.
        case appMetadata(AppMetadata)
        /// Something the keyring remembers; nil where it was told to forget it.
        case setting(name: String, value: String?)
        /// What another program's file held; its JSON is the secret.
        case foreign(section: String, key: String)
        /// An item that was deleted.
        case tombstone(ItemKey)
    }

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
    }

    /// What names the item in its group.
    package var key: ItemKey {
        switch content {
        case .account(let account): .account(account.id)
        case .credential(let credential): ItemKey(credential)
        case .appMetadata(let metadata):
            .appMetadata(clientID: metadata.clientID, environment: metadata.environment)
        case .setting(let name, _): .setting(name)
        case .foreign(let section, let key): .foreign(section: section, key: key)
        case .tombstone(let key): key
        }
    }

    /// The group and the key.
    package var place: ItemPlace { ItemPlace(group, key) }

    /// Whether the record says that the item was deleted.
    package var isTombstone: Bool {
        if case .tombstone = content { true } else { false }
    }

    /// The version of a field.
    package func version(of field: FieldName) -> Version { fieldVersions[field] ?? version }
}
