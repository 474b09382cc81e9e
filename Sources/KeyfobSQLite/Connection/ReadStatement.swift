internal import GRDBSQLite
internal import KeyfobFiles

/// A prepared statement, and the row it stands at.
///
/// Columns count from 0, parameters from 1, as in SQLite.
@safe
final class ReadStatement: QueryRow {
    private let pointer: OpaquePointer

    /// Prepares `sql` on a connection, to be used many times.
    init(_ sql: String, on connection: OpaquePointer) throws(StoreError) {
        var pointer: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard result == SQLITE_OK, let pointer = unsafe pointer else { throw StoreError(resultCode: result) }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe sqlite3_finalize(pointer)
    }

    /// Goes to the next row.
    ///
    /// - Returns: Whether there is one.
    func step() throws(StoreError) -> Bool {
        switch unsafe sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result: throw StoreError(resultCode: result)
        }
    }

    /// Makes the statement ready for its next use, and gives up the lock on the file.
    func reset() {
        // The result repeats that of the last step, which has been seen.
        _ = unsafe sqlite3_reset(pointer)
    }

    func bind(_ bytes: [UInt8], at parameter: Int32) throws(StoreError) {
        // -1 asks SQLite for a copy (SQLITE_TRANSIENT, a macro that Swift does not see).
        let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let result = unsafe bytes.withUnsafeBytes { buffer in
            unsafe sqlite3_bind_blob(pointer, parameter, buffer.baseAddress, Int32(buffer.count), copied)
        }
        guard result == SQLITE_OK else { throw StoreError(resultCode: result) }
    }

    func bind(_ value: QueryValue, at parameter: Int32) throws(StoreError) {
        switch value {
        case .bytes(let bytes): try bind(bytes, at: parameter)
        case .integer(let integer): try bind(integer, at: parameter)
        case .null:
            let result = unsafe sqlite3_bind_null(pointer, parameter)
            guard result == SQLITE_OK else { throw StoreError(resultCode: result) }
        }
    }

    func bind(_ integer: Int64, at parameter: Int32) throws(StoreError) {
        let result = unsafe sqlite3_bind_int64(pointer, parameter, integer)
        guard result == SQLITE_OK else { throw StoreError(resultCode: result) }
    }

    // SQLite does not check types when it reads a damaged row.
    func integer(_ column: Int) -> Int64? {
        guard unsafe sqlite3_column_type(pointer, Int32(column)) == SQLITE_INTEGER else { return nil }
        return unsafe sqlite3_column_int64(pointer, Int32(column))
    }

    func optionalBytes(_ column: Int) -> [UInt8]? {
        guard unsafe sqlite3_column_type(pointer, Int32(column)) != SQLITE_NULL else { return nil }
        let address = unsafe sqlite3_column_blob(pointer, Int32(column))
        let count = Int(unsafe sqlite3_column_bytes(pointer, Int32(column)))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: address, count: count))
    }
}
