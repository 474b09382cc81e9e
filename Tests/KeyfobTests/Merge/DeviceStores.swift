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
