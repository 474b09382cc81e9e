internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync

/// Where the items of an account, or an item that is no account's, stand in a bundle.
struct SlicePosition: Comparable {
    let group: AccessGroup
    let slice: UInt32

    static func < (left: SlicePosition, right: SlicePosition) -> Bool {
        (left.group, left.slice) < (right.group, right.slice)
    }
}

/// The rows of the groups that are written to, or some of them, in the order that their items would have in a bundle: 16 bytes
/// a row.
struct HereRows {
    private struct Row {
        let slice: UInt32
        let row: Int64
    }

    private var groups: [(name: AccessGroup, rows: [Row])] = []
    private var (group, row) = (0, 0)

    /// Goes through every row.
    ///
    /// - Parameter isChanged: Whether the change has written already, so that the manifests are not those of the rows yet.
    /// - Throws: `incomplete` and `damaged` where not every record of the groups opens.
    init(_ writers: [AccessGroup: GroupWriter], isChanged: Bool = false) throws {
        for (name, writer) in writers.sorted(by: { $0.key < $1.key }) {
            var rows: [Row] = []
            let isWhole = try writer.forEachItem(of: name) { result, _ in
                let found = try result.get()
                rows.append(Row(slice: ItemMark.slice(of: found.item.key), row: found.record.rowID))
            }
            guard isWhole || isChanged else { throw writer.incomplete }
            rows.sort { $0.slice < $1.slice }
            if !rows.isEmpty { groups.append((name, rows)) }
        }
    }

    /// Goes through the rows of some items, and of all that belongs to their accounts; nil where that takes a walk through all.
    init?(_ writers: [AccessGroup: GroupWriter], with keys: Set<ItemKey>) throws {
        for (name, writer) in writers.sorted(by: { $0.key < $1.key }) {
            guard let found = try writer.rows(with: keys, in: name) else { return nil }
            let rows = found.map { Row(slice: ItemMark.slice(of: $0.key), row: $0.row) }
            if !rows.isEmpty { groups.append((name, rows.sorted { $0.slice < $1.slice })) }
        }
    }

    /// Where the next rows stand; nil at the end.
    var position: SlicePosition? {
        guard group < groups.count else { return nil }
        return SlicePosition(group: groups[group].name, slice: groups[group].rows[row].slice)
    }

    /// Takes all rows of the next position.
    mutating func next() -> [Int64] {
        let rows = groups[group].rows
        let end = rows[row...].firstIndex { $0.slice != rows[row].slice } ?? rows.endIndex
        let taken = rows[row..<end].map(\.row)
        (group, row) = end < rows.endIndex ? (group, end) : (group + 1, 0)
        return taken
    }
}
