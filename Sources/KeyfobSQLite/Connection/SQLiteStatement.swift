internal import CSQLite
internal import KeyfobFiles

/// A prepared statement, and the row it stands at.
///
/// Columns count from 0, parameters from 1, as in SQLite.
@safe
package final class SQLiteStatement: QueryRow {
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
        case let result:
            throw StoreError(resultCode: result, errno: unsafe sqlite3_system_errno(sqlite3_db_handle(pointer)))
        }
    }

    /// Makes the statement ready for its next use, and gives up the lock on the file.
    func reset() {
        // The result repeats that of the last step, which has been seen.
        _ = unsafe sqlite3_reset(pointer)
        unsafe sqlite3_clear_bindings(pointer)
    }

    /// Sets the parameters, all of them.
    func bind(_ values: [QueryValue]) throws(StoreError) {
        guard values.count == Int(unsafe sqlite3_bind_parameter_count(pointer)) else {
            throw StoreError(resultCode: SQLITE_RANGE)
        }
        for (index, value) in values.enumerated() {
            let result = bind(value, at: Int32(index + 1))
            guard result == SQLITE_OK else { throw StoreError(resultCode: result) }
        }
    }

    private func bind(_ value: QueryValue, at parameter: Int32) -> Int32 {
        switch value {
        case .null: return unsafe sqlite3_bind_null(pointer, parameter)
        case .integer(let integer): return unsafe sqlite3_bind_int64(pointer, parameter, integer)
        // No bytes may have no address, which SQLite would take for NULL.
        case .bytes([]): return unsafe sqlite3_bind_zeroblob(pointer, parameter, 0)
        case .bytes(let bytes):
            // -1 asks SQLite for a copy (SQLITE_TRANSIENT, a macro that Swift does not see).
            let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            return unsafe bytes.withUnsafeBytes { buffer in
                unsafe sqlite3_bind_blob64(pointer, parameter, buffer.baseAddress, UInt64(buffer.count), copied)
            }
        }
    }

    /// The names of the columns.
    package var columnNames: [String] {
        unsafe (0..<sqlite3_column_count(pointer)).map { column in
            unsafe sqlite3_column_name(pointer, column).map { unsafe String(cString: $0) } ?? ""
        }
    }

    // SQLite does not check types when it reads a damaged row.
    package func integer(_ column: Int) -> Int64? {
        guard unsafe sqlite3_column_type(pointer, Int32(column)) == SQLITE_INTEGER else { return nil }
        return unsafe sqlite3_column_int64(pointer, Int32(column))
    }

    package func optionalBytes(_ column: Int) -> [UInt8]? {
        guard unsafe sqlite3_column_type(pointer, Int32(column)) != SQLITE_NULL else { return nil }
        let address = unsafe sqlite3_column_blob(pointer, Int32(column))
        let count = Int(unsafe sqlite3_column_bytes(pointer, Int32(column)))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: address, count: count))
    }

    /// What is in a column, as a statement would be given it; a text or a fraction are the bytes of their text.
    package func value(_ column: Int) -> QueryValue {
        integer(column).map { .integer($0) } ?? QueryValue(optionalBytes(column))
    }
}
