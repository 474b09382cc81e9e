internal import FoundationEssentials
internal import GRDB

// GRDB takes and gives blobs as Data; everything else here is bytes.

extension [UInt8] {
    var blob: Data { Data(self) }
}

extension DatabaseValue {
    /// The bytes of a blob, nil where it is something else.
    var blob: [UInt8]? {
        if case .blob(let data) = storage { [UInt8](data) } else { nil }
    }
}

extension Row {
    /// The integer in a column, nil where something else is: SQLite does not check types when it reads
    /// a damaged row.
    func integer(_ index: Int) -> Int64? {
        Int64.fromDatabaseValue(self[index] as DatabaseValue)
    }

    /// The bytes of a blob column, empty where the column is NULL.
    func bytes(_ index: Int) -> [UInt8] {
        (try? withUnsafeData(atIndex: index) { $0.map { [UInt8]($0) } ?? [] }) ?? []
    }

    /// The bytes of a blob column, nil where the column is NULL.
    func optionalBytes(_ index: Int) -> [UInt8]? {
        (try? withUnsafeData(atIndex: index) { $0.map { [UInt8]($0) } }) ?? nil
    }
}
