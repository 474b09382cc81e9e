import Foundation
import KeyfobFiles
import KeyfobSQLiteTestSupport
import KeyfobTestSupport

@testable import KeyfobSQLite

/// A database of a vault's schema with rows that make no sense to anybody, of a size and a kind of pages.
struct GeneratedDatabase {
    private let folder: ScratchFolder
    let directory: VaultDirectory
    private let groups: [[UInt8]]
    private let values: [[UInt8]]
    private let rowCount: Int

    /// - Parameter rows: How many records it has in the end; there were more, so that pages are free, and pages have gaps.
    init(pageSize: Int, rows: Int, _ generator: inout SeededGenerator) throws {
        folder = try ScratchFolder()
        directory = VaultDirectory(path: folder.path)
        rowCount = rows
        groups = (0..<3).map { _ in Self.bytes(16, &generator) }
        values = (0..<max(4, rows / 3)).map { _ in Self.bytes(16, &generator) }
        let database = try RawDatabase(
            path: directory.database,
            pragmas: "PRAGMA page_size = \(pageSize); PRAGMA synchronous = OFF; PRAGMA secure_delete = ON")
        try database.change { try fill(database, &generator) }
    }

    private func fill(_ database: RawDatabase, _ generator: inout SeededGenerator) throws {
        try database.run("PRAGMA application_id = \(VaultDatabaseReader.applicationID); PRAGMA user_version = 1")
        for statement in VaultSchema.current.compactMap(\.sql) { try database.run(statement) }
        for table in ["header", "second_header"] {
            let header = Self.bytes(Int.random(in: 300...6_000, using: &generator), &generator)
            try database.run("INSERT INTO \(table) VALUES (1, 5, -77, ?)", [.bytes(header)])
        }
        for group in groups.dropLast() {
            let manifest = Self.bytes(Int.random(in: 90...3_000, using: &generator), &generator)
            try database.run("INSERT INTO manifests VALUES (?, 7, ?)", [.bytes(group), .bytes(manifest)])
        }
        for _ in 0..<rowCount + rowCount / 2 { try insert(into: database, &generator) }
        try database.run(
            "DELETE FROM records WHERE id IN (SELECT id FROM records ORDER BY record LIMIT \(rowCount / 2))")
    }

    private func insert(into database: RawDatabase, _ generator: inout SeededGenerator) throws {
        func value() -> QueryValue {
            QueryValue(Bool.random(using: &generator) ? values.randomElement(using: &generator) : nil)
        }
        func length(_ most: Int) -> Int {
            Int.random(in: 0..<8, using: &generator) == 0
                ? Int.random(in: 0...most, using: &generator) : Int.random(in: 60...700, using: &generator)
        }
        func integer(_ range: ClosedRange<Int64>) -> QueryValue { .integer(Int64.random(in: range, using: &generator)) }
        let number = Int64.random(in: -3...3, using: &generator)
        let columns: [QueryValue] = [
            .bytes(Self.bytes(16, &generator)), QueryValue(groups.randomElement(using: &generator)),
            integer(1...4), .integer(number), .integer(number << Int64.random(in: 0...60, using: &generator)),
            integer(.min ... .max), integer(.min ... .max),
            value(), value(), value(), value(), value(), .bytes(Self.bytes(length(20_000), &generator)),
            integer(0...9),
        ]
        try database.run("INSERT INTO records VALUES (NULL\(String(repeating: ", ?", count: columns.count)))", columns)
        try database.run(
            "INSERT INTO nodes VALUES (?, ?)",
            [.integer(database.lastInsertedRow), .bytes(Self.bytes(length(4_000), &generator))])
        guard Bool.random(using: &generator) else { return }
        try database.run(
            "INSERT INTO secrets VALUES (?, ?)",
            [.integer(database.lastInsertedRow), .bytes(Self.bytes(length(60_000), &generator))])
    }

    /// A query, with parameters of which most are in the database.
    func question(_ generator: inout SeededGenerator) -> (query: ReadQuery, parameters: [QueryValue]) {
        // What changed is asked by those who write, and so of SQLite alone.
        let queries = ReadQuery.allCases.filter {
            ![.begin, .commit, .rollback, .dataVersion, .changedRows].contains($0)
        }
        let query = queries.randomElement(using: &generator) ?? .schema
        let group = QueryValue.bytes(groups.randomElement(using: &generator) ?? [])
        func value() -> QueryValue {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: .null
            case 1: .bytes(Self.bytes(16, &generator))
            default: .bytes(values.randomElement(using: &generator) ?? [])
            }
        }
        let kind = QueryValue.integer(Int64.random(in: 1...5, using: &generator))
        let row = QueryValue.integer(Int64.random(in: 0...Int64(rowCount * 3 / 2 + 2), using: &generator))
        let parameters: [QueryValue] =
            switch query {
            case .byRow, .secret, .node: [row]
            case .manifest, .recordCount, .everyRow, .rowNumbers: [group]
            case .byID: [group, value()]
            case .byKind: [group, kind]
            default: []
            }
        return (query, parameters)
    }

    private static func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            unsafe withUnsafeBytes(of: generator.next()) { unsafe bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }
}

extension QueryReading {
    /// All that a query gives, in an order that SQLite may choose where it says none.
    func answer(_ query: ReadQuery, _ parameters: [QueryValue]) throws -> [[QueryValue]] {
        var rows: [[QueryValue]] = []
        try run(query, parameters) { row in
            rows.append(
                (0..<14).map { column in
                    row.integer(column).map { .integer($0) } ?? row.optionalBytes(column).map { .bytes($0) } ?? .null
                })
            return true
        }
        guard case .rowNumbers = query else { return rows }
        return rows.sorted { left, right in
            if case (.integer(let left), .integer(let right)) = (left[0], right[0]) { left < right } else { false }
        }
    }
}

extension ReadQuery {
    /// Rows without what SQLite takes from the index by which it finds them, and not from the table.
    func withoutIndexed(_ rows: [[QueryValue]]) -> [[QueryValue]] {
        let columns: Set<Int> =
            switch self {
            case .byKind: [2, 3]
            case .byID: [1]
            default: []
            }
        return rows.map { row in row.enumerated().map { columns.contains($0.offset) ? .null : $0.element } }
    }
}
