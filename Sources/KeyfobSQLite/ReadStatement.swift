internal import GRDBSQLite
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobVault

/// A prepared statement, and the row it stands at.
///
/// Columns count from 0, parameters from 1, as in SQLite.
@safe
final class ReadStatement {
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

    /// Binds an id, or NULL, which equals nothing.
    func bind(_ value: BlindValue?, at parameter: Int32) throws(StoreError) {
        if let value { return try bind(value.bytes, at: parameter) }
        let result = unsafe sqlite3_bind_null(pointer, parameter)
        guard result == SQLITE_OK else { throw StoreError(resultCode: result) }
    }

    func bind(_ integer: Int64, at parameter: Int32) throws(StoreError) {
        let result = unsafe sqlite3_bind_int64(pointer, parameter, integer)
        guard result == SQLITE_OK else { throw StoreError(resultCode: result) }
    }

    /// The integer in a column, nil where something else is: SQLite does not check types when it reads a
    /// damaged row.
    func integer(_ column: Int32) -> Int64? {
        guard unsafe sqlite3_column_type(pointer, column) == SQLITE_INTEGER else { return nil }
        return unsafe sqlite3_column_int64(pointer, column)
    }

    /// The row of `sqlite_schema` that `type, name, tbl_name, sql` give.
    var schemaObject: SchemaObject {
        func text(_ column: Int32) -> String? {
            optionalBytes(column).map { String(validating: $0, as: UTF8.self) ?? "\u{FFFD}" }
        }
        return SchemaObject(
            kind: text(0).flatMap(SchemaObject.Kind.init), name: text(1) ?? "", table: text(2) ?? "", sql: text(3))
    }

    /// The bytes of a column, empty where it is NULL.
    func bytes(_ column: Int32) -> [UInt8] {
        optionalBytes(column) ?? []
    }

    /// The bytes of a column, nil where it is NULL.
    func optionalBytes(_ column: Int32) -> [UInt8]? {
        guard unsafe sqlite3_column_type(pointer, column) != SQLITE_NULL else { return nil }
        let address = unsafe sqlite3_column_blob(pointer, column)
        let count = Int(unsafe sqlite3_column_bytes(pointer, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: address, count: count))
    }
}
