internal import KeyfobRecords
package import KeyfobVault
internal import KeyfobSQLite

extension VaultDatabase {
    /// Stores records in groups of a database that was made just now, in one transaction.
    ///
    /// - Parameters:
    ///   - groups: Each group's records, and the sequence that its manifest is to have.
    ///   - isSynced: Whether the vault is part of a sync, which the folder where the database is made does not say.
    ///   - progress: How many records are stored, and how many there are.
    package func fill(
        _ groups: [(keys: GroupKeys, records: [SealedRecord], sequence: UInt64)], isSynced: Bool,
        progress: (Int, Int) -> Void
    ) throws {
        let count = groups.reduce(0) { $0 + $1.records.count }
        try write { database in
            let transaction = DatabaseTransaction(database, isSynced: isSynced)
            try transaction.expectMany()
            defer { withExtendedLifetime(transaction) {} }
            var done = 0
            for group in groups {
                let writer = try DatabaseChange(database, group.keys, isSynced: isSynced)
                // Of what was told elsewhere nothing is known: a sync is told all.
                let told = Int64(clamping: group.sequence)
                for var record in group.records {
                    if record.canBeTold { record.telling = .following(told) }
                    try writer.insert(record)
                    done += 1
                    progress(done, count)
                }
                try writer.finish(sequence: group.sequence)
            }
        }
    }
}
