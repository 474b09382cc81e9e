internal import KeyfobFiles

/// Goes through a b-tree in order: the rows of a table, or the entries of an index.
struct PageCursor {
    /// Where to begin.
    enum Start {
        /// At the first row of a table.
        case beginning
        /// At the first row that has this number, or a larger one.
        case row(Int64)
        /// At the first entry of an index whose first columns are these, or come after them.
        case values([QueryValue])
    }

    private let file: PageFile
    private let isTable: Bool
    /// The pages on the way down; of each the cell to come, and of an inner one the cell whose child is gone through.
    private var path: [(page: TreePage, index: Int)] = []
    private var visits = 0

    /// - Parameter root: The first page of the tree.
    /// - Throws: `damaged`, `inputOutput`.
    init(_ file: PageFile, _ root: Int, from start: Start) throws(StorageFailure) {
        self.file = file
        isTable = if case .values = start { false } else { true }
        try descend(root, start)
    }

    /// The next row with its number, or the next entry; nil behind the last.
    ///
    /// - Throws: `damaged`, `inputOutput`.
    @inline(never)
    mutating func next() throws(StorageFailure) -> (row: Int64, record: PageRecord)? {
        while let (page, index) = path.last {
            guard index < page.cellCount else {
                path.removeLast()
                continue
            }
            path[path.count - 1].index += 1
            let cell = try page.cell(index)
            if !page.isLeaf { try descend(try child(index + 1, of: page), .beginning) }
            if page.isLeaf || !isTable { return (cell.row, try record(cell, of: page)) }
        }
        return nil
    }

    private mutating func descend(_ root: Int, _ start: Start) throws(StorageFailure) {
        var number = root
        while true {
            let page = try file.page(number)
            visits += 1
            // A tree that leads back into itself would never end.
            guard page.isTable == isTable, page.cellCount > 0 || path.isEmpty, path.count < 20,
                visits <= file.pageCount
            else { throw StoreError.damagedPage }
            let index = try first(of: page, start)
            path.append((page, index))
            if page.isLeaf { return }
            number = try child(index, of: page)
        }
    }

    /// The page of what comes before a cell, or after the last.
    private func child(_ index: Int, of page: TreePage) throws(StorageFailure) -> Int {
        index < page.cellCount ? try page.cell(index).child : page.last
    }

    /// The first cell that does not come before `start`.
    private func first(of page: TreePage, _ start: Start) throws(StorageFailure) -> Int {
        var (low, high) = (0, page.cellCount)
        if case .beginning = start { return 0 }
        while low < high {
            let middle = (low + high - 1) / 2
            let cell = try page.cell(middle)
            let isBefore =
                switch start {
                case .beginning: false
                case .row(let row): cell.row < row
                case .values(let values): try record(cell, of: page).order(to: values) < 0
                }
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The content of a cell, with what of it lies on overflow pages.
    private func record(_ cell: TreePage.Cell, of page: TreePage) throws(StorageFailure) -> PageRecord {
        let local = cell.start..<cell.start + cell.localCount
        guard cell.localCount < cell.count else { return try PageRecord(page.bytes, local) }
        guard cell.count / file.pageSize <= file.pageCount else { throw StoreError.damagedPage }
        var content = Array(page.bytes[local])
        var next = page.bytes.span.long(at: local.upperBound)
        while next != 0, content.count < cell.count {
            let bytes = try file.bytes(of: next)
            content += bytes[4..<4 + min(cell.count - content.count, bytes.count - 4)]
            next = bytes.span.long(at: 0)
        }
        guard next == 0, content.count == cell.count else { throw StoreError.damagedPage }
        return try PageRecord(content, content.indices)
    }
}
