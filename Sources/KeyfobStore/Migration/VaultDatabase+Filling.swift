internal import GRDB
internal import KeyfobVault

extension VaultDatabase {
    /// Stores the records of a copy in the groups of a database that was made just now, in one transaction.
    ///
    /// - Parameters:
    ///   - sequence: The sequence that a group's manifest is to have.
    ///   - progress: How many records are stored, and how many there are.
    func fill(_ copy: VaultCopy, sequence: (GroupID) -> UInt64, progress: (Int, Int) -> Void) throws {
        try write { database in
            let transaction = DatabaseTransaction(database)
            try transaction.expectMany()
            defer { withExtendedLifetime(transaction) {} }
            var done = 0
            for group in copy.groups {
                let writer = try DatabaseChange(database, group.keys)
                var manifest = GroupManifest(sequence: sequence(group.keys.group))
                for record in group.records {
                    try writer.insert(record.sealed)
                    manifest.insert(group.keys.element(record.sealed))
                    done += 1
                    progress(done, copy.count)
                }
                try DatabaseChange.store(manifest, database, group.keys)
            }
        }
    }
}
