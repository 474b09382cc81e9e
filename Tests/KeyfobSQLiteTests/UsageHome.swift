import KeyfobFiles
import KeyfobModel
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import KeyfobSQLite

/// A folder for a history, and keys of groups.
struct UsageHome {
    let folder: ScratchFolder
    let directory: VaultDirectory
    let keys: GroupKeys
    private let vault = VaultID.random()

    init(_ folder: ScratchFolder? = nil) throws {
        let folder = try folder ?? ScratchFolder()
        self.folder = folder
        directory = VaultDirectory(path: folder.path)
        keys = GroupKeys(vault: vault, group: .random(), epoch: 1, groupKey: keyFile(1))
    }

    /// The history as another process would open it.
    func opened(limit: Int = 10_000) -> UsageDatabase { UsageDatabase(directory: directory, limit: limit) }

    /// The keys of another group of the vault.
    func anotherGroup() -> GroupKeys {
        GroupKeys(vault: vault, group: .random(), epoch: 1, groupKey: keyFile(2))
    }

    /// The keys of the group after its key was replaced.
    func rotated() -> GroupKeys {
        GroupKeys(vault: vault, group: keys.group, epoch: 2, groupKey: keyFile(3))
    }

    /// The events of the group, as another process finds them.
    func times(limit: Int = 10_000) -> [Int64] { opened(limit: limit).events(keys).records.map(\.time) }

    /// Notes events at these times, each of which must be noted.
    func append(_ times: some Sequence<Int64>, limit: Int = 10_000) {
        let history = opened(limit: limit)
        for time in times { #expect(history.append(.at(time), keys) == nil) }
    }

    /// Runs statements behind Keyfob's back.
    func tamper(_ sql: String, _ parameters: [QueryValue] = []) throws {
        try RawDatabase(path: directory.usage).run(sql, parameters)
    }

    /// How many events each block is said to have, in their order.
    func blocks() throws -> [Int] {
        try RawDatabase(path: directory.usage).numbers("SELECT events FROM blocks ORDER BY first").map { Int($0) }
    }

    func exists(_ name: String) throws -> Bool { try POSIXFile.status(folder.path + "/" + name) != nil }
}

extension UsageRecord {
    /// An event that can be told from its time alone.
    static func at(_ time: Int64) -> UsageRecord {
        UsageRecord(
            time: time, account: BlindValue(halves: (UInt64(bitPattern: time) &* 7 | 1, 0)),
            place: 0x5555_AAAA_1234_5678, owner: 2, host: 3,
            tool: 0, isUnconfirmed: time % 2 == 0)
    }
}
