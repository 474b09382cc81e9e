/// One item with everything that rebuilds it in another vault, but for its secret.
package struct ItemRecord: Hashable, Sendable {
    /// The group it is in.
    package var group: AccessGroup
    /// What it is.
    package var content: ItemContent {
        didSet { key = content.key }
    }
    /// What names the item in its group.
    package private(set) var key: ItemKey
    /// The version of the item as a whole: the greatest of its fields.
    package var version: ItemVersion
    /// The versions of its fields, and what else a merge wants to know.
    package var history: ItemHistory
    /// Whether the item is for the vault it comes from alone.
    package var isThisDeviceOnly: Bool
    /// Whether it is a decision of the vault's owner; only a backup tells.
    package var isOwners: Bool

    /// A record.
    package init(
        group: AccessGroup, content: ItemContent, version: ItemVersion, history: ItemHistory = ItemHistory(),
        isThisDeviceOnly: Bool = false, isOwners: Bool = false
    ) {
        self.group = group
        self.content = content
        key = content.key
        self.version = version
        self.history = history
        self.isThisDeviceOnly = isThisDeviceOnly
        self.isOwners = isOwners
    }

    /// The group and the key.
    package var place: ItemPlace { ItemPlace(group, key) }

    /// Whether the record says that the item was deleted.
    package var isTombstone: Bool {
        if case .tombstone = content { true } else { false }
    }

    /// The version of a field.
    package func version(of field: FieldName) -> ItemVersion { history.fieldVersions[field] ?? version }
}

extension ItemRecord {
    /// The same, where of an account it is not told which names it had, nor that somebody has signed in as it.
    package var withoutPast: ItemRecord {
        guard case .account(var account) = content else { return self }
        account.formerNames = []
        account.isProved = false
        var record = self
        record.content = .account(account)
        record.history.fieldVersions[.formerNames] = nil
        record.history.fieldVersions[.proved] = nil
        return record
    }
}
