internal import KeyfobFiles
package import KeyfobRecords
internal import KeyfobSQLite
package import KeyfobVault

extension VaultDatabase {
    package func repairHeaderCopy(_ vault: borrowing UnlockedVault) throws {
        let stored = try storedHeader()
        guard !stored.isFromCopy, try headerCopy() != .current else { return }
        try writeHeaderCopy()
    }

    package func headerCopy() throws -> HeaderCopy {
        let stored = try storedHeader()
        let copy: [UInt8]?
        do { copy = try VaultDatabaseReader.headerCopy(in: directory) } catch { return .damaged }
        guard let copy else { return .missing }
        if copy == stored.bytes { return .current }
        return (try? VaultHeader(encoded: copy)) == nil ? .damaged : .behind
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
        try changeDatabase(&vault) { vault, database in
            try body(&vault, DatabaseTransaction(database, isSynced: isSynced))
        }
    }

    /// Changes the header in one transaction with whatever `body` does to the database.
    func changeDatabase<Result>(
        _ vault: inout UnlockedVault, _ body: (inout UnlockedVault, SQLiteConnection) throws -> Result
    ) throws -> Result {
        let before = try storedHeader().bytes
        do {
            let result = try write { database in
                let later = try takeOverHeader(&vault, database)
                // It lacks what the one that is damaged had, which is for a repair to say.
                guard later <= vault.sequence else { throw StoreError.damaged(what: "the header in keyring.db") }
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

    package func repairHeader(_ vault: inout UnlockedVault, beyond seen: UInt64) throws {
        try write { database in
            let later = try takeOverHeader(&vault, database)
            vault.advance(beyond: max(seen, later))
            try Self.storeHeader(try vault.encodedHeader(), sequence: vault.sequence, database)
        }
        if try headerCopy() == .damaged, try POSIXFile.status(directory.headerCopy)?.isRegularFile == false {
            // Whatever that is, no header can be written over it.
            try POSIXFile.putAside(directory.headerCopy, as: directory.headerCopy + ".put-aside")
        }
        try? writeHeaderCopy()
    }

    /// Takes over a header that another process has written, or the copy of one that is damaged.
    ///
    /// - Returns: The sequence of a later header, as far as the rows of damaged ones tell; 0 where there is none.
    private func takeOverHeader(_ vault: inout UnlockedVault, _ database: SQLiteConnection) throws -> UInt64 {
        let stored = try database.storedHeader(directory, newest: true)
        let sequence = try? LockedVault(headerBytes: stored.bytes).sequence
        if sequence != vault.sequence { try vault.refresh(headerBytes: stored.bytes) }
        guard stored.origin == .file else { return 0 }
        let rows = try ["header", "second_header"].filter { try database.holdsTable($0) }.compactMap { table in
            try database.integer("SELECT sequence FROM \(table) WHERE id = 1")
        }
        return rows.map { UInt64(bitPattern: $0) }.max() ?? 0
    }

    /// Writes the header, twice; one that only its copy still had is put back.
    static func storeHeader(_ bytes: [UInt8], sequence: UInt64, _ database: SQLiteConnection) throws {
        for object in VaultSchema.current where object.isHeader {
            if try !database.holdsTable(object.name) { try database.make([object]) }
        }
        let device = try database.device()
        for table in ["header", "second_header"] {
            try database.run(
                """
                INSERT INTO \(table) VALUES (1, ?1, ?2, ?3)
                ON CONFLICT (id) DO UPDATE SET sequence = ?1, bytes = ?3
                """,
                [.integer(Int64(bitPattern: sequence)), .integer(Int64(bitPattern: device)), .bytes(bytes)])
        }
    }
}
