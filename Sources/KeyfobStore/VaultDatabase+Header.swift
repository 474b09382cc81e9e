internal import GRDB
package import KeyfobVault

extension VaultDatabase {
    package func refresh(_ vault: inout UnlockedVault) throws {
        try vault.refresh(headerBytes: try storedHeader().bytes)
    }

    package func storedHeader() throws -> StoredHeader {
        let stored: Result<[UInt8]?, any Error> = Result {
            try read { try $0.first(.header, row: { $0.bytes(0) }) }
        }
        switch stored {
        case .success(let bytes?):
            // What a newer Keyfob wrote is for the vault to judge, not a reason to take the copy.
            if Self.isSound(bytes) { return StoredHeader(bytes: bytes, isFromCopy: false) }
        case .failure(StoreError.busy): throw StoreError.busy
        case .success(nil), .failure: break
        }
        guard let copy = try headerCopy(), Self.isSound(copy) else {
            throw StoreError.damaged(what: "the header of the vault (and its copy)")
        }
        return StoredHeader(bytes: copy, isFromCopy: true)
    }

    /// The header of a vault whose database cannot even be opened.
    package static func headerCopy(in directory: VaultDirectory) throws -> [UInt8]? {
        try POSIXFile.read(directory.headerCopy, limit: VaultHeader.maximumCount)
    }

    private func headerCopy() throws -> [UInt8]? {
        try Self.headerCopy(in: directory)
    }

    private static func isSound(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try VaultHeader(encoded: bytes)
            return true
        } catch {
            switch error {
            case .unsupportedVersion, .unsupportedSuite: return true
            default: return false
            }
        }
    }

    package func repairHeaderCopy(_ vault: borrowing UnlockedVault) throws {
        let stored = try storedHeader()
        if stored.isFromCopy || (try? headerCopy()) == stored.bytes { return }
        try writeHeaderCopy()
    }

    /// Makes the copy what the database has.
    ///
    /// Under the lock, and from the database: of two processes that have just changed the header, the
    /// later one to come here writes the newer.
    private func writeHeaderCopy() throws {
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
                let device = try Self.device(database)
                let result = try body(&vault, database)
                let bytes = try vault.encodedHeader()
                // A header that only its copy still had is put back.
                try database.execute(
                    sql: """
                        INSERT INTO header VALUES (1, ?1, ?2, ?3)
                        ON CONFLICT (id) DO UPDATE SET sequence = ?1, bytes = ?3
                        """,
                    arguments: [Int64(bitPattern: vault.sequence), Int64(bitPattern: device), bytes.blob])
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
}
