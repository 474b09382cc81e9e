import Foundation
import GRDB

/// A database as somebody with SQLite and no key sees it.
final class RawDatabase {
    private let queue: DatabaseQueue

    init(path: String) throws {
        queue = try DatabaseQueue(path: path)
    }

    deinit {
        try? queue.close()
    }

    /// Runs statements.
    func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: sql, arguments: arguments) }
    }

    /// Keeps everybody else from writing while `body` runs.
    func whileLocked(_ body: () throws -> Void) throws {
        try queue.writeWithoutTransaction { database in
            try database.inTransaction(.immediate) {
                try body()
                return .rollback
            }
        }
    }

    /// Runs statements that the vault's own triggers do not see.
    func runUnnoticed(_ sql: String) throws {
        try queue.writeWithoutTransaction { database in
            let triggers = try Row.fetchAll(database, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
            for trigger in triggers { try database.execute(sql: "DROP TRIGGER \(trigger["name"] as String)") }
            try database.execute(sql: sql)
            for trigger in triggers { try database.execute(sql: trigger["sql"] as String) }
        }
    }

    /// The bytes that a query gives.
    func bytes(_ sql: String) throws -> [UInt8] {
        [UInt8](try queue.read { try Data.fetchOne($0, sql: sql) } ?? Data())
    }

    /// The numbers in the first column of what a query gives.
    func numbers(_ sql: String) throws -> [Int64] {
        try queue.read { try Int64.fetchAll($0, sql: sql) }
    }
}
