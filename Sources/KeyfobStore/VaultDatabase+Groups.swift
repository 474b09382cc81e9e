internal import GRDB
package import KeyfobModel
internal import KeyfobSodium
package import KeyfobVault

extension VaultDatabase {
    /// Makes a group.
    ///
    /// - Throws: `groupExists`, and as ``changeSlots(_:_:)``.
    package func createGroup(_ name: AccessGroup, _ vault: inout UnlockedVault) throws {
        try changeHeader(&vault) { vault, database in
            try Self.requireNew(name, vault)
            let group = try vault.createGroup(name)
            try GroupWriter.begin(database, group.keys)
        }
    }

    /// Gives a group another name.
    ///
    /// - Throws: `groupExists`, and as ``changeSlots(_:_:)``.
    package func renameGroup(_ name: AccessGroup, to new: AccessGroup, _ vault: inout UnlockedVault) throws {
        try changeHeader(&vault) { vault, _ in
            let group = try vault.group(name)
            if new == name { return }
            try Self.requireNew(new, vault)
            try vault.renameGroup(group.keys.group, to: new)
        }
    }

    /// Removes a group, its key and its records.
    ///
    /// - Returns: How many records went.
    package func removeGroup(_ name: AccessGroup, _ vault: inout UnlockedVault) throws -> Int {
        try changeHeader(&vault) { vault, database in
            let group = try vault.group(name).keys.group
            let id = group.bytes.blob
            try database.execute(sql: "DELETE FROM records WHERE group_id = ?", arguments: [id])
            let count = database.changesCount
            try database.execute(sql: "DELETE FROM manifests WHERE group_id = ?", arguments: [id])
            try database.execute(sql: "DELETE FROM record_counts WHERE group_id = ?", arguments: [id])
            try vault.removeGroup(group)
            return count
        }
    }

    /// Gives a group a new key and seals every record of it again, in one transaction.
    ///
    /// - Throws: `incomplete` or `damaged` when not every record opens: a key is never replaced over
    ///   an incomplete set.
    /// - Returns: How many records were sealed again.
    package func rotateGroup(
        _ name: AccessGroup, _ vault: inout UnlockedVault, progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> Int {
        try changeHeader(&vault) { vault, database in try Self.rotate(name, &vault, database, progress) }
    }

    /// Removes a slot of one group and gives the group a new key: both, or neither.
    ///
    /// - Throws: as ``rotateGroup(_:_:progress:)``.
    /// - Returns: How many records were sealed again.
    package func revoke(
        _ slot: SlotID, of name: AccessGroup, _ vault: inout UnlockedVault,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> Int {
        try changeHeader(&vault) { vault, database in
            try vault.removeSlot(slot)
            return try Self.rotate(name, &vault, database, progress)
        }
    }

    private static func rotate(
        _ name: AccessGroup, _ vault: inout UnlockedVault, _ database: Database, _ progress: (Int, Int) -> Void
    ) throws -> Int {
        let current = try vault.group(name).keys
        let reader = GroupReader(connection: try ReadConnection(within: database), keys: current)
        try reader.requireComplete()
        var manifest = GroupManifest(sequence: try reader.manifest().sequence)
        manifest.advance()
        let (_, new) = try vault.rotateKey(of: current.group)
        let rowIDs = try reader.rowIDs()
        for (done, rowID) in rowIDs.enumerated() {
            manifest.insert(try reseal(rowID, reader, to: new, database))
            progress(done + 1, rowIDs.count)
        }
        try GroupWriter.store(manifest, database, new)
        return rowIDs.count
    }

    /// Opens one row with the old keys and seals it with the new.
    private static func reseal(
        _ rowID: Int64, _ old: GroupReader, to new: GroupKeys, _ database: Database
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

    private static func requireNew(_ name: AccessGroup, _ vault: borrowing UnlockedVault) throws {
        if vault.groups.contains(where: { $0.name == name }) { throw StoreError.groupExists }
    }
}
