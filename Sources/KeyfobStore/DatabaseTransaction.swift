internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobVault

/// A write transaction of a vault's database.
final class DatabaseTransaction: StorageChange {
    private let database: SQLiteConnection
    private let isSynced: Bool
    private var expectsMany = false

    /// - Parameter isSynced: As ``DatabaseChange`` has it.
    init(_ database: SQLiteConnection, isSynced: Bool) {
        (self.database, self.isSynced) = (database, isSynced)
    }

    func begin(_ keys: GroupKeys) throws { try DatabaseChange.begin(database, keys) }

    func records(_ keys: GroupKeys) throws -> any RecordWriting {
        try DatabaseChange(database, keys, isSynced: isSynced)
    }

    func removeRecords(of group: GroupID) throws -> Int {
        let id = QueryValue.bytes(group.bytes)
        let journal = QueryValue.integer(Int64(RecordHeader.Kind.journal.rawValue))
        try database.run("DELETE FROM records WHERE group_id = ? AND kind = ?", [id, journal])
        try database.run("DELETE FROM records WHERE group_id = ?", [id])
        let count = database.changedRowCount
        try DatabaseChange.removeTree(of: group, database)
        try database.run("DELETE FROM record_counts WHERE group_id = ?", [id])
        return count
    }

    // A group's name is in the header alone.
    func rename(_ group: GroupID, to name: AccessGroup) {}

    func expectMany() throws {
        // A page that does not fit has to be written, and the journal synchronised before: many do not.
        try database.execute("PRAGMA cache_size = -32768")
        expectsMany = true
    }

    func device() throws -> UInt64 { try database.device() }

    deinit {
        if expectsMany { try? database.execute("PRAGMA cache_size = -2000") }
    }
}
