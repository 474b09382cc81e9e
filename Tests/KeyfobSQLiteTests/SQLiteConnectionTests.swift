import KeyfobFiles
import KeyfobStoreTestSupport
import KeyfobTestSupport
import Testing

@testable import KeyfobSQLite

@Suite("A connection of SQLite")
struct SQLiteConnectionTests {
    private let folder: ScratchFolder
    private let path: String
    private let connection: SQLiteConnection

    init() throws {
        folder = try ScratchFolder()
        path = folder.path + "/file.db"
        try folder.write("file.db", [])
        connection = try SQLiteConnection(path: path, .writing)
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, value BLOB)")
    }

    private func count() throws -> Int64? { try connection.integer("SELECT count(*) FROM t") }

    @Test("a file that is not there is not made")
    func absent() throws {
        let path = folder.path + "/nothing.db"
        #expect(storeError { _ = try SQLiteConnection(path: path, .writing) } == .inputOutput(errno: 0))
        #expect(try POSIXFile.status(path) == nil)
    }

    @Test("what is stored comes back: nothing, no bytes, some bytes and numbers")
    func values() throws {
        let values: [QueryValue] = [.null, .bytes([]), .bytes([0, 1, 255]), .integer(.min), .integer(.max)]
        for value in values { try connection.run("INSERT INTO t (value) VALUES (?)", [value]) }
        #expect(try connection.rows("SELECT value FROM t ORDER BY id") { $0.value(0) } == values)
        #expect(connection.lastInsertedRow == 5 && connection.changedRowCount == 1)
    }

    @Test("a statement is given all of its parameters, and keeps none for its next use", arguments: [0, 1, 3])
    func parameters(count: Int) throws {
        let sql = "INSERT INTO t VALUES (?, ?)"
        try connection.run(sql, [.integer(1), .bytes([1])])
        let values = Array(repeating: QueryValue.integer(2), count: count)
        #expect(storeError { try connection.run(sql, values) } == .unexpected(resultCode: 25))
        #expect(try self.count() == 1)
    }

    @Test("who looks at a row may run the same statement")
    func nested() throws {
        try connection.execute("INSERT INTO t (id) VALUES (1), (2), (3)")
        var pairs: [[Int64?]] = []
        let sql = "SELECT id FROM t ORDER BY id"
        try connection.run(sql) { outer in
            try connection.run(sql) { inner in
                pairs.append([outer.integer(0), inner.integer(0)])
                return true
            }
            return true
        }
        #expect(pairs == [1, 2, 3].flatMap { outer in [1, 2, 3].map { [outer, $0] } })
    }

    @Test("an error undoes a transaction, and the next one is whole")
    func undone() throws {
        struct Halt: Error {}
        #expect(throws: Halt.self) {
            try connection.write {
                try connection.execute("INSERT INTO t (id) VALUES (1)")
                throw Halt()
            }
        }
        #expect(try !connection.isInsideTransaction && count() == 0)
        try connection.write { try connection.execute("INSERT INTO t (id) VALUES (1)") }
        #expect(try !connection.isInsideTransaction && count() == 1)
    }

    @Test("after SQLite has undone a transaction by itself, nothing more of it is done", arguments: [false, true])
    func undoneBySQLite(goesOn: Bool) throws {
        let error = storeError {
            try connection.write {
                try connection.execute("INSERT INTO t (id) VALUES (1)")
                // As when the disk is full, and somebody takes no notice of the error.
                try? connection.execute("INSERT OR ROLLBACK INTO t (id) VALUES (1)")
                if goesOn { try connection.run("INSERT INTO t (id) VALUES (?)", [.integer(2)]) }
            }
        }
        #expect(error == .unexpected(resultCode: 4))
        #expect(try count() == 0)
        try connection.write { try connection.execute("INSERT INTO t (id) VALUES (3)") }
        #expect(try count() == 1)
    }

    @Test("a text in double quotes is the name of something")
    func doubleQuotes() throws {
        #expect(storeError { try connection.execute("INSERT INTO t (value) VALUES (\"word\")") } != nil)
    }

    @Test(
        "a transaction is made, or it is not known to last, where only what follows it fails",
        arguments: [
            (Int32(5 << 8 | 10), StoreError.unconfirmed(errno: 0)), (8 << 8 | 10, .unconfirmed(errno: 0)),
            (9 << 8 | 10, .unconfirmed(errno: 0)), (4 << 8 | 10, .inputOutput(errno: 0)), (13, .diskFull), (5, .busy),
        ])
    func commitCodes(code: Int32, error: StoreError) {
        #expect(StoreError(commitResultCode: code) == error)
        if code & 0xFF == 10 { #expect(StoreError(resultCode: code) == .inputOutput(errno: 0)) }
    }
}
