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
            if !keepsSecret || there["encoding"] != parts.attributes["encoding"] {
                try service.setSecret(of: item, to: parts.secret, as: .plain)
                hasBegun = true
            }
            let former = try? ItemAttributes.describe(
                old.header, try old.open(keys), group: group, owner: ItemOwner(there))
            hasBegun = true
            let isLabelled = !relabels && former?.label == parts.label && there["record"] != nil
            try service.setAttributes(of: item, to: parts.attributes, label: isLabelled ? nil : parts.label)
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
            let wanted = ItemAttributes.every(vault, keys.group).merging(["account": account]) { $1 }
            for item in try service.items(wanted, in: collection) {
                guard let there = try service.attributesIfThere(of: item), ItemOwner(there) != owner,
                    let open = OpenRecord(there, keys), open.header.kind != .account,
                    let body = try? open.attributes()
                else { continue }
                var (attributes, label) = try ItemAttributes.describe(open.header, body, group: group, owner: owner)
                for name in ["record", "encoding"] { attributes[name] = there[name] }
                hasBegun = true
                try service.setAttributes(of: item, to: attributes, label: label)
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
                    .merging(["xdg:schema": ItemAttributes.record, "kind": "emptied"]) { $1 }
                try service.setAttributes(of: item, to: attributes, label: "Keyfob: nothing, may be deleted")
            }
        }
    }

    /// How many items are looked into where each may be another vault's.
    static let fewLimit = 8

    /// The items of the collection that have these attributes; nil where there are many, which other vaults may have made.
    func few(_ wanted: [String: String]) throws -> [SecretService.ItemPath]? {
        let items = try withService { service, collection in try service.items(wanted, in: collection) }
        return items.count > Self.fewLimit ? nil : items
    }

    /// The items of the collection that have these attributes: the vault's, or those of tokens that were made by hand.
    ///
    /// In its turn, when nobody else changes them, a process asks for all items of an account once.
    func search(_ wanted: [String: String]) throws -> [SecretService.ItemPath] {
        guard hasTurn, let account = wanted["account"] else {
            return try withService { service, collection in try service.items(wanted, in: collection) }
        }
        let found = try accountItems(account) ?? findItems(of: account)
        return found.filter { found in wanted.allSatisfy { found.attributes[$0.key] == $0.value } }.map(\.item)
    }

    /// Asks for all items of an account, and what they say of themselves.
    private func findItems(of account: String) throws -> [FoundItem] {
        let all = ["xdg:schema": ItemAttributes.record, "account": account]
        let few = try few(all)
        let found = try withService { service, collection in
            let own = ItemAttributes.every(vault).merging(all) { $1 }
            let byHand = HandMadeToken.marked(account)
            let items = try few ?? service.items(own, in: collection) + service.items(byHand, in: collection)
            // What was taken over may still say that it was made by hand.
            var seen: Set<SecretService.ItemPath> = []
            return try items.filter { seen.insert($0).inserted }.compactMap { item in
                try service.attributesIfThere(of: item).map { (item, $0) }
            }
        }
        note(accountItems: found, of: account)
        return found
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
