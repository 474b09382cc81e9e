internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

// Single items.

extension SecretServiceStorage {
    /// What is left in an item that the service does not remove without asking somebody.
    private static let emptied = Array("KFD1".utf8)

    /// Uses the service for several calls that change something.
    ///
    /// - Parameter body: Says when one of them has, or may have: then what fails is made in part.
    private func withCalls(_ body: (SecretService, String, _ hasBegun: inout Bool) throws -> Void) throws {
        var hasBegun = false
        do {
            try withService { service, collection in try body(service, collection, &hasBegun) }
        } catch DesktopError.service(let reason, let partly) {
            throw DesktopError.service(reason, partly: partly || hasBegun)
        }
    }

    /// Makes the item of a record.
    func create(_ record: SealedRecord, _ keys: GroupKeys, group: AccessGroup) throws -> SecretService.ItemPath {
        let body = try keys.openAttributes(record.header, record.attributes)
        let (attributes, label) = try ItemAttributes.describe(record.header, body, group: group)
        let content = try OpenRecord.encode(record, keys)
        return try withService { service, collection in
            try service.create(label: label, attributes: attributes, secret: content, in: collection)
        }
    }

    /// Writes a record into the item of another.
    ///
    /// What is in the item counts. So the attributes change first, and who tries again after that much finds the record
    /// as it was; but what is deleted goes first of all.
    func replace(
        _ item: SecretService.ItemPath, _ old: StoredRecord, with record: SealedRecord, _ keys: GroupKeys,
        group: AccessGroup?
    ) throws {
        let group = group ?? .default
        let before = try ItemAttributes.describe(old.header, try old.open(keys), group: group)
        let body = try keys.openAttributes(record.header, record.attributes)
        let after = try ItemAttributes.describe(record.header, body, group: group)
        let content = try OpenRecord.encode(record, keys)
        let goes = after.attributes["kind"] != before.attributes["kind"]
        try withCalls { service, _, hasBegun in
            if goes {
                try service.setSecret(of: item, to: content)
                hasBegun = true
            }
            let there = try service.attributes(of: item)
            if after != before || after.attributes.contains(where: { there[$0.key] != $0.value }) {
                hasBegun = true
                try service.setAttributes(of: item, to: after.attributes, label: after.label)
            }
            if !goes { try service.setSecret(of: item, to: content) }
        }
    }

    /// Removes an item; where the service asks before it does so and nobody can be asked, empties it.
    ///
    /// An item that is gone already is no error.
    func remove(_ item: SecretService.ItemPath) throws {
        try withCalls { service, _, hasBegun in
            do {
                try service.delete(item)
            } catch {
                guard let reason = error as? SecretServiceError, reason != .noItem else { return }
                // A person who says no means it.
                guard reason == .needsPrompt else { throw reason }
                try service.setSecret(of: item, to: Self.emptied.withBytes { SecretBytes(copying: $0) })
                hasBegun = true
                let attributes = ItemAttributes.nobodys(try service.attributes(of: item))
                    .merging(["xdg:schema": ItemAttributes.record, "kind": "emptied"]) { $1 }
                try service.setAttributes(of: item, to: attributes, label: "Keyfob: nothing, may be deleted")
            }
        }
    }

    /// Whether this is what ``remove(_:)`` leaves, or what a service leaves that ended while it made an item: nothing.
    static func isEmptied(_ bytes: borrowing SecretBytes) -> Bool {
        bytes.count == 0 || bytes.count == emptied.count && bytes.withBytes { [UInt8]($0) } == emptied
    }

    /// The items of a group.
    func items(of group: GroupID) throws -> [SecretService.ItemPath] {
        try withService { service, collection in
            try service.items(ItemAttributes.every(vault, group), in: collection)
        }
    }

    /// Gives every item of a group, and its label, the name that the group has.
    func relabel(_ group: GroupID, _ names: [GroupID: AccessGroup]) throws {
        guard let name = names[group] else { return }
        try withCalls { service, collection, hasBegun in
            for item in try service.items(ItemAttributes.every(vault, group), in: collection) {
                var attributes = ItemAttributes.own(try service.attributes(of: item))
                let label = try service.label(of: item)
                let before = ItemAttributes.labelPrefix(attributes["group"] ?? "")
                let rest =
                    label.hasPrefix(before) ? label.dropFirst(before.count) : label.drop { $0 != ":" }.dropFirst()
                attributes["group"] = name.name
                hasBegun = true
                try service.setAttributes(
                    of: item, to: attributes, label: ItemAttributes.labelPrefix(name.name) + rest)
            }
        }
    }
}
