package import KeyfobFiles

/// A transaction that reads a vault's database without SQLite: what setting that up and parsing its language costs is
/// most of what a stored token costs.
///
/// It gives the rows that SQLite gives, or an error; then whoever asks goes the ordinary way.
package final class PageConnection: QueryReading {
    /// The tables and indices that a lookup reads, by their names in the schema.
    private enum Tree: String, CaseIterable {
        case header, records, secrets, manifests, nodes
        case secondHeader = "second_header"
        case recordCounts = "record_counts"
        case byRecord = "sqlite_autoindex_records_1"
        case byKind = "records_by_kind"

        /// How many values each of its rows or entries has.
        var columns: Int {
            switch self {
            case .records: 15
            case .header, .secondHeader: 4
            case .byKind, .manifests: 3
            case .secrets, .nodes, .recordCounts, .byRecord: 2
            }
        }
    }

    private let file: PageFile
    private var roots: [(tree: Tree, page: Int)] = []
    package private(set) var isInsideTransaction = true
    package private(set) var rowCount = 0

    /// Begins a transaction on the database of an existing vault.
    ///
    /// - Throws: `noVault`, `unsafePath`, `notAVault`, `newerSchema`, `foreignSchema`, `damaged`, `inputOutput`; `busy`
    ///   where somebody writes, or has not ended, and for a database in WAL mode.
    package init(_ directory: VaultDirectory) throws(StorageFailure) {
        file = try PageFile(try DatabaseFile(directory.database, of: directory))
        guard file.applicationID == Int(VaultDatabaseReader.applicationID) else {
            throw StoreError.notAVault(path: directory.database)
        }
        guard file.userVersion == VaultSchema.version else {
            throw StoreError.newerSchema(found: file.userVersion, supported: VaultSchema.version)
        }
        // Nearly always the schema stands in the order in which it was made.
        var (known, place, isOurs) = ([1], 0, true)
        var objects = try PageCursor(file, 1, from: .beginning)
        while let (_, record) = try objects.next() {
            let page = try Self.rootPage(of: record)
            isOurs = isOurs && place < VaultSchema.current.count && record.isSchemaObject(VaultSchema.current[place])
            place += 1
            // Triggers have none; nothing shares one.
            guard page != 0 else { continue }
            guard !known.contains(page) else { throw StoreError.damagedPage }
            known.append(page)
            let tree = Tree.allCases.first { record.holds($0.rawValue, at: 1) }
            if let tree { roots.append((tree, page)) }
        }
        guard !isOurs || place != VaultSchema.current.count else { return }
        if let difference = try difference(from: VaultSchema.current) { throw difference.error }
    }

    /// The rows of `sqlite_schema`.
    private func schema() throws(StorageFailure) -> [PageRow] {
        var rows: [PageRow] = []
        var objects = try PageCursor(file, 1, from: .beginning)
        while let (row, record) = try objects.next() {
            _ = try Self.rootPage(of: record)
            rows.append(PageRow(record, row))
        }
        return rows
    }

    /// The first page of what a row of `sqlite_schema` describes; 0 for what has none.
    private static func rootPage(of record: PageRecord) throws(StorageFailure) -> Int {
        guard record.count == 5, let page = record.integer(3) else { throw StoreError.damagedPage }
        return Int(page)
    }

    package func run(
        _ query: ReadQuery, _ parameters: [QueryValue], row: (AnyQueryRow) throws(StorageFailure) -> Bool
    ) throws(StorageFailure) {
        guard isInsideTransaction else { throw StoreError.busy }
        var rows = try rows(query, parameters)
        while let found = try next(&rows) {
            if query != .node { rowCount += 1 }
            guard try row(found) else { return }
        }
    }

    /// What is left of a query's rows.
    private struct Rows {
        /// Those that are at hand.
        var found: [PageRow] = []
        /// Where others are searched for, one after the other.
        var searches: [(tree: Tree, values: [QueryValue])] = []
        /// What an entry that is found stands for.
        var gives = Given.record
        /// The group that records have to be of that are not found by their group.
        var group: QueryValue?
        /// The search that has begun.
        var cursor: PageCursor?

        enum Given {
            case record
            case columns([Int])
        }
    }

    @inline(never)
    private func rows(_ query: ReadQuery, _ parameters: [QueryValue]) throws(StorageFailure) -> Rows {
        switch query {
        case .begin: return Rows()
        case .commit, .rollback:
            isInsideTransaction = false
            try file.close()
            return Rows()
        case .applicationID: return Rows(found: [PageRow([.integer(Int64(file.applicationID))])])
        case .userVersion: return Rows(found: [PageRow([.integer(Int64(file.userVersion))])])
        case .dataVersion: return Rows(found: [PageRow([.integer(Int64(file.changes))])])
        case .schema: return Rows(found: try schema())
        case .header: return try only(3, of: .header)
        case .secondHeader: return try only(3, of: .secondHeader)
        case .device: return try only(2, of: .header)
        case .secondDevice: return try only(2, of: .secondHeader)
        case .manifest: return Rows(searches: [(.manifests, parameters)], gives: .columns([1, 2]))
        case .node:
            let node = try row(parameters[0], of: .nodes)?.record
            return Rows(found: node.map { [PageRow([$0.value(1)])] } ?? [])
        case .recordCount: return Rows(searches: [(.recordCounts, parameters)], gives: .columns([1]))
        case .byKind: return Rows(searches: [(.byKind, parameters)])
        case .byID: return Rows(searches: [(.byRecord, [parameters[1]])], group: parameters[0])
        case .everyRow:
            return Rows(group: parameters[0], cursor: try PageCursor(file, try root(.records), from: .beginning))
        case .rowNumbers: return Rows(searches: [(.byKind, parameters)], gives: .columns([2]))
        // No lookup asks for that.
        case .changedRows: throw StoreError.busy
        case .byRow:
            return Rows(found: try row(parameters[0], of: .records).map { [PageRow($0.record, $0.number)] } ?? [])
        case .secret:
            guard let record = try row(parameters[0], of: .records)?.record else { return Rows() }
            let secret = try row(parameters[0], of: .secrets)?.record
            return Rows(found: [PageRow([secret?.value(1) ?? .null, record.value(12)])])
        }
    }

    @inline(never)
    private func next(_ rows: inout Rows) throws(StorageFailure) -> PageRow? {
        if !rows.found.isEmpty { return rows.found.removeFirst() }
        while let search = rows.searches.first {
            // NULL equals nothing.
            guard !search.values.contains(.null) else {
                rows.searches.removeFirst()
                continue
            }
            if rows.cursor == nil {
                rows.cursor = try PageCursor(file, try root(search.tree), from: .values(search.values))
            }
            guard let entry = try rows.cursor?.next()?.record, case let order = try entry.order(to: search.values),
                order <= 0
            else {
                rows.cursor = nil
                rows.searches.removeFirst()
                continue
            }
            guard order == 0 else { throw StoreError.damagedPage }
            if let found = try row(of: entry.required(search.tree.columns), &rows) { return found }
        }
        // What is left then is a cursor that goes through the whole table.
        while let (number, record) = try rows.cursor?.next() {
            let found = PageRow(try record.required(Tree.records.columns), number)
            if .bytes(found.bytes(2)) == rows.group { return found }
        }
        return nil
    }

    /// What an entry of an index gives; nil where that is not wanted.
    private func row(of entry: PageRecord, _ rows: inout Rows) throws(StorageFailure) -> PageRow? {
        switch rows.gives {
        case .columns(let columns): return PageRow(columns.map { entry.value($0) })
        case .record:
            let number = entry.value(entry.count - 1)
            guard case .integer(let integer) = number, let found = try row(number, of: .records) else {
                throw StoreError.damagedPage
            }
            let row = PageRow(found.record, integer)
            return rows.group == nil || .bytes(row.bytes(2)) == rows.group ? row : nil
        }
    }

    private func only(_ column: Int, of tree: Tree) throws(StorageFailure) -> Rows {
        Rows(found: try row(.integer(1), of: tree).map { [PageRow([$0.record.value(column)])] } ?? [])
    }

    private func row(
        _ number: QueryValue, of tree: Tree
    ) throws(StorageFailure) -> (number: Int64, record: PageRecord)? {
        guard case .integer(let number) = number else { return nil }
        var cursor = try PageCursor(file, try root(tree), from: .row(number))
        guard let (row, record) = try cursor.next(), row == number else { return nil }
        return (row, try record.required(tree.columns))
    }

    private func root(_ tree: Tree) throws(StorageFailure) -> Int {
        guard let root = roots.first(where: { $0.tree == tree }) else { throw StoreError.damagedPage }
        return root.page
    }
}

/// A row that is read from the pages.
package struct PageRow: QueryRow {
    private enum Content {
        case record(PageRecord, row: Int64)
        case values([QueryValue])
    }

    private let content: Content

    /// A row of a table, whose number its first column stands for, or an entry of an index.
    fileprivate init(_ record: PageRecord, _ row: Int64) {
        content = .record(record, row: row)
    }

    fileprivate init(_ values: [QueryValue]) {
        content = .values(values)
    }

    package func integer(_ column: Int) -> Int64? {
        guard case .integer(let value) = value(column) else { return nil }
        return value
    }

    package func optionalBytes(_ column: Int) -> [UInt8]? {
        guard case .bytes(let value) = value(column) else { return nil }
        return value
    }

    private func value(_ column: Int) -> QueryValue {
        switch content {
        case .values(let values): return column < values.count ? values[column] : .null
        case .record(let record, let row):
            let value = record.value(column)
            return column == 0 && value == .null ? .integer(row) : value
        }
    }
}

extension PageRecord {
    /// Whether it is the row of `sqlite_schema` of this object.
    fileprivate func isSchemaObject(_ object: SchemaObject) -> Bool {
        guard let kind = object.kind, holds(kind.rawValue, at: 0), holds(object.name, at: 1), holds(object.table, at: 2)
        else { return false }
        return if let sql = object.sql { holds(sql, at: 4) } else { value(4) == .null }
    }

    /// The same where it has so many values, and no text.
    fileprivate func required(_ columns: Int) throws(StorageFailure) -> PageRecord {
        guard count == columns, !hasText else { throw StoreError.damagedPage }
        return self
    }
}
