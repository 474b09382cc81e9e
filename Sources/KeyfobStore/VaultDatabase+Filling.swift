internal import KeyfobRecords
package import KeyfobVault
internal import KeyfobSQLite

extension VaultDatabase {
    /// Stores records in groups of a database that was made just now, in one transaction.
    ///
    /// - Parameters:
    ///   - groups: Each group's records, and the sequence that its manifest is to have.
    ///   - progress: How many records are stored, and how many there are.
    package func fill(
        _ groups: [(keys: GroupKeys, records: [SealedRecord], sequence: UInt64)], progress: (Int, Int) -> Void
    ) throws {
        let count = groups.reduce(0) { $0 + $1.records.count }
        try write { database in
            let transaction = DatabaseTransaction(database)
            try transaction.expectMany()
            defer { withExtendedLifetime(transaction) {} }
            var done = 0
            for group in groups {
                let writer = try DatabaseChange(database, group.keys)
                for record in group.records {
                    try writer.insert(record)
                    done += 1
                    progress(done, count)
                }
                try writer.finish(sequence: group.sequence)
            }
        }
    }
}
