internal import GRDB
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
            try before(DatabaseTransaction(database), try vault.group(name).keys)
            return try Self.rotate(name, &vault, database, progress)
        }
    }

    private static func rotate(
        _ name: AccessGroup, _ vault: inout UnlockedVault, _ database: Database, _ progress: (Int, Int) -> Void
    ) throws -> Int {
        let current = try vault.group(name).keys
        let reader = DatabaseRecords(connection: try ReadConnection(within: database), keys: current)
        try reader.requireComplete()
        var manifest = GroupManifest(sequence: try reader.storedManifest().sequence)
        manifest.advance()
        let (_, new) = try vault.rotateKey(of: current.group)
        let rowIDs = try reader.rowIDs()
        for (done, rowID) in rowIDs.enumerated() {
            manifest.insert(try reseal(rowID, reader, to: new, database))
            progress(done + 1, rowIDs.count)
        }
        try DatabaseChange.store(manifest, database, new)
        return rowIDs.count
    }

    /// Opens one row with the old keys and seals it with the new.
    private static func reseal(
        _ rowID: Int64, _ old: DatabaseRecords, to new: GroupKeys, _ database: Database
    ) throws -> GroupManifest.Element {
        let record = try old.record(row: rowID)
        let body = try record.open(old.keys)
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
        try database.cachedStatement(
            sql: """
                UPDATE records SET epoch = ?, account_index = ?, credential_index = ?, username_index = ?,
                    label_index = ?, secret_commitment = ?, attributes = ? WHERE id = ?
                """
        ).execute(arguments: [
            Int64(header.epoch), header.index.account?.bytes.blob, header.index.credential?.bytes.blob,
            header.index.username?.bytes.blob, header.index.label?.bytes.blob,
            sealed.secret?.commitment.blob, sealed.attributes.stored.blob, rowID,
        ])
        if let secret = sealed.secret {
            try database.cachedStatement(sql: "UPDATE secrets SET bytes = ? WHERE id = ?")
                .execute(arguments: [secret.stored.blob, rowID])
        }
        return new.element(sealed)
    }
}
