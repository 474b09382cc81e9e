internal import GRDB
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobVault

/// A write transaction of a vault's database.
final class DatabaseTransaction: StorageChange {
    private let database: Database
    private var expectsMany = false

    init(_ database: Database) {
        self.database = database
    }

    func begin(_ keys: GroupKeys) throws { try DatabaseChange.begin(database, keys) }

    func records(_ keys: GroupKeys) throws -> any RecordWriting { try DatabaseChange(database, keys) }

    func removeRecords(of group: GroupID) throws -> Int {
        let id = group.bytes.blob
        try database.execute(sql: "DELETE FROM records WHERE group_id = ?", arguments: [id])
        let count = database.changesCount
        try database.execute(sql: "DELETE FROM manifests WHERE group_id = ?", arguments: [id])
        try database.execute(sql: "DELETE FROM record_counts WHERE group_id = ?", arguments: [id])
        return count
    }

    // A group's name is in the header alone.
    func rename(_ group: GroupID, to name: AccessGroup) {}

    func expectMany() throws {
        // A page that does not fit has to be written, and the journal synchronised before: many do not.
        try database.execute(sql: "PRAGMA cache_size = -32768")
        expectsMany = true
    }

    func device() throws -> UInt64 { try ReadConnection(within: database).device() }

    deinit {
        if expectsMany { try? database.execute(sql: "PRAGMA cache_size = -2000") }
    }
}

extension ReadConnection {
    /// Reads on the connection that a write transaction uses, and no longer than it.
    convenience init(within database: Database) throws(StoreError) {
        guard let handle = unsafe database.sqliteConnection else { throw .unexpected(resultCode: 0) }
        unsafe self.init(on: handle)
    }
}
