internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

// Single items.

extension SecretServiceStorage {
    /// Uses the service for several calls that change something.
    ///
    /// - Parameter body: Says when one of them has, or may have: then what fails is made in part.
    func withCalls(_ body: (SecretService, String, _ hasBegun: inout Bool) throws -> Void) throws {
        var hasBegun = false
        forgetAccountItems()
        do {
            try withService { service, collection in try body(service, collection, &hasBegun) }
        } catch DesktopError.service(let reason, let partly) {
            throw DesktopError.service(reason, partly: partly || hasBegun)
        }
    }

    /// Makes the item of a record.
    ///
    /// - Parameter owner: What the account is called to which the record belongs, where that is known.
    func create(
        _ record: SealedRecord, _ keys: GroupKeys, group: AccessGroup, owner: ItemOwner?
    ) throws -> SecretService.ItemPath {
        let parts = try ItemParts(record, keys, group: group, owner: owner)
        forgetAccountItems()
        return try withService { service, collection in
            try service.create(
                label: parts.label, attributes: parts.attributes, secret: parts.secret, as: .plain, in: collection)
        }
    }

    /// Writes a record into the item of another.
    ///
    /// The secret changes first: of a token that nobody can get again, nothing else matters. Until the attributes follow,
    /// the item says of itself that it holds another token than its own, and who reads it waits for whoever writes it.
    ///
    /// - Parameters:
    ///   - owner: What the account is called to which the record belongs; where nobody knows, as the item says.
    ///   - relabels: Whether the label is written even where it should be there, since somebody was stopped before that.
    func replace(
        _ item: SecretService.ItemPath, _ old: StoredRecord, with record: SealedRecord, _ keys: GroupKeys,
        group: AccessGroup, owner: ItemOwner?, relabels: Bool = false
    ) throws {
        let keepsSecret = hasSameSecret(old, record, keys)
        try withCalls { service, _, hasBegun in
            let there = try service.attributes(of: item)
            let owner = owner ?? ItemOwner(there)
            let parts = try ItemParts(record, keys, group: group, owner: owner)
            if !keepsSecret || ItemSecret.encoding(there) != ItemSecret.encoding(parts.attributes) {
                try service.setSecret(of: item, to: parts.secret, as: .plain)
                hasBegun = true
            }
            let former = try? ItemAttributes.describe(
                old.header, try old.open(keys), group: group, owner: ItemOwner(there))
            hasBegun = true
            let isLabelled = !relabels && former?.label == parts.label && there["record"] != nil
            try service.file(item, under: parts.attributes, label: isLabelled ? nil : parts.label)
        }
    }

    /// Whether both are known to have the same token, or neither has any.
    private func hasSameSecret(_ old: StoredRecord, _ record: SealedRecord, _ keys: GroupKeys) -> Bool {
        guard let box = record.secret else { return old.secretCommitment == nil && record.header.kind != .setting }
        guard let former = remembered(old)?.secret, let before = try? keys.openSecret(old.header, former),
            let after = try? keys.openSecret(record.header, box)
        else { return false }
        return before.isEqual(to: after)
    }

    /// Tells the items of an account's tokens what the account is called now.
    func rename(_ owner: ItemOwner, of account: String, _ keys: GroupKeys, group: AccessGroup) throws {
        try withCalls { service, collection, hasBegun in
            let wanted = ItemAttributes.every(vault).merging(["account": ItemAttributes.text(account)]) { $1 }
            for item in try service.items(wanted, in: collection) {
                guard let there = try service.attributesIfThere(of: item), ItemOwner(there) != owner,
                    let open = OpenRecord(there, keys), open.header.kind != .account,
                    let body = try? open.attributes()
                else { continue }
                var (attributes, label) = try ItemAttributes.describe(open.header, body, group: group, owner: owner)
                for name in ["record", "encoding"] { attributes[name] = there[name] }
                hasBegun = true
                try service.file(item, under: attributes, label: label)
            }
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
                try service.setSecret(of: item, to: ItemSecret.ofEmptied(), as: .plain)
                hasBegun = true
                let attributes = ItemAttributes.nobodys(try service.attributes(of: item))
                    .merging(["xdg:schema": ItemAttributes.emptied]) { $1 }
                try service.setAttributes(of: item, to: attributes, label: "Keyfob: nothing, may be deleted")
            }
        }
    }

    /// How many items are looked into where each may be another vault's.
    static let fewLimit = 100

    /// The items of the collection that have these attributes.
    func search(_ wanted: [String: String]) throws -> [SecretService.ItemPath] {
        try withService { service, collection in try service.items(wanted, in: collection) }
    }

    /// The items that concern an account, and what they say of themselves.
    ///
    /// They are the vault's, and what may have been made by hand; others' may be among them. In its turn, when nobody else
    /// changes them, and for one answer a process asks for them once.
    func items(of account: String) throws -> [FoundItem] {
        if let known = accountItems(account) { return known }
        let all = ["account": account]
        var paths = try search(all)
        if paths.count > Self.fewLimit {
            paths = try search(ItemAttributes.every(vault).merging(all) { $1 }) + search(HandMadeToken.marked(account))
        }
        // What was taken over may still say that it was made by hand.
        var seen: Set<SecretService.ItemPath> = []
        paths = paths.filter { seen.insert($0).inserted }
        let attributes = try attributes(of: paths)
        let found = paths.compactMap { path in attributes[path].map { (path, $0) } }
        note(accountItems: found, of: account)
        return found
    }

    /// What items say of themselves, as far as they are there.
    ///
    /// - Parameter known: What some have said just now.
    func attributes(
        of items: [SecretService.ItemPath], known: [SecretService.ItemPath: [String: String]] = [:]
    ) throws -> [SecretService.ItemPath: [String: String]] {
        var found = foundAttributes().merging(known) { $1 }
        let rest = Set(items).subtracting(found.keys)
        guard !rest.isEmpty else { return found }
        let new = try withService { service, _ in
            var new: [SecretService.ItemPath: [String: String]] = [:]
            for item in items where rest.contains(item) && new[item] == nil {
                new[item] = try service.attributesIfThere(of: item)
            }
            return new
        }
        note(attributes: new)
        found.merge(new) { $1 }
        return found
    }

    /// The items of a group.
    ///
    /// - Parameter kind: Records that are left out.
    func items(of group: GroupID, besides kind: RecordHeader.Kind? = nil) throws -> [SecretService.ItemPath] {
        let items = try recordItems()
        let attributes = try attributes(of: items)
        return items.filter { item in
            guard let said = attributes[item], self.group(of: said) == group else { return false }
            return kind.map { said["xdg:schema"] != ItemAttributes.schema($0) } ?? true
        }
    }

    /// The group that an item is in: as its record says, and where it has none that opens, as stands beside it; nil for none
    /// of the vault's.
    func group(of attributes: [String: String]) -> GroupID? {
        guard ItemAttributes.isRecord(attributes, of: vault) else { return nil }
        if let group = OpenRecord.bytes(attributes).flatMap({ OpenRecord.group(of: $0, in: vault) }) { return group }
        // Of what earlier versions have written the id stands there.
        if let id = attributes["group-id"] { return GroupID(hexadecimal: id) }
        let name = attributes["group"] ?? AccessGroup.default.name
        return try? memory()?.known.header.unlocked().groupNames.first { $0.value.name == name }?.key
    }

    /// Gives every item of a group, and its label, the name that the group has.
    func relabel(_ group: GroupID, _ names: [GroupID: AccessGroup]) throws {
        guard let name = names[group] else { return }
        let items = try items(of: group)
        try withCalls { service, _, hasBegun in
            for item in items {
                var attributes = ItemAttributes.own(ItemAttributes.told(try service.attributes(of: item)))
                let label = try service.label(of: item)
                let before = ItemAttributes.labelPrefix(attributes["group"] ?? AccessGroup.default.name)
                let rest =
                    label.hasPrefix(before) ? label.dropFirst(before.count) : label.drop { $0 != ":" }.dropFirst()
                attributes["group"] = name == .default ? nil : name.name
                hasBegun = true
                try service.file(item, under: attributes, label: ItemAttributes.labelPrefix(name.name) + rest)
            }
        }
    }
}
