import Foundation
import KeyfobFiles
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import Keyfob
@testable import KeyfobRecords
@testable import KeyfobStore

/// What a device keeps its records in, and a copy of it from an earlier day.
protocol DeviceStore: AnyObject {
    /// Changes the group `default` in one transaction.
    func change<Result>(at milliseconds: Int64, _ body: (GroupWriter) throws -> Result) throws -> Result
    /// Keeps a copy.
    func backUp() throws
    /// Puts the copy in the place of everything, as after a disk has died.
    func restore() throws
}

/// A vault's database.
final class DatabaseStore: DeviceStore {
    private let folder: ScratchFolder
    private let directory: VaultDirectory
    private var database: VaultDatabase?
    private let group: UnlockedVault.Group
    private let sequence: UInt64

    init(device: UInt64) throws {
        folder = try ScratchFolder()
        directory = VaultDirectory(path: folder.path + "/vault")
        let vault = try UnlockedVault.create(slot: .keyFile(keyFile(1)), now: noon)
        database = try VaultDatabase.create(in: directory, for: vault, device: device)
        (group, sequence) = (try vault.group(.default), vault.sequence)
        try backUp()
    }

    func change<Result>(at milliseconds: Int64, _ body: (GroupWriter) throws -> Result) throws -> Result {
        try #require(database).change(group.keys, sequence: sequence, milliseconds: milliseconds, body).result
    }

    func backUp() throws {
        try folder.write("backup.db", try Array(Data(contentsOf: URL(filePath: directory.database))))
    }

    func restore() throws {
        database = nil
        try Data(try folder.read("backup.db")).write(to: URL(filePath: directory.database))
        database = try VaultDatabase.open(directory)
    }
}

/// A group's records in memory: only where they lie is not what ships.
final class MemoryStore: DeviceStore, RecordWriting, RecordReading {
    let keys: GroupKeys
    private let device: UInt64
    private var rows: [Int64: SealedRecord] = [:]
    private var copy: [Int64: SealedRecord] = [:]
    private var lastRow: Int64 = 0

    init(device: UInt64) throws {
        keys = try UnlockedVault.create(slot: .keyFile(keyFile(1)), now: noon).group(.default).keys
        self.device = device
    }

    func change<Result>(at milliseconds: Int64, _ body: (GroupWriter) throws -> Result) throws -> Result {
        let before = rows
        do {
            return try body(GroupWriter(self, device: device, milliseconds: milliseconds))
        } catch {
            rows = before
            throw error
        }
    }

    func backUp() { copy = rows }
    func restore() { rows = copy }

    var reader: any RecordReading { self }

    func insert(_ record: SealedRecord) {
        lastRow += 1
        rows[lastRow] = record
    }

    func replace(_ old: StoredRecord, with record: SealedRecord) throws {
        try #require(rows[old.rowID]?.header == old.header)
        try #require(record.header.kind == old.header.kind)
        rows[old.rowID] = record
    }

    func delete(_ old: StoredRecord) throws {
        try #require(rows.removeValue(forKey: old.rowID)?.header == old.header)
    }

    func mayHold(_ kind: RecordHeader.Kind) -> Bool { rows.values.contains { $0.header.kind == kind } }
    func finish() -> Milestone? { nil }
    func manifest() -> GroupManifest? { nil }

    func records(_ field: LookupField, _ lookup: Lookup) -> [StoredRecord] {
        all { field.value(in: $0.index) == lookup.value }
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

    private func all(where isMeant: (RecordHeader) -> Bool) -> [StoredRecord] {
        rows.filter { isMeant($0.value.header) }.sorted { $0.key < $1.key }
            .map { Self.stored($0.key, $0.value) }
    }

    private static func stored(_ rowID: Int64, _ record: SealedRecord) -> StoredRecord {
        StoredRecord(rowID: rowID, header: record.header, attributes: record.attributes, secret: record.secret)
    }
}
