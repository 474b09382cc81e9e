internal import KeyfobSodium

/// The rows of a table in the bytes of a SQLite database (https://www.sqlite.org/fileformat2.html), for databases of other
/// programs: nothing is opened or locked, and nothing of a row lies anywhere but in guarded memory.
///
/// Of the format what a small database in rollback mode has: UTF-8, tables with row numbers.
struct SQLiteTable {
    /// Why a database was not read.
    struct Damage: Error {}

    /// A row: its bytes, and where the columns are.
    struct Row: ~Copyable {
        let bytes: SecretBytes
        fileprivate let columns: [Column]
        fileprivate var count: Int { bytes.count }

        /// A text or a blob; nil for another value, and where there is no such column.
        func content(_ index: Int) -> Range<Int>? {
            guard columns.indices.contains(index), case .bytes(let range) = columns[index] else { return nil }
            return range
        }

        /// A text that is no secret.
        func text(_ index: Int) -> String? {
            content(index).flatMap { range in
                bytes.withBytes { source in
                    String(validating: range.map { source.byte(at: $0) }, as: UTF8.self)
                }
            }
        }

        fileprivate func integer(_ index: Int) -> Int64? {
            guard columns.indices.contains(index), case .integer(let value) = columns[index] else { return nil }
            return value
        }
    }

    fileprivate enum Column {
        case bytes(Range<Int>)
        case integer(Int64)
        case other
    }

    static let magic = "SQLite format 3\u{0}"

    private let root: Int
    private let pageSize: Int
    private let usableSize: Int
    private let pageCount: Int

    /// The table of a name; nil where the database has none.
    init?(_ name: String, in database: RawSpan) throws(Damage) {
        guard database.begins(with: Self.magic), database.byteCount >= 512 else { throw Damage() }
        let size = database.bigEndian(16, count: 2)
        let (pageSize, reserved) = (size == 1 ? 65_536 : size, Int(database.byte(at: 20)))
        // Text in UTF-8; not in WAL mode, in which the latest changes are elsewhere.
        guard pageSize >= 512, pageSize & (pageSize - 1) == 0, pageSize - reserved >= 480,
            database.byte(at: 18) == 1, database.bigEndian(56, count: 4) == 1,
            database.byteCount % pageSize == 0
        else { throw Damage() }
        var root: Int?
        let schema = SQLiteTable(
            root: 1, pageSize: pageSize, usableSize: pageSize - reserved, pageCount: database.byteCount / pageSize)
        try schema.forEachRow(in: database) { row in
            if row.text(0) == "table", row.text(1) == name { root = row.integer(3).map { Int(clamping: $0) } }
        }
        guard let root else { return nil }
        self.init(root: root, pageSize: pageSize, usableSize: schema.usableSize, pageCount: schema.pageCount)
    }

    private init(root: Int, pageSize: Int, usableSize: Int, pageCount: Int) {
        (self.root, self.pageSize, self.usableSize, self.pageCount) = (root, pageSize, usableSize, pageCount)
    }

    /// Calls `body` with each row, in the order of their numbers.
    func forEachRow(in database: RawSpan, _ body: (borrowing Row) -> Void) throws(Damage) {
        var waiting = [root]
        // Pages that are reached twice, and cells that share their content, would make more of a file than it has.
        var (visited, room) = (0, database.byteCount)
        while let number = waiting.popLast() {
            visited += 1
            guard (1...pageCount).contains(number), visited <= pageCount else { throw Damage() }
            let page = database.extracting((number - 1) * pageSize..<number * pageSize)
            let start = number == 1 ? 100 : 0
            let isLeaf: Bool
            switch page.byte(at: start) {
            case 13: isLeaf = true
            case 5: isLeaf = false
            default: throw Damage()
            }
            let (count, cells) = (page.bigEndian(start + 3, count: 2), start + (isLeaf ? 8 : 12))
            guard cells + 2 * count <= usableSize else { throw Damage() }
            let offsets = (0..<count).map { page.bigEndian(cells + 2 * $0, count: 2) }
            guard offsets.allSatisfy({ $0 >= cells && $0 + 4 <= usableSize }) else { throw Damage() }
            if isLeaf {
                for offset in offsets {
                    let row = try row(at: offset, of: page, in: database, atMost: room)
                    room -= row.count
                    body(row)
                }
            } else {
                waiting.append(page.bigEndian(start + 8, count: 4))
                waiting += offsets.reversed().map { page.bigEndian($0, count: 4) }
            }
        }
    }

    /// The row of a cell, with what lies on pages of its own (section 1.5 and 1.6).
    private func row(
        at offset: Int, of page: RawSpan, in database: RawSpan, atMost room: Int
    ) throws(Damage) -> Row {
        var position = offset
        let count = Int(clamping: try page.variableInteger(at: &position, before: usableSize))
        _ = try page.variableInteger(at: &position, before: usableSize)
        guard count >= 1, count <= room else { throw Damage() }
        let (most, least) = (usableSize - 35, (usableSize - 12) * 32 / 255 - 23)
        let fitting = least + (count - least) % (usableSize - 4)
        let local = count <= most ? count : fitting <= most ? fitting : least
        guard position + local + (local < count ? 4 : 0) <= usableSize else { throw Damage() }
        var content = SecretBuffer(capacity: count)
        content.append(page.extracting(position..<position + local))
        var next = local < count ? page.bigEndian(position + local, count: 4) : 0
        while content.count < count {
            guard (1...pageCount).contains(next) else { throw Damage() }
            let more = database.extracting((next - 1) * pageSize..<next * pageSize)
            content.append(more.extracting(4..<4 + min(usableSize - 4, count - content.count)))
            next = more.bigEndian(0, count: 4)
        }
        let bytes = content.withBytes { SecretBytes(copying: $0, placement: .recycled) }
        let columns = try bytes.withBytes { (bytes) throws(Damage) in try Self.columns(of: bytes) }
        return Row(bytes: bytes, columns: columns)
    }

    /// The columns of a record (section 2.1).
    private static func columns(of record: RawSpan) throws(Damage) -> [Column] {
        var position = 0
        let header = Int(clamping: try record.variableInteger(at: &position, before: record.byteCount))
        guard header <= record.byteCount else { throw Damage() }
        var (content, columns): (Int, [Column]) = (header, [])
        while position < header {
            let type = try record.variableInteger(at: &position, before: header)
            let count: Int
            switch type {
            case 0, 8, 9: count = 0
            case 1...4: count = Int(type)
            case 5: count = 6
            case 6, 7: count = 8
            case 12...: count = Int(clamping: (type - 12) / 2)
            default: throw Damage()
            }
            guard count <= record.byteCount - content else { throw Damage() }
            switch type {
            case 12...: columns.append(.bytes(content..<content + count))
            case 8, 9: columns.append(.integer(type - 8))
            // A page's number, which has no sign.
            case 1...4: columns.append(.integer(Int64(record.bigEndian(content, count: count))))
            default: columns.append(.other)
            }
            content += count
        }
        return columns
    }
}

extension RawSpan {
    fileprivate func bigEndian(_ offset: Int, count: Int) -> Int {
        (0..<count).reduce(0) { $0 << 8 | Int(byte(at: offset + $1)) }
    }

    /// An integer of one to nine bytes (section 1.6).
    fileprivate func variableInteger(at position: inout Int, before end: Int) throws(SQLiteTable.Damage) -> Int64 {
        var value: Int64 = 0
        for count in 1...9 {
            guard position < end else { throw SQLiteTable.Damage() }
            let next = byte(at: position)
            position += 1
            if count == 9 { return value << 8 | Int64(next) }
            value = value << 7 | Int64(next & 0x7F)
            if next < 0x80 { return value }
        }
        return value
    }
}
