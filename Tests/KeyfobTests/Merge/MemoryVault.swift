import KeyfobFiles
import KeyfobModel
import KeyfobVault
import Testing

@testable import Keyfob
@testable import KeyfobRecords

/// What stores the records of a keyring in memory.
final class MemoryVault: VaultStorage, StorageChange {
    private let store: MemoryStore

    init(_ store: MemoryStore) { self.store = store }

    var directory: VaultDirectory { store.directory }
    var place: StoragePlace { .embedded }
    var isReadOnly: Bool { false }
    var isInPlace: Bool { true }
    var hasChanged: Bool? { nil }

    func version() -> StorageVersion { StorageVersion(counter: 0) }
    func device() -> UInt64 { store.number }
    func storedHeader() -> StoredHeader { StoredHeader(bytes: store.header) }
    func counts(in keys: GroupKeys) -> [RecordHeader.Kind: Int] { store.counts }
    func integrityProblems() -> [String] { [] }
    func verify(_ keys: GroupKeys, name: String) -> Verification { Verification() }
    func strayRowCount(groups: [GroupID]) -> Int { 0 }

    func state(of keys: GroupKeys) -> GroupCompleteness {
        let count = store.counts.values.reduce(0, +)
        return GroupCompleteness(nil, expected: count, counted: count)
    }

    func withSnapshot<Result: ~Copyable>(_ body: () throws -> Result) rethrows -> Result { try body() }

    func read<Result>(
        _ keys: GroupKeys, _ body: (any RecordReading) throws -> sending Result
    ) rethrows -> sending Result { try body(store) }

    func snapshot<Result>(
        _ keys: GroupKeys, _ body: (any RecordReading) throws -> sending Result
    ) rethrows -> sending Result { try body(store) }

    func write<Result>(sequence: UInt64, _ body: (any StorageChange) throws -> Result) rethrows -> Result {
        try body(self)
    }

    func records(_ keys: GroupKeys) -> any RecordWriting { store }
    func expectMany() {}

    // A history changes no keys and has one group.
    private struct NotOfHistories: Error {}

    func begin(_ keys: GroupKeys) throws { throw NotOfHistories() }
    func removeRecords(of group: GroupID) throws -> Int { throw NotOfHistories() }
    func rename(_ group: GroupID, to name: AccessGroup) throws { throw NotOfHistories() }
    func repairHeaderCopy(_ vault: borrowing UnlockedVault) throws { throw NotOfHistories() }

    func changeHeader<Result>(
        _ vault: inout UnlockedVault, _ body: (inout UnlockedVault, any StorageChange) throws -> Result
    ) throws -> Result { throw NotOfHistories() }

    func rotateGroup(
        _ name: AccessGroup, removing slot: SlotID?, _ vault: inout UnlockedVault,
        before: (any StorageChange, GroupKeys) throws -> Void, progress: (Int, Int) -> Void
    ) throws -> Int { throw NotOfHistories() }

    func rekey(
        _ rekeyed: borrowing UnlockedVault, from sequence: UInt64, keys: [(old: GroupKeys, new: GroupKeys)],
        progress: (Int, Int) -> Void
    ) throws -> Int { throw NotOfHistories() }

    func headerCopy() -> HeaderCopy { .current }
    func repairHeader(_ vault: inout UnlockedVault, beyond seen: UInt64) throws { throw NotOfHistories() }

    func repair(
        _ keys: GroupKeys, sequence: UInt64, seen: UInt64, name: String, now: Timestamp,
        naming: (RecordLoss) -> [RecordLoss]
    ) throws -> GroupRepair { throw NotOfHistories() }

    func putStrayRowsAside(groups: [GroupKeys], sequence: UInt64, now: Timestamp) throws -> GroupRepair {
        throw NotOfHistories()
    }
}
