internal import KeyfobModel

/// A part of a lookup tree that has been made: what its parent says of it, and how many keys it holds.
package struct LookupSubtree: Sendable {
    package let digest: LookupDigest
    package let keys: Int

    /// Makes the nodes of a subtree that holds these entries and no others; nil where there are none.
    ///
    /// - Parameters:
    ///   - entries: In their order.
    ///   - store: Gets each node, children before their parents.
    package init?<Failure: Error>(
        _ entries: ArraySlice<LookupEntry>, at position: LookupPosition, _ groupKeys: GroupKeys,
        store: (LookupPosition, [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        guard !entries.isEmpty else { return nil }
        let keys = Self.keyCount(entries)
        let node: LookupNode
        if Self.isLeaf(keys: keys, at: position) {
            node = .leaf(Array(entries))
        } else {
            var children = [LookupDigest?](repeating: nil, count: 64)
            var rest = entries
            while let first = rest.first {
                let digit = position.digit(of: first.key)
                let own = rest.prefix { position.digit(of: $0.key) == digit }
                rest = rest[own.endIndex...]
                children[digit] = try LookupSubtree(own, at: position.child(digit), groupKeys, store: store)?.digest
            }
            node = .inner(keys: keys, children: children)
        }
        try self.init(node, keys: keys, at: position, groupKeys, store: store)
    }

    /// Makes one node whose children are made.
    package init<Failure: Error>(
        _ node: LookupNode, keys: Int, at position: LookupPosition, _ groupKeys: GroupKeys,
        store: (LookupPosition, [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let bytes = node.encoded
        try store(position, bytes)
        digest = groupKeys.digest(of: bytes, at: position)
        self.keys = keys
    }

    /// Whether so many keys below a position are one leaf.
    package static func isLeaf(keys: Int, at position: LookupPosition) -> Bool {
        keys <= LookupNode.capacity || position.level == LookupPosition.deepest
    }

    /// How many keys entries have that are in their order.
    package static func keyCount(_ entries: some Sequence<LookupEntry>) -> Int {
        var (count, last): (Int, BlindValue?) = (0, nil)
        for entry in entries where entry.key != last {
            count += 1
            last = entry.key
        }
        return count
    }
}
