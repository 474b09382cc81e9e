internal import GRDB
package import KeyfobVault

extension VaultDatabase {
    /// Changes records of one group in one transaction.
    ///
    /// - Parameters:
    ///   - sequence: The sequence of the header that `keys` come from.
    ///   - milliseconds: Now, since 1970.
    /// - Throws: `staleKeys` when the header has changed since, `busy`, `diskFull`, `notWritable`,
    ///   `inputOutput`; nothing has been written then.
    /// - Returns: What `body` returns, and the manifest's sequence.
    package func change<Result>(
        _ keys: GroupKeys, sequence: UInt64, milliseconds: Int64, _ body: (GroupWriter) throws -> Result
    ) throws -> (result: Result, sequence: UInt64) {
        try write { database in
            try Self.requireHeader(sequence, database)
            let writer = try GroupWriter(database, keys, device: try Self.device(database), milliseconds: milliseconds)
            let result = try body(writer)
            return (result, try writer.finish())
        }
    }

    /// Changes records of two groups in one transaction.
    package func change<Result>(
        _ first: GroupKeys, _ second: GroupKeys, sequence: UInt64, milliseconds: Int64,
        _ body: (GroupWriter, GroupWriter) throws -> Result
    ) throws -> (result: Result, sequences: (UInt64, UInt64)) {
        try write { database in
            try Self.requireHeader(sequence, database)
            let one = try GroupWriter(database, first, device: try Self.device(database), milliseconds: milliseconds)
            let other = try GroupWriter(database, second, device: try Self.device(database), milliseconds: milliseconds)
            let result = try body(one, other)
            return (result, (try one.finish(), try other.finish()))
        }
    }

    static func requireHeader(_ sequence: UInt64, _ database: Database) throws {
        let statement = try database.cachedStatement(sql: "SELECT sequence FROM header WHERE id = 1")
        guard let stored = try Int64.fetchOne(statement), stored == Int64(bitPattern: sequence) else {
            throw StoreError.staleKeys
        }
    }
}
