package import KeyfobModel

/// What a keyring holds, as far as a merge needs to know: its groups by name.
package struct KeyringState: Hashable, Sendable {
    /// The groups.
    package var groups: [AccessGroup: GroupItems]

    /// A keyring, empty unless told otherwise.
    package init(_ groups: [AccessGroup: GroupItems] = [:]) {
        self.groups = groups
    }

    /// What both know.
    ///
    /// The result does not depend on which of the two is asked, in which order several are merged, or how often
    /// (commutative, associative, idempotent). Nothing is ever undecided; what a person should know all the same,
    /// ``Conflict`` finds.
    package func merged(with other: KeyringState) -> KeyringState {
        KeyringState(groups.merging(other.groups) { $0.joined(with: $1) })
    }

    /// Every item of every group, deleted ones among them, in a stable order.
    package var places: [ItemPlace] {
        groups.sorted { $0.key < $1.key }.flatMap { group, state in state.keys.map { ItemPlace(group, $0) } }
    }

    /// The same in no order.
    package var unorderedPlaces: Set<ItemPlace> {
        var places: Set<ItemPlace> = []
        places.reserveCapacity(groups.values.reduce(0) { $0 + $1.items.count + $1.grants.count })
        for (group, state) in groups {
            for key in state.items.keys { places.insert(ItemPlace(group, key)) }
            for key in state.grants.keys { places.insert(ItemPlace(group, key)) }
        }
        return places
    }
}
