package import KeyfobModel

/// The items of one group, each with its versions.
package struct GroupItems: Hashable, Sendable {
    /// The accounts, settings, clients, foreign entities, ID tokens and access tokens.
    package var items: [ItemKey: FieldItem]
    /// The grants, which have an order of their own.
    package var grants: [ItemKey: GrantItem]
    /// How each account's id is spelt, by its key.
    package var accountIDs: [ItemKey: AccountID]

    /// A group, empty unless told otherwise.
    package init(
        items: [ItemKey: FieldItem] = [:], grants: [ItemKey: GrantItem] = [:], accountIDs: [ItemKey: AccountID] = [:]
    ) {
        self.items = items
        self.grants = grants
        self.accountIDs = accountIDs
    }

    /// What both know; the order of the two does not matter, nor how often they are merged.
    package func joined(with other: GroupItems) -> GroupItems {
        var joined = self
        // The usual import is of what was not here.
        if items.isEmpty { joined.items = other.items } else { joined.items.merge(other.items) { $0.joined(with: $1) } }
        if grants.isEmpty {
            joined.grants = other.grants
        } else {
            joined.grants.merge(other.grants) { $0.joined(with: $1) }
        }
        joined.accountIDs.merge(other.accountIDs) { $0.spelling.lexicographicallyPrecedes($1.spelling) ? $0 : $1 }
        return joined
    }

    /// The keys of all items, deleted ones among them, in their order.
    package var keys: [ItemKey] {
        (Array(items.keys) + Array(grants.keys)).sorted()
    }

    /// Whether the item is there and not deleted.
    ///
    /// A grant is there whatever its state is.
    package func contains(_ key: ItemKey) -> Bool {
        grants[key] != nil || items[key].map { !$0.isDeleted } ?? false
    }

    /// The latest version of an item.
    package func version(of key: ItemKey) -> ItemVersion? {
        grants[key]?.version ?? items[key].flatMap(\.version)
    }

    /// Which secret goes with an item.
    package func secret(of key: ItemKey) -> SecretDigest? {
        grants[key].flatMap(\.secret) ?? items[key].flatMap(\.secret)
    }
}

extension AccountID {
    /// Both parts as they are spelt.
    var spelling: [UInt8] {
        var bytes = CanonicalBytes()
        bytes.append(homeAccountID)
        bytes.append(environment)
        return bytes.bytes
    }
}
