internal import KeyfobFiles
package import KeyfobModel
package import KeyfobVault

extension VaultStorage {
    /// Makes a group.
    ///
    /// - Parameters:
    ///   - entry: The run of a command that it is noted as; nil for none.
    ///   - milliseconds: Now, since 1970.
    /// - Throws: `groupExists`, and as ``changeSlots(_:_:)``.
    package func createGroup(
        _ name: AccessGroup, _ vault: inout UnlockedVault, noting entry: JournalEntry? = nil, milliseconds: Int64 = 0
    ) throws {
        try changeHeader(&vault) { vault, change in
            try Self.requireNew(name, vault)
            let keys = try vault.createGroup(name).keys
            try change.begin(keys)
            if let entry { try Self.note(.groupMade, of: entry, change, keys, milliseconds) }
        }
    }

    /// Gives a group another name.
    ///
    /// - Parameters:
    ///   - entry: The run of a command that it is noted as; nil for none.
    ///   - milliseconds: Now, since 1970.
    /// - Throws: `groupExists`, and as ``changeSlots(_:_:)``.
    package func renameGroup(
        _ name: AccessGroup, to new: AccessGroup, _ vault: inout UnlockedVault, noting entry: JournalEntry? = nil,
        milliseconds: Int64 = 0
    ) throws {
        try changeHeader(&vault) { vault, change in
            let group = try vault.group(name)
            if new == name { return }
            try Self.requireNew(new, vault)
            try vault.renameGroup(group.keys.group, to: new)
            try change.rename(group.keys.group, to: new)
            if let entry {
                try Self.note(.groupRenamed(from: name.name), of: entry, change, group.keys, milliseconds)
            }
        }
    }

    private static func note(
        _ act: JournalAct, of entry: JournalEntry, _ change: any StorageChange, _ keys: GroupKeys, _ milliseconds: Int64
    ) throws {
        let writer = GroupWriter(try change.records(keys), device: try change.device(), milliseconds: milliseconds)
        try writer.note(act, of: entry)
        _ = try writer.finish()
    }

    /// Removes a group, its key and its records.
    ///
    /// - Returns: How many records went.
    package func removeGroup(_ name: AccessGroup, _ vault: inout UnlockedVault) throws -> Int {
        try removeGroup(name, &vault) { _, _ in true } ?? 0
    }

    /// Removes a group where it is the one that is meant, as it is then.
    ///
    /// - Parameter isMeant: Gets the group's records, and whether others have a key of it.
    /// - Returns: How many records went; nil where it is not meant.
    package func removeGroup(
        _ name: AccessGroup, _ vault: inout UnlockedVault,
        where isMeant: (_ reader: any RecordReading, _ isShared: Bool) throws -> Bool
    ) throws -> Int? {
        try changeHeader(&vault) { vault, change in
            let keys = try vault.group(name).keys
            let isShared = vault.slotSummaries.contains { $0.group == name }
            guard try isMeant(change.records(keys).reader, isShared) else { return nil }
            let group = keys.group
            let count = try change.removeRecords(of: group)
            try vault.removeGroup(group)
            return count
        }
    }

    /// Changes slots, which concern no record.
    ///
    /// - Throws: what `body` throws, and `busy`, `diskFull`, `notWritable`, `inputOutput`.
    package func changeSlots<Result>(
        _ vault: inout UnlockedVault, _ body: (inout UnlockedVault) throws -> Result
    ) throws -> Result {
        try changeHeader(&vault) { vault, _ in try body(&vault) }
    }

    /// Gives a group a new key and seals every record of it again.
    ///
    /// - Throws: as ``rotateGroup(_:removing:_:before:progress:)``.
    /// - Returns: How many records were sealed again.
    package func rotateGroup(
        _ name: AccessGroup, _ vault: inout UnlockedVault, progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> Int {
        try rotateGroup(name, removing: nil, &vault, before: { _, _ in }, progress: progress)
    }

    /// Removes a slot of one group, changes records of the group and gives it a new key: all of it, or nothing.
    ///
    /// - Throws: what `body` throws, and as ``rotateGroup(_:removing:_:before:progress:)``.
    /// - Returns: What `body` returns, and how many records were sealed again.
    package func revoke<Result>(
        _ slot: SlotID, of name: AccessGroup, _ vault: inout UnlockedVault, milliseconds: Int64,
        progress: (Int, Int) -> Void = { _, _ in }, _ body: (GroupWriter) throws -> Result
    ) throws -> (result: Result, records: Int) {
        var result: Result?
        let records = try rotateGroup(
            name, removing: slot, &vault,
            before: { change, keys in
                let writer = GroupWriter(
                    try change.records(keys), device: try change.device(), milliseconds: milliseconds)
                result = try body(writer)
                _ = try writer.finish()
            }, progress: progress)
        guard let result else { throw StoreError.unexpected(resultCode: 0) }
        return (result, records)
    }

    private static func requireNew(_ name: AccessGroup, _ vault: borrowing UnlockedVault) throws {
        if vault.groups.contains(where: { $0.name == name }) { throw StoreError.groupExists }
    }
}
