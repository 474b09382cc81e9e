internal import KeyfobFiles
package import KeyfobModel
package import KeyfobVault

/// Where the header and the records of a vault lie, for whoever changes them too.
///
/// Two ship: a database in the vault's folder, whose records are sealed and which keeps its promises itself, and the
/// Secret Service, which is trusted with the records as they are.
package protocol VaultStorage: VaultReading {
    /// Whether a newer Keyfob wrote it, so that this one only reads.
    var isReadOnly: Bool { get }

    /// Whether it lies still where it was opened: a migration or a restore may have put something else there.
    var isInPlace: Bool { get }

    /// Whether anything has been changed through this object; nil where changes are not made as a whole.
    var hasChanged: Bool? { get }

    /// The rows of a group that changes of this device's have written since one with this number, and of which a sync is
    /// told; nil where the storage does not number them.
    ///
    /// The number of a change is that of the group's manifest after it.
    func rowIDs(in keys: GroupKeys, changedSince change: UInt64) throws -> [Int64]?

    /// Writes the copy of the header again when it differs.
    func repairHeaderCopy(_ vault: borrowing UnlockedVault) throws

    /// Whether the copy of the header is what it should be.
    func headerCopy() throws -> HeaderCopy

    /// Changes records in one change.
    ///
    /// - Parameter sequence: The sequence of the header that the keys come from.
    /// - Throws: `staleKeys` when the header has changed since, `busy`, `diskFull`, `notWritable`, `inputOutput`.
    func write<Result>(sequence: UInt64, _ body: (any StorageChange) throws -> Result) throws -> Result

    /// Changes the header in one change with whatever `body` does to the records.
    ///
    /// The header is read again first, so that no change of another process is lost. When anything
    /// fails, the vault is as it was.
    func changeHeader<Result>(
        _ vault: inout UnlockedVault, _ body: (inout UnlockedVault, any StorageChange) throws -> Result
    ) throws -> Result

    /// Writes the header anew, from the copy that is used where it is damaged.
    ///
    /// - Parameter seen: The highest sequence seen of it, beyond which it goes on.
    func repairHeader(_ vault: inout UnlockedVault, beyond seen: UInt64) throws

    /// Gives a group a new key and seals every record of it again; with a slot, takes that away as well.
    ///
    /// - Parameter before: What is changed in the group before, in the same change.
    /// - Throws: `incomplete` or `damaged` when not every record opens: a key is never replaced over
    ///   an incomplete set. `notOffered`.
    /// - Returns: How many records were sealed again.
    func rotateGroup(
        _ name: AccessGroup, removing slot: SlotID?, _ vault: inout UnlockedVault,
        before: (any StorageChange, GroupKeys) throws -> Void, progress: (Int, Int) -> Void
    ) throws -> Int

    /// Writes the header of a vault that has got new keys, and seals every record again, in one change.
    ///
    /// - Parameters:
    ///   - sequence: That of the header which `rekeyed` was made from.
    ///   - keys: Those of every group, before and after.
    /// - Throws: `staleKeys` where the header has changed since; `incomplete` or `damaged` when not every record opens;
    ///   `notOffered`. Nothing has been written then.
    /// - Returns: How many records were sealed again.
    func rekey(
        _ rekeyed: borrowing UnlockedVault, from sequence: UInt64, keys: [(old: GroupKeys, new: GroupKeys)],
        progress: (Int, Int) -> Void
    ) throws -> Int

    /// Looks at the structure of the place itself.
    ///
    /// - Returns: What is wrong, one line each.
    func integrityProblems() throws -> [String]

    /// Opens every record of a group, and compares all of them with what should be there where that is known.
    func verify(_ keys: GroupKeys, name: String) throws -> Verification

    /// The number of records that belong to no group of the vault.
    func strayRowCount(groups: [GroupID]) throws -> Int

    /// Puts the records of a group that do not open aside, makes what is known of the group fit what is left, and notes
    /// in the group what it has lost.
    ///
    /// - Parameters:
    ///   - sequence: The sequence of the header that `keys` come from: to an older key every row would
    ///     seem damaged.
    ///   - seen: The highest sequence seen of the group's manifest, which goes on from there when the
    ///     manifest itself does not open.
    ///   - naming: Says more of a loss, where more is known outside.
    func repair(
        _ keys: GroupKeys, sequence: UInt64, seen: UInt64, name: String, now: Timestamp,
        naming: (RecordLoss) -> [RecordLoss]
    ) throws -> GroupRepair

    /// Puts the rows aside that belong to none of `groups`, which must be all that the vault has, and notes that in the
    /// first of them.
    func putStrayRowsAside(groups: [GroupKeys], sequence: UInt64, now: Timestamp) throws -> GroupRepair
}

extension VaultStorage {
    package func rowIDs(in keys: GroupKeys, changedSince change: UInt64) throws -> [Int64]? { nil }
}

/// A change of a storage that has begun.
package protocol StorageChange: AnyObject {
    /// Begins a group.
    func begin(_ keys: GroupKeys) throws

    /// Changes a group's records.
    func records(_ keys: GroupKeys) throws -> any RecordWriting

    /// Removes every record of a group.
    ///
    /// - Returns: How many went, but for those of the undo journal, which nobody has written.
    func removeRecords(of group: GroupID) throws -> Int

    /// Takes note of a group's new name.
    func rename(_ group: GroupID, to name: AccessGroup) throws

    /// Prepares for very many records.
    func expectMany() throws

    /// The id of this copy of the vault.
    func device() throws -> UInt64
}

/// What a verification found.
package struct Verification: Equatable, Sendable {
    /// How many records were opened, attributes and secret; those of the undo journal, which nobody has written, aside.
    package var opened: Int
    /// What is wrong, one line each; empty when all is well.
    package var problems: [String]
    /// What the group has lost, or has that it should not.
    package var losses: [Loss] = []
    /// The tokens that another program has put in the place of others, which a repair takes over; of each its item.
    package var replaced: [RecordLoss] = []

    /// The rows that did not open, in their order.
    package var damagedRows: [Int64] { losses.compactMap(\.row).sorted() }

    /// What was found; without arguments, nothing was looked at yet.
    package init(opened: Int = 0, problems: [String] = []) {
        (self.opened, self.problems) = (opened, problems)
    }

    /// A loss, and the row that does not open.
    package struct Loss: Equatable, Sendable {
        package let loss: RecordLoss
        package let row: Int64?

        package init(_ loss: RecordLoss, row: Int64? = nil) { (self.loss, self.row) = (loss, row) }
    }
}

/// What a repair did to a group.
package struct GroupRepair: Equatable, Sendable {
    /// Where what did not open was put.
    package var files: [String] = []
    /// What the group has lost, as it was noted there.
    package var losses: [RecordLoss] = []
    /// What another program had put in the place of others, and is the vault's by now.
    package var takenOver: [RecordLoss] = []

    package init() {}
}
