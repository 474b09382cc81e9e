import KeyfobFiles
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import KeyfobVault
import Synchronization
import Testing

@testable import Keyfob
@testable import KeyfobRecords

/// A vault in memory with the group `default`: only where its records lie is not what ships.
final class MemoryStore: DeviceStore, RecordWriting, RecordReading, Sendable {
    private struct State {
        var rows: [Int64: SealedRecord] = [:]
        var copy: [Int64: SealedRecord] = [:]
        var lastRow: Int64 = 0
    }

    let keys: GroupKeys
    let header: [UInt8]
    let directory: VaultDirectory
    let number: UInt64
    private let state = Mutex(State())

    /// - Parameter directory: Where what else a keyring writes would be; a history writes nothing.
    init(device: UInt64, directory: VaultDirectory = VaultDirectory(path: "/nonexistent")) throws {
        let vault = try UnlockedVault.create(slot: .keyFile(keyFile(1)), now: noon)
        keys = try vault.group(.default).keys
        header = try vault.encodedHeader()
        (number, self.directory) = (device, directory)
    }

    func change<Result>(at milliseconds: Int64, _ body: (GroupWriter) throws -> Result) throws -> Result {
        let before = rows
        do {
            return try body(GroupWriter(self, device: number, milliseconds: milliseconds))
        } catch {
            state.withLock { $0.rows = before }
            throw error
        }
    }

    func backUp() { state.withLock { $0.copy = $0.rows } }
    func restore() { state.withLock { $0.rows = $0.copy } }

    var reader: any RecordReading { self }

    func insert(_ record: SealedRecord) {
        state.withLock { state in
            state.lastRow += 1
            state.rows[state.lastRow] = record
        }
    }

    func replace(_ old: StoredRecord, with record: SealedRecord) throws {
        try #require(rows[old.rowID]?.header == old.header)
        try #require(record.header.kind == old.header.kind)
        state.withLock { $0.rows[old.rowID] = record }
    }

    func delete(_ old: StoredRecord) throws {
        try #require(state.withLock { $0.rows.removeValue(forKey: old.rowID)?.header } == old.header)
    }

    func markIrreplaceable() {}
    func mayHold(_ kind: RecordHeader.Kind) -> Bool { rows.values.contains { $0.header.kind == kind } }
    func oldest(_ kind: RecordHeader.Kind) -> StoredRecord? { all { $0.kind == kind }.first }
    func finish() -> Milestone? { nil }
    func manifest() -> GroupManifest? { nil }

    func records(_ field: LookupField, _ lookup: Lookup) -> [StoredRecord] {
        all { field.finds($0, by: lookup) }
    }

    func accounts(_ names: AccountLookup) -> [StoredRecord] { all { names.matches($0) } }

    func records(of account: Lookup, kind: RecordHeader.Kind) -> [StoredRecord] {
        all { $0.kind == kind && $0.index.account == account.value }
    }

    func record(row rowID: Int64) throws -> StoredRecord {
        Self.stored(rowID, try #require(rows[rowID]))
    }

    func rowIDs() -> [Int64] { rows.keys.sorted() }

    func forEachRecord(kind: RecordHeader.Kind, _ body: (Result<StoredRecord, any Error>) throws -> Void) throws {
        for record in all(where: { $0.kind == kind }) { try body(.success(record)) }
    }

    func forEachRow(_ body: (Int64, Result<StoredRecord, any Error>) throws -> Void) throws {
        for record in all(where: { _ in true }) { try body(record.rowID, .success(record)) }
    }

    func sealedSecret(_ record: StoredRecord) throws -> CommittingAEAD.Box { try #require(record.secret) }

    /// How many records there are of each kind.
    var counts: [RecordHeader.Kind: Int] {
        rows.values.reduce(into: [:]) { $0[$1.header.kind, default: 0] += 1 }
    }

    private var rows: [Int64: SealedRecord] { state.withLock { $0.rows } }

    private func all(where isMeant: (RecordHeader) -> Bool) -> [StoredRecord] {
        rows.filter { isMeant($0.value.header) }.sorted { $0.key < $1.key }
            .map { Self.stored($0.key, $0.value) }
    }

    private static func stored(_ rowID: Int64, _ record: SealedRecord) -> StoredRecord {
        StoredRecord(rowID: rowID, header: record.header, attributes: record.attributes, secret: record.secret)
    }
}
