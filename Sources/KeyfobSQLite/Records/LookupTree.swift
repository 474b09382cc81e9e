package import KeyfobFiles
package import KeyfobModel
package import KeyfobVault

/// A group's lookup tree in one state of the database: in which rows the records are that have a key, with what each of
/// these rows must be.
///
/// Every node that is read is compared with what its parent says of it, and the top with the group's manifest. So what is
/// found is of this state and no older one, and nothing else has the key.
package final class LookupTree {
    /// The largest number of a tree.
    package static let largestNumber: Int64 = 1 << 22 - 1
    #if hasFeature(Embedded)
    private static let slots = 16
    #else
    private static let slots = 1_024
    #endif

    private let connection: AnyQueryReading
    private let keys: GroupKeys
    /// The number of the tree in the table `nodes`.
    package let number: Int64
    /// What the top is bound to; nil where there are no entries.
    package var root: LookupDigest?
    /// The entries of the keys that a change has touched, by key, which are not in the table yet.
    package var changed: [BlindValue: [LookupEntry]] = [:]
    /// Nodes that were read, each at a place of its number's.
    private var known: [(position: UInt64, digest: LookupDigest, bytes: [UInt8])?] = []

    /// The tree whose top is bound to `root`.
    package init(_ connection: AnyQueryReading, _ keys: GroupKeys, number: Int64, root: LookupDigest?) {
        (self.connection, self.keys, self.number, self.root) = (connection, keys, number, root)
    }

    /// All entries of a key.
    ///
    /// - Throws: `incomplete` where a node is missing or is another one.
    package func entries(_ key: BlindValue) throws(StorageFailure) -> [LookupEntry] {
        if !changed.isEmpty, let entries = changed[key] { return entries }
        guard var digest = root else { return [] }
        var position = LookupPosition.root
        while true {
            switch LookupNode.answer(key, try bytes(position, digest), at: position) {
            case .entries(let entries): return entries
            case .child(let child): (position, digest) = (position.child(position.digit(of: key)), child)
            case nil: throw StoreError.incomplete(group: keys.group)
            }
        }
    }

    /// A node, which must be the one that its parent knows.
    ///
    /// - Throws: `incomplete`.
    package func node(_ position: LookupPosition, _ digest: LookupDigest) throws(StorageFailure) -> LookupNode {
        guard let node = LookupNode(try bytes(position, digest)) else {
            throw StoreError.incomplete(group: keys.group)
        }
        return node
    }

    private func bytes(_ position: LookupPosition, _ digest: LookupDigest) throws(StorageFailure) -> [UInt8] {
        let number = position.number
        let slot = Int((number &* 0x9E37_79B9_7F4A_7C15) >> 32) & (Self.slots - 1)
        if !known.isEmpty, let node = known[slot], node.position == number, node.digest == digest { return node.bytes }
        let stored = try connection.first(.node, [.integer(row(position))], row: { $0.bytes(0) })
        guard let stored, keys.digest(of: stored, at: position) == digest else {
            throw StoreError.incomplete(group: keys.group)
        }
        if known.isEmpty { known = Array(repeating: nil, count: Self.slots) }
        known[slot] = (number, digest, stored)
        return stored
    }

    /// The number of a node's row.
    package func row(_ position: LookupPosition) -> Int64 { number << 40 | Int64(position.number) }

    /// The numbers that rows of this tree can have.
    package var rows: ClosedRange<Int64> { number << 40...(number << 40 | (1 << 40 - 1)) }

    /// Calls `body` with each entry below a node.
    package func forEachEntry(
        below position: LookupPosition = .root, _ digest: LookupDigest?, _ body: (LookupEntry) -> Void
    ) throws(StorageFailure) {
        guard let digest else { return }
        switch try node(position, digest) {
        case .leaf(let entries): entries.forEach(body)
        case .inner(_, let children):
            for (digit, child) in children.enumerated() {
                try forEachEntry(below: position.child(digit), child, body)
            }
        }
    }
}

/// What one state of the database says of a group.
package final class GroupState {
    /// What should be there; with what has changed since, within a change.
    package var manifest: GroupManifest
    /// How far the group has come.
    package let milestone: Milestone
    package let tree: LookupTree

    init(_ manifest: GroupManifest, _ milestone: Milestone, _ tree: LookupTree) {
        (self.manifest, self.milestone, self.tree) = (manifest, milestone, tree)
    }
}
