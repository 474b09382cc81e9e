internal import Glibc
internal import KeyfobFiles

/// The values of a row or of an entry of an index (SQLite's file format, section 2.1).
///
/// Of the types of values those that a vault has: integers, texts, blobs and NULL.
struct PageRecord {
    private enum Column {
        case null
        case integer(Int64)
        case bytes(Range<Int>)
    }

    private let bytes: [UInt8]
    private var columns: [Column] = []
    /// Whether a value is text, as the schema's alone are.
    private(set) var hasText = false

    /// Reads the record that `range` of `bytes` is.
    ///
    /// - Throws: `damaged` where it is not one, or not as many bytes.
    init(_ bytes: [UInt8], _ range: Range<Int>) throws(StorageFailure) {
        self.bytes = bytes
        let bytes = bytes.span
        var (position, end) = (range.lowerBound, range.upperBound)
        let headerCount = try bytes.variableInteger(at: &position, before: end)
        guard headerCount >= 1, headerCount <= Int64(range.count) else { throw StoreError.damagedPage }
        var content = range.lowerBound + Int(headerCount)
        end = content
        columns.reserveCapacity(16)
        while position < end {
            let type = try bytes.variableInteger(at: &position, before: end)
            let count: Int64
            switch type {
            case 0, 8, 9: count = 0
            case 1...4: count = type
            case 5, 6: count = type == 5 ? 6 : 8
            case 12...: count = (type - 12) / 2
            default: throw StoreError.damagedPage
            }
            guard count <= Int64(range.upperBound - content) else { throw StoreError.damagedPage }
            let value = content..<content + Int(count)
            switch type {
            case 0: columns.append(.null)
            case 8, 9: columns.append(.integer(type - 8))
            case 12...:
                columns.append(.bytes(value))
                hasText = hasText || type % 2 == 1
            default: columns.append(.integer(bytes.signedInteger(value)))
            }
            content = value.upperBound
        }
        guard content == range.upperBound else { throw StoreError.damagedPage }
    }

    /// How many values there are.
    var count: Int { columns.count }

    /// The value in a column; NULL where there is none.
    func value(_ column: Int) -> QueryValue {
        guard columns.indices.contains(column) else { return .null }
        switch columns[column] {
        case .null: return .null
        case .integer(let value): return .integer(value)
        case .bytes(let range): return .bytes(Array(bytes[range]))
        }
    }

    /// The integer in a column, nil where something else is.
    func integer(_ column: Int) -> Int64? {
        guard case .integer(let integer) = value(column) else { return nil }
        return integer
    }

    /// Whether a column has the bytes of a text.
    func holds(_ text: String, at column: Int) -> Bool {
        guard columns.indices.contains(column), case .bytes(let range) = columns[column], range.count == text.utf8.count
        else { return false }
        return unsafe bytes[range].withUnsafeBytes { own in
            unsafe text.utf8.withContiguousStorageIfAvailable { wanted in
                guard let own = own.baseAddress, let first = wanted.baseAddress else { return wanted.isEmpty }
                return unsafe memcmp(own, first, wanted.count) == 0
            } ?? false
        }
    }

    /// How the first columns stand to `values`: below zero where they come before them; NULL comes before integers, and
    /// those before bytes.
    func order(to values: [QueryValue]) throws(StorageFailure) -> Int {
        guard columns.count > values.count, !hasText else { throw StoreError.damagedPage }
        for (column, value) in zip(columns, values) {
            let order: Int
            switch (column, value) {
            case (.integer(let own), .integer(let other)): order = own < other ? -1 : own > other ? 1 : 0
            case (.bytes(let own), .bytes(let other)): order = compare(own, other)
            case (.null, .null): order = 0
            case (.null, _), (.integer, .bytes): order = -1
            case (_, .null), (.bytes, .integer): order = 1
            }
            if order != 0 { return order }
        }
        return 0
    }

    private func compare(_ own: Range<Int>, _ other: [UInt8]) -> Int {
        let (bytes, wanted) = (bytes.span, other.span)
        for index in 0..<min(own.count, wanted.count) {
            let byte = bytes[own.lowerBound + index]
            if byte != wanted[index] { return byte < wanted[index] ? -1 : 1 }
        }
        return own.count - wanted.count
    }
}

extension Span<UInt8> {
    /// The integer of seven bits a byte, and eight of the ninth, that begins at `position`, which moves behind it.
    ///
    /// - Throws: `damaged` where it does not end before `end`.
    @inline(__always)
    func variableInteger(at position: inout Int, before end: Int) throws(StorageFailure) -> Int64 {
        guard position < end else { throw StoreError.damagedPage }
        // Nearly always it is one byte, and the number of a row two or three.
        var value = UInt64(self[position])
        position += 1
        if value < 0x80 { return Int64(value) }
        value &= 0x7F
        for length in 2...9 {
            guard position < end else { throw StoreError.damagedPage }
            let byte = UInt64(self[position])
            position += 1
            if length == 9 { return Int64(bitPattern: value << 8 | byte) }
            value = value << 7 | byte & 0x7F
            if byte & 0x80 == 0 { break }
        }
        return Int64(bitPattern: value)
    }

    /// The integer that a range of at most eight bytes is, the highest first.
    func signedInteger(_ range: Range<Int>) -> Int64 {
        var value: Int64 = range.isEmpty ? 0 : Int64(Int8(bitPattern: self[range.lowerBound]))
        for index in range.dropFirst() { value = value << 8 | Int64(self[index]) }
        return value
    }

    /// The integer of two bytes at `offset`, which are there.
    @inline(__always)
    func short(at offset: Int) -> Int {
        Int(UInt16(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    /// The integer of four bytes at `offset`, which are there.
    @inline(__always)
    func long(at offset: Int) -> Int {
        Int(UInt32(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
}

extension StoreError {
    /// That a page of the database is not as SQLite writes it.
    static var damagedPage: StoreError { .damaged(what: "keyring.db") }
}
