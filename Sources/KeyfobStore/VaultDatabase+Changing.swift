internal import GRDB
package import KeyfobModel
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

extension VaultDatabase {
    /// Changes records of several groups in one transaction, and makes groups that are missing.
    ///
    /// - Parameters:
    ///   - names: The groups to change.
    ///   - new: Those of them to make; needs the whole vault's key.
    ///   - milliseconds: Now, since 1970.
    /// - Throws: as ``change(_:sequence:milliseconds:_:)``; `needsVaultKey`, `groupExists`, `noSuchGroup`.
    /// - Returns: What `body` returns, and the sequences of the manifests.
    package func change<Result>(
        _ vault: inout UnlockedVault, groups names: [AccessGroup], creating new: [AccessGroup], milliseconds: Int64,
        _ body: ([AccessGroup: GroupWriter]) throws -> Result
    ) throws -> (result: Result, sequences: [(group: GroupID?, sequence: UInt64)]) {
        func run(
            _ vault: borrowing UnlockedVault, _ database: Database
        ) throws -> (result: Result, sequences: [(group: GroupID?, sequence: UInt64)]) {
            // A page that does not fit has to be written, and the journal synchronised before: many do not.
            try database.execute(sql: "PRAGMA cache_size = -131072")
            defer { try? database.execute(sql: "PRAGMA cache_size = -2000") }
            var writers: [AccessGroup: GroupWriter] = [:]
            for name in names {
                let keys = try vault.group(name).keys
                writers[name] = try GroupWriter(
                    database, keys, device: try Self.device(database), milliseconds: milliseconds)
            }
            let result = try body(writers)
            var sequences: [(group: GroupID?, sequence: UInt64)] = []
            for writer in writers.values { sequences.append((writer.keys.group, try writer.finish())) }
            return (result, sequences)
        }
        guard !new.isEmpty else {
            let sequence = vault.sequence
            return try write { database in
                try Self.requireHeader(sequence, database)
                return try run(vault, database)
            }
        }
        var (result, sequences) = try changeHeader(&vault) { vault, database in
            for name in new {
                if vault.groups.contains(where: { $0.name == name }) { throw StoreError.groupExists }
                try GroupWriter.begin(database, try vault.createGroup(name).keys)
            }
            return try run(vault, database)
        }
        sequences.append((nil, vault.sequence))
        return (result, sequences)
    }
}
