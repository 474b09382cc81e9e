internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSQLite
internal import KeyfobVault

// What a change makes of a tree is kept by key, where it is read too, and written at its end: each node that it touches
// once.

extension LookupTree {
    /// Notes that a record is in a row.
    func insert(_ header: RecordHeader, row: Int64, _ element: GroupManifest.Element) throws {
        for key in header.lookupKeys {
            changed[key] = try entries(key) + [LookupEntry(key, header, row: row, element)]
        }
    }

    /// Notes that a record is not in a row any more.
    ///
    /// - Throws: `incomplete` where the tree tells of no such record.
    func remove(_ header: RecordHeader, row: Int64, _ element: GroupManifest.Element) throws {
        for key in header.lookupKeys {
            var entries = try entries(key)
            let index = entries.firstIndex(of: LookupEntry(key, header, row: row, element))
            guard let index else { throw StoreError.incomplete(group: header.group) }
            entries.remove(at: index)
            changed[key] = entries
        }
    }

    /// Writes what was changed; ``root`` is that of the tree with it.
    func write(to database: SQLiteConnection, _ keys: GroupKeys) throws {
        guard !changed.isEmpty else { return }
        let writer = Writer(tree: self, keys: keys, database: database)
        let touched = changed.keys.sorted { $0.halves < $1.halves }
        let edits = touched.map { Edit(key: $0, entries: changed[$0]?.sorted() ?? []) }
        root = try writer.edit(edits[...], at: .root, root).subtree?.digest
        changed = [:]
    }

    /// All entries that a key is to have.
    private struct Edit {
        let key: BlindValue
        let entries: [LookupEntry]
    }

    private struct Writer {
        let tree: LookupTree
        let keys: GroupKeys
        let database: SQLiteConnection

        func store(_ position: LookupPosition, _ bytes: [UInt8]) throws {
            try database.run(
                "INSERT OR REPLACE INTO nodes VALUES (?, ?)", [.integer(tree.row(position)), .bytes(bytes)])
        }

        private func remove(_ position: LookupPosition) throws {
            try database.run("DELETE FROM nodes WHERE id = ?", [.integer(tree.row(position))])
        }

        /// Makes edits below a position, of keys in ascending order.
        ///
        /// - Parameter old: What the node there is bound to; nil where there is none.
        /// - Returns: What is there afterwards, nil where nothing is; and how many keys there are more.
        func edit(
            _ edits: ArraySlice<Edit>, at position: LookupPosition, _ old: LookupDigest?
        ) throws -> (subtree: LookupSubtree?, more: Int) {
            guard let old else {
                let made = try LookupSubtree(edits.flatMap(\.entries)[...], at: position, keys, store: store)
                return (made, made?.keys ?? 0)
            }
            switch try tree.node(position, old) {
            case .leaf(let entries):
                let touched = Set(edits.map(\.key))
                let all = (entries.filter { !touched.contains($0.key) } + edits.flatMap(\.entries)).sorted()
                let made = try LookupSubtree(all[...], at: position, keys, store: store)
                if made == nil { try remove(position) }
                return (made, (made?.keys ?? 0) - LookupSubtree.keyCount(entries))
            case .inner(let count, let children):
                return try edit(edits, at: position, children, count)
            }
        }

        private func edit(
            _ edits: ArraySlice<Edit>, at position: LookupPosition, _ former: [LookupDigest?], _ count: Int
        ) throws -> (subtree: LookupSubtree?, more: Int) {
            var (children, more, rest) = (former, 0, edits)
            while let first = rest.first {
                let digit = position.digit(of: first.key)
                let own = rest.prefix { position.digit(of: $0.key) == digit }
                rest = rest[own.endIndex...]
                let edited = try edit(own, at: position.child(digit), former[digit])
                children[digit] = edited.subtree?.digest
                more += edited.more
            }
            let keyCount = count + more
            guard LookupSubtree.isLeaf(keys: keyCount, at: position) else {
                let node = LookupNode.inner(keys: keyCount, children: children)
                return (try LookupSubtree(node, keys: keyCount, at: position, keys, store: store), more)
            }
            // So few are a leaf; what lies below is gathered. It cannot be more than leaves.
            var entries: [LookupEntry] = []
            for (digit, child) in children.enumerated() {
                guard let child else { continue }
                try tree.forEachEntry(below: position.child(digit), child) { entries.append($0) }
                try remove(position.child(digit))
            }
            let made = try LookupSubtree(entries.sorted()[...], at: position, keys, store: store)
            if made == nil { try remove(position) }
            return (made, more)
        }
    }
}

extension LookupEntry {
    fileprivate init(_ key: BlindValue, _ header: RecordHeader, row: Int64, _ element: GroupManifest.Element) {
        self.init(key: key, kind: header.kind, row: row, digest: element.lookupDigest)
    }
}
