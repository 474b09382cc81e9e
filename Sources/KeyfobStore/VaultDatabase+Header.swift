internal import GRDB
internal import KeyfobFiles
package import KeyfobRecords
internal import KeyfobSQLite
package import KeyfobVault

extension VaultDatabase {
    package func repairHeaderCopy(_ vault: borrowing UnlockedVault) throws {
        let stored = try storedHeader()
        if stored.isFromCopy || (try? VaultDatabaseReader.headerCopy(in: directory)) == stored.bytes { return }
        try writeHeaderCopy()
    }

    /// Makes the copy what the database has.
    ///
    /// Under the lock, and from the database: of two processes that have just changed the header, the
    /// later one to come here writes the newer.
    func writeHeaderCopy() throws {
        let turn = try FileLock(directory.lock)
        let stored = try storedHeader()
        if !stored.isFromCopy { try POSIXFile.replace(directory.headerCopy, with: stored.bytes) }
        _ = consume turn
    }

    package func changeHeader<Result>(
        _ vault: inout UnlockedVault, _ body: (inout UnlockedVault, any StorageChange) throws -> Result
    ) throws -> Result {
        try changeDatabase(&vault) { vault, database in try body(&vault, DatabaseTransaction(database)) }
    }

    /// Changes the header in one transaction with whatever `body` does to the database.
    func changeDatabase<Result>(
        _ vault: inout UnlockedVault, _ body: (inout UnlockedVault, Database) throws -> Result
    ) throws -> Result {
        let before = try storedHeader().bytes
        do {
            let result = try write { database in
                let row = try Row.fetchOne(database, sql: "SELECT sequence, bytes FROM header WHERE id = 1")
                if let row, row.integer(0) != Int64(bitPattern: vault.sequence) {
                    try vault.refresh(headerBytes: row.bytes(1))
                }
                let result = try body(&vault, database)
                try Self.storeHeader(try vault.encodedHeader(), sequence: vault.sequence, database)
                return result
            }
            // The change is made; a copy that could not be written is made up for at the next unlocking.
            try? writeHeaderCopy()
            return result
        } catch {
            // Committed or not, the database knows.
            let now = (try? storedHeader().bytes) ?? before
            try? vault.refresh(headerBytes: now)
            throw error
        }
    }

    /// Writes the header; one that only its copy still had is put back.
    static func storeHeader(_ bytes: [UInt8], sequence: UInt64, _ database: Database) throws {
        let device = try ReadConnection(within: database).device()
        try database.execute(
            sql: """
                INSERT INTO header VALUES (1, ?1, ?2, ?3)
                ON CONFLICT (id) DO UPDATE SET sequence = ?1, bytes = ?3
                """,
            arguments: [Int64(bitPattern: sequence), Int64(bitPattern: device), bytes.blob])
    }
}
