package import KeyfobFiles
internal import KeyfobModel
package import KeyfobVault
internal import Synchronization

/// The history that the selection of accounts learns from: `usage.db` in the vault's folder.
///
/// Nothing here throws, and nothing waits: a token must not fail, nor be late, because of what was learned.
/// Whatever goes wrong is a ``UsageProblem``, and the history is then shorter than it could be. The last
/// second's events may be lost with the power. The file is opened for each call and closed again.
///
/// A group whose key is replaced begins anew: its tags and its events are bound to the key's epoch, and
/// events of an earlier epoch are dropped without a word.
package final class UsageDatabase: Sendable {
    /// How many events of a group are kept.
    package static let limit = 10_000

    private let directory: VaultDirectory
    private let limit: Int
    /// Groups of which blocks did not open, which has been told, and which the next event drops.
    private let incomplete = Mutex<Set<GroupID>>([])

    /// The history in a vault's folder, which need not be there.
    package convenience init(directory: VaultDirectory) {
        self.init(directory: directory, limit: Self.limit)
    }

    init(directory: VaultDirectory, limit: Int) {
        self.directory = directory
        self.limit = limit
    }

    /// The newest events of a group, oldest first, and what was wrong with the rest.
    ///
    /// They are in the order of their times, and those of one second in the order in which they were noted.
    package func events(_ keys: GroupKeys) -> (records: [UsageRecord], problem: UsageProblem?) {
        let (found, problem) = read { try UsageBlocks(connection: $0, keys: keys, limit: limit).events() }
        guard let found else { return ([], problem) }
        let isNews = found.skipped > 0 && incomplete.withLock { $0.insert(keys.group).inserted }
        return (Self.ordered(found.records), isNews ? .skipped(blocks: found.skipped) : nil)
    }

    /// How many events of a group there are, without opening them.
    package func count(_ keys: GroupKeys) -> (count: Int, problem: UsageProblem?) {
        let (count, problem) = read { try UsageBlocks(connection: $0, keys: keys, limit: limit).count() }
        return (count ?? 0, problem)
    }

    /// Notes an event.
    ///
    /// - Returns: Why it is not noted; nil when it is.
    package func append(_ record: UsageRecord, _ keys: GroupKeys) -> UsageProblem? {
        let mustFold = incomplete.withLock { $0.contains(keys.group) }
        let problem = write { connection in
            try UsageBlocks(connection: connection, keys: keys, limit: limit).append(record, mustFold: mustFold)
        }
        if mustFold, problem == nil { incomplete.withLock { _ = $0.remove(keys.group) } }
        return problem
    }

    /// Forgets a group's events; with nil everybody's, and a damaged file that was moved aside.
    ///
    /// - Returns: Why nothing is forgotten; nil when it is.
    package func clear(_ keys: GroupKeys?) -> UsageProblem? {
        let problem = access(isWriting: true, isCreating: false) { connection in
            try connection.write {
                if let keys {
                    try connection.run("DELETE FROM blocks WHERE group_id = ?1", [.bytes(keys.group.bytes)])
                } else {
                    try connection.execute("DELETE FROM blocks")
                }
            }
        }.problem
        guard keys == nil else { return problem }
        do {
            try POSIXFile.remove(damagedFile)
            if case .damaged(isMovedAside: true) = problem { return nil }
        } catch {
            return problem ?? .unwritable(reason: "usage.db.damaged cannot be removed")
        }
        return problem
    }

    private var damagedFile: String { directory.usage + ".damaged" }

    private func read<Result>(_ body: (SQLiteConnection) throws(StorageFailure) -> Result) -> (Result?, UsageProblem?) {
        access(isWriting: false, isCreating: false, body)
    }

    private func write(_ body: (SQLiteConnection) throws(StorageFailure) -> Void) -> UsageProblem? {
        access(isWriting: true, isCreating: true) { connection in
            try connection.write {
                // Another process may have made the tables since the file was opened.
                if try !UsageSchema.isThere(connection) { try UsageSchema.make(connection) }
                try body(connection)
            }
        }.problem
    }

    /// Runs `body` on the file; neither a result nor a problem means that there is no history.
    private func access<Result>(
        isWriting: Bool, isCreating: Bool, _ body: (SQLiteConnection) throws(StorageFailure) -> Result
    ) -> (result: Result?, problem: UsageProblem?) {
        var identity: FileIdentity?
        do {
            guard try isThere(orCreated: isCreating) else { return (nil, nil) }
            try directory.checkFile(directory.usage)
            identity = FileIdentity(directory.usage)
            let size = try POSIXFile.status(directory.usage)?.size ?? 0
            if size == 0, !isCreating { return (nil, nil) }
            // SQLite would read zeros where the last page is cut off.
            guard size % 512 == 0 else { throw StoreError.damaged(what: "usage.db") }
            let connection = try SQLiteConnection(path: directory.usage, .history)
            // Who may make the tables looks when it is their turn to write.
            guard try isCreating || connection.read({ try UsageSchema.isThere(connection) }) else { return (nil, nil) }
            return (try body(connection), nil)
        } catch StoreError.noVault where !isWriting {
            return (nil, nil)
        } catch {
            return (nil, problem(error, of: identity, isWriting: isWriting))
        }
    }

    /// Held while a file is made, and while one is looked for: closing the new file would end the locks that SQLite holds
    /// for another thread of this process which has opened it meanwhile (fcntl(2), "Record locking").
    private static let making = Mutex(())

    /// Whether there is a file, made now where that is wanted.
    private func isThere(orCreated isCreating: Bool) throws(StorageFailure) -> Bool {
        try Self.making.withLock { _ in
            guard try POSIXFile.status(directory.usage) == nil else { return true }
            guard isCreating else { return false }
            try directory.check()
            do {
                try POSIXFile.createExclusively(directory.usage)
            } catch StoreError.alreadyThere {
                // By another process, just now.
            }
            return true
        }
    }

    private func problem(_ error: any Error, of identity: FileIdentity?, isWriting: Bool) -> UsageProblem {
        guard let error = error as? StoreError else { return .unreadable(reason: "an unexpected error") }
        switch error {
        case .damaged, .notAVault: return moveAside(identity)
        case .busy: return .busy
        case .newerSchema(let found, _): return .newerVersion(found: found)
        case .unsafePath(let path, let reason): return .unsafeFile(reason: "\(path): \(reason)")
        case .unsuitableFileSystem(let path, let name):
            return .unsafeFile(reason: "\(path) is on a file system of type \(name)")
        case .diskFull: return .unwritable(reason: "the disk is full")
        case .noVault: return .unwritable(reason: "there is no such folder")
        case .notWritable:
            // SQLite also says so of a header that it cannot have written.
            if [directory.path, directory.usage].allSatisfy({ POSIXFile.errorOfWriting($0) == nil }) {
                return moveAside(identity)
            }
            return .unwritable(reason: "its folder, or the file, may not be written")
        default:
            let reason = "the system failed to read or write it"
            return isWriting ? .unwritable(reason: reason) : .unreadable(reason: reason)
        }
    }

    /// Moves a damaged file out of the way, with nothing of its journal left for the next one.
    private func moveAside(_ identity: FileIdentity?) -> UsageProblem {
        // Another process has done so, and a new file may be there already.
        guard identity != nil, identity == FileIdentity(directory.usage) else { return .busy }
        do {
            for suffix in ["-journal", "-wal", "-shm"] { try POSIXFile.remove(directory.usage + suffix) }
            try POSIXFile.move(directory.usage, to: damagedFile)
            return .damaged(isMovedAside: true)
        } catch {
            return .damaged(isMovedAside: false)
        }
    }

    /// The same events in the order of their times: a clock may have run backwards.
    private static func ordered(_ records: [UsageRecord]) -> [UsageRecord] {
        var last = Int64.min
        for record in records {
            guard record.time >= last else {
                return records.enumerated()
                    .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
                    .map(\.element)
            }
            last = record.time
        }
        return records
    }
}
