internal import KeyfobFiles

/// A page of a b-tree, whose cells fill what is not free (SQLite's file format, section 1.6).
struct TreePage {
    /// The bytes of the whole page.
    let bytes: [UInt8]
    /// Whether it is of a table, whose cells are found by the number of the row; else of an index.
    let isTable: Bool
    /// Whether its cells hold rows or entries of their own only, and lead to no other page.
    let isLeaf: Bool
    /// How many cells there are.
    let cellCount: Int
    /// The page of all that comes after the last cell; 0 on a leaf.
    let last: Int
    private let cells: Int
    private let mostLocal: Int

    /// A cell: what it leads to, and what it holds.
    struct Cell {
        /// The page of all that comes before it; 0 on a leaf.
        var child = 0
        /// The number of the row; on an inner page of a table the largest one behind ``child``.
        var row: Int64 = 0
        /// Where in the page its content begins.
        var start = 0
        /// How many bytes of its content lie there; the first of its overflow pages comes behind them.
        var localCount = 0
        /// How many bytes its content has in all.
        var count = 0

        /// Where in the page it ends.
        var end: Int { start + localCount + (localCount < count ? 4 : 0) }
    }

    /// - Parameter start: Where its header begins: behind the file's own on the first page.
    /// - Throws: `damaged` where it is not as SQLite writes one.
    init(_ bytes: [UInt8], from start: Int) throws(StorageFailure) {
        self.bytes = bytes
        switch bytes[start] {
        case 2: (isTable, isLeaf) = (false, false)
        case 5: (isTable, isLeaf) = (true, false)
        case 10: (isTable, isLeaf) = (false, true)
        case 13: (isTable, isLeaf) = (true, true)
        default: throw StoreError.damagedPage
        }
        cellCount = bytes.span.short(at: start + 3)
        cells = start + (isLeaf ? 8 : 12)
        last = isLeaf ? 0 : bytes.span.long(at: start + 8)
        mostLocal = isTable ? bytes.count - 35 : (bytes.count - 12) * 64 / 255 - 23
        try checkRoom(start)
    }

    /// Makes sure that cells, free blocks and fragments fill what is behind the pointers to the cells, and that rows stand
    /// in order.
    private func checkRoom(_ start: Int) throws(StorageFailure) {
        let bytes = bytes.span
        let written = bytes.short(at: start + 5)
        let content = written == 0 ? 65_536 : written
        guard content <= bytes.count, cells + 2 * cellCount <= content else { throw StoreError.damagedPage }
        var used = Int(bytes[start + 7])
        used += isTable && !isLeaf ? try roomOfRows(bytes, from: content) : try roomOfCells(bytes, from: content)
        var (block, before) = (bytes.short(at: start + 1), content)
        while block != 0 {
            guard block >= before, block + 4 <= bytes.count else { throw StoreError.damagedPage }
            let count = bytes.short(at: block + 2)
            used += count
            before = block + max(4, count)
            block = bytes.short(at: block)
        }
        guard used == bytes.count - content else { throw StoreError.damagedPage }
    }

    /// How many bytes the cells take.
    private func roomOfCells(_ bytes: Span<UInt8>, from content: Int) throws(StorageFailure) -> Int {
        var (used, row) = (0, Int64.min)
        for index in 0..<cellCount {
            let begin = bytes.short(at: cells + 2 * index)
            let cell = try cell(index, bytes)
            guard begin >= content, !isTable || cell.row > row else { throw StoreError.damagedPage }
            (used, row) = (used + max(4, cell.end - begin), cell.row)
        }
        return used
    }

    /// The same on an inner page of a table, where there may be a thousand: a page and the number of a row each.
    private func roomOfRows(_ bytes: Span<UInt8>, from content: Int) throws(StorageFailure) -> Int {
        var (used, row) = (0, Int64.min)
        for index in 0..<cellCount {
            let begin = bytes.short(at: cells + 2 * index)
            var end = begin + 4
            let next = try bytes.variableInteger(at: &end, before: bytes.count)
            guard begin >= content, next > row else { throw StoreError.damagedPage }
            (used, row) = (used + end - begin, next)
        }
        return used
    }

    /// A cell; nothing says yet that what it leads to is there.
    func cell(_ index: Int) throws(StorageFailure) -> Cell { try cell(index, bytes.span) }

    @inline(__always)
    private func cell(_ index: Int, _ bytes: Span<UInt8>) throws(StorageFailure) -> Cell {
        var cell = Cell()
        var position = bytes.short(at: cells + 2 * index)
        if !isLeaf {
            guard position + 4 <= bytes.count else { throw StoreError.damagedPage }
            cell.child = bytes.long(at: position)
            position += 4
        }
        if !isTable || isLeaf {
            let count = try bytes.variableInteger(at: &position, before: bytes.count)
            guard count >= 0, count <= 1 << 31 else { throw StoreError.damagedPage }
            cell.count = Int(count)
            cell.localCount = cell.count <= mostLocal ? cell.count : overflowingCount(of: cell.count)
        }
        if isTable { cell.row = try bytes.variableInteger(at: &position, before: bytes.count) }
        cell.start = position
        guard cell.end <= bytes.count else { throw StoreError.damagedPage }
        return cell
    }

    /// How many bytes lie in the page of a content that does not fit into it.
    private func overflowingCount(of count: Int) -> Int {
        let least = (bytes.count - 12) * 32 / 255 - 23
        let fitting = least + (count - least) % (bytes.count - 4)
        return fitting <= mostLocal ? fitting : least
    }
}
