internal import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobSodium
package import KeyfobVault

extension VaultDatabase {
    package func rotateGroup(
        _ name: AccessGroup, removing slot: SlotID?, _ vault: inout UnlockedVault,
        before: (any StorageChange, GroupKeys) throws -> Void, progress: (Int, Int) -> Void
    ) throws -> Int {
        try changeDatabase(&vault) { vault, database in
            if let slot { try vault.removeSlot(slot) }
            try before(DatabaseTransaction(database, isSynced: isSynced), try vault.group(name).keys)
            return try Self.rotate(name, &vault, database, progress)
        }
    }

    private static func rotate(
        _ name: AccessGroup, _ vault: inout UnlockedVault, _ database: SQLiteConnection, _ progress: (Int, Int) -> Void
    ) throws -> Int {
        let keys = try vault.rotateKey(of: try vault.group(name).keys.group)
        return try reseal([keys], database, progress)
    }

    package func rekey(
        _ rekeyed: borrowing UnlockedVault, from sequence: UInt64, keys: [(old: GroupKeys, new: GroupKeys)],
        progress: (Int, Int) -> Void
    ) throws -> Int {
        let header = try rekeyed.encodedHeader()
        let newSequence = rekeyed.sequence
        var count = 0
        do {
            try write { database in
                // A header that only its copy still had is put back.
                let stored = try database.storedHeader(directory, newest: true)
                guard try LockedVault(headerBytes: stored.bytes).sequence == sequence else {
                    throw StoreError.staleKeys
                }
                count = try Self.reseal(keys, database, progress)
                try Self.storeHeader(header, sequence: newSequence, database)
            }
        } catch {
            // Committed or not, the database knows; the old keys may open nothing any more.
            guard (try? storedHeader().bytes) == header else { throw error }
        }
        try? writeHeaderCopy()
        return count
    }

    /// Seals every record of some groups again.
    ///
    /// - Returns: How many there are, but for those of the undo journal.
    private static func reseal(
        _ keys: [(old: GroupKeys, new: GroupKeys)], _ database: SQLiteConnection, _ progress: (Int, Int) -> Void
    ) throws -> Int {
        let readers = keys.map { DatabaseRecords(connection: database, keys: $0.old) }
        let rowIDs = try readers.map { try $0.rowIDs() }
        let count = rowIDs.reduce(0) { $0 + $1.count }
        var (done, kept) = (0, 0)
        for (index, reader) in readers.enumerated() {
            try reader.requireComplete()
            var manifest = GroupManifest(sequence: try reader.storedManifest().sequence)
            manifest.advance()
            // The old tree proves each record until the last one is sealed again.
            let former = try reader.state().tree.number
            try DatabaseChange.begin(manifest, database, keys[index].new)
            let change = try DatabaseChange(database, keys[index].new)
            for rowID in rowIDs[index] {
                let record = try reseal(rowID, reader, to: keys[index].new, database)
                try change.note(keys[index].new.element(record), record.header, row: rowID)
                done += 1
                if record.header.kind == .journal { kept += 1 }
                progress(done, count)
            }
            try change.finish(sequence: manifest.sequence)
            try DatabaseChange.removeNodes(of: former, database)
        }
        return count - kept
    }

    /// Opens one row with the old keys and seals it with the new.
    private static func reseal(
        _ rowID: Int64, _ old: DatabaseRecords, to new: GroupKeys, _ database: SQLiteConnection
    ) throws -> SealedRecord {
        let record = try old.record(row: rowID)
        var body = try record.open(old.keys)
        switch record.header.kind {
        case .setting: body = SettingBody.carried(body, from: old.keys, to: new)
        case .journal: body = JournalBody.carried(body, from: old.keys, to: new)
        default: break
        }
        // The blinded fields are under the group's index key, which is new as well.
        var header = record.header
        header.epoch = new.epoch
        header.index = try body.index(kind: header.kind, keys: new)
        let sealed: SealedRecord
        if record.secretCommitment != nil {
            let secret = try old.secret(record)
            sealed = try new.seal(header, attributes: body, secret: secret)
        } else {
            sealed = try new.seal(header, attributes: body)
        }
        try database.run(
            """
            UPDATE records SET epoch = ?, account_index = ?, credential_index = ?, username_index = ?,
                label_index = ?, secret_commitment = ?, attributes = ? WHERE id = ?
            """, [.integer(Int64(header.epoch))] + DatabaseChange.sealed(sealed) + [.integer(rowID)])
        if let secret = sealed.secret {
            try database.run(
                "UPDATE secrets SET bytes = ? WHERE id = ?", [.bytes(secret.stored), .integer(rowID)])
        }
        return sealed
    }
}
