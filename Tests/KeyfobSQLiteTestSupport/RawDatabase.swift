internal import Foundation
package import KeyfobSQLite

/// A database as somebody with SQLite and no key sees it.
package final class RawDatabase {
    private var open: SQLiteConnection?

    /// What is asked of one that was closed, or of a file that cannot be made.
    private struct Failure: Error {}

    /// Opens a database, which is made where it is not there.
    ///
    /// - Parameter pragmas: What is set before anything else.
    package init(path: String, pragmas: String = "") throws {
        let files = FileManager.default
        if !files.fileExists(atPath: path) {
            guard files.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
                throw Failure()
            }
        }
        open = try SQLiteConnection(
            path: path, SQLiteSettings(patience: 0, pragmas: "PRAGMA foreign_keys = ON; \(pragmas)"))
    }

    /// Closes it; nothing can be asked of it any more.
    package func close() { open = nil }

    private var connection: SQLiteConnection {
        get throws {
            guard let open else { throw Failure() }
            return open
        }
    }

    /// Runs statements; only where it is one, it may have parameters.
    package func run(_ sql: String, _ parameters: [QueryValue] = []) throws {
        if parameters.isEmpty { try connection.execute(sql) } else { try connection.run(sql, parameters) }
    }

    /// Runs statements in one transaction.
    package func change(_ body: () throws -> Void) throws { try connection.write(body) }

    /// The number of the row that was inserted last.
    package var lastInsertedRow: Int64 { get throws { try connection.lastInsertedRow } }

    /// Keeps everybody else from writing while `body` runs.
    package func whileLocked(_ body: () throws -> Void) throws {
        try run("BEGIN IMMEDIATE")
        defer { try? run("ROLLBACK") }
        try body()
    }

    /// Runs statements that the vault's own triggers do not see.
    package func runUnnoticed(_ sql: String) throws {
        let triggers = try connection.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'") {
            (name: $0.text(0) ?? "", sql: $0.text(1) ?? "")
        }
        for trigger in triggers { try run("DROP TRIGGER \(trigger.name)") }
        try run(sql)
        for trigger in triggers { try run(trigger.sql) }
    }

    /// The first column of what a query gives.
    package func values(_ sql: String, _ parameters: [QueryValue] = []) throws -> [QueryValue] {
        try connection.rows(sql, parameters) { $0.value(0) }
    }

    /// The bytes that a query gives.
    package func bytes(_ sql: String) throws -> [UInt8] {
        if case .bytes(let bytes) = try values(sql).first { bytes } else { [] }
    }

    /// The numbers in the first column of what a query gives.
    package func numbers(_ sql: String) throws -> [Int64] {
        try connection.rows(sql) { $0.integer(0) ?? 0 }
    }

    /// The texts in the first column of what a query gives.
    package func texts(_ sql: String) throws -> [String] {
        try connection.rows(sql) { $0.text(0) ?? "" }
    }
}
