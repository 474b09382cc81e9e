import Foundation
import KeyfobFiles
import KeyfobTestSupport
import KeyfobVault
import Synchronization
import Testing

@testable import KeyfobSQLite

/// A small file system of its own, that only one thread sees.
private enum SmallDisk {
    /// Whether this process may make one.
    static let isAvailable = (try? run { _ in true }) ?? false

    /// Runs `body` with the path of an empty file system of 128 KiB, on a thread that has its own mounts.
    static func run<Result: Sendable>(_ body: @escaping @Sendable (String) throws -> Result) throws -> Result {
        let folder = try ScratchFolder()
        let path = folder.path
        return try onThread {
            // Glibc's module does not show it: CLONE_NEWNS.
            guard let symbol = unsafe dlsym(nil, "unshare") else { throw POSIXError(.ENOSYS) }
            let unshare = unsafe unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)
            guard unshare(0x2_0000) == 0 else { throw POSIXError(.EPERM) }
            // MS_REC | MS_PRIVATE: nothing that is mounted here is seen elsewhere.
            guard unsafe mount("none", "/", nil, 0x4_4000, nil) == 0,
                unsafe mount("none", path, "tmpfs", 0, "size=128k,mode=700") == 0
            else { throw POSIXError(.EPERM) }
            return try body(path)
        }
    }

    /// Makes it read-only, on the same thread.
    static func protect(_ path: String) throws {
        // MS_REMOUNT | MS_RDONLY
        guard unsafe mount("none", path, "tmpfs", 0x21, nil) == 0 else { throw POSIXError(.EPERM) }
    }

    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        let outcome = Outcome<Result>()
        let thread = Thread { outcome.finish(Swift.Result { try body() }) }
        thread.start()
        return try outcome.wait().get()
    }
}

/// What a thread has come to.
private final class Outcome<Value: Sendable>: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func finish(_ value: Result<Value, any Error>) {
        result.withLock { $0 = value }
        done.signal()
    }

    func wait() -> Result<Value, any Error> {
        done.wait()
        return result.withLock { $0 } ?? .failure(POSIXError(.ECANCELED))
    }
}

@Suite("A history on a disk that refuses", .enabled(if: SmallDisk.isAvailable, "needs root, to mount a file system"))
struct UsageDiskTests {
    @Test("on a full disk an event is not noted, says so, and the others stay")
    func full() throws {
        let keys = try UsageHome().keys
        let outcome = try SmallDisk.run { path in
            let history = UsageDatabase(directory: VaultDirectory(path: path))
            var noted: [Int64] = []
            var problem: UsageProblem?
            for time in 0..<Int64(2_000) where problem == nil {
                problem = history.append(.at(time), keys)
                if problem == nil { noted.append(time) }
            }
            let (records, readProblem) = history.events(keys)
            return (noted: noted, problem: problem, found: records.map(\.time), readProblem: readProblem)
        }
        #expect(outcome.problem == .unwritable(reason: "the disk is full"))
        #expect(outcome.noted.count > 64 && outcome.found == outcome.noted && outcome.readProblem == nil)
    }

    @Test("a history that cannot be begun on a full disk is begun when there is room")
    func fullFromTheStart() throws {
        let keys = try UsageHome().keys
        let outcome = try SmallDisk.run { path in
            try Data().write(to: URL(filePath: path + "/filling"))
            let filling = try FileHandle(forWritingTo: URL(filePath: path + "/filling"))
            for _ in 0..<40 { try? filling.write(contentsOf: Data(count: 4_096)) }
            let history = UsageDatabase(directory: VaultDirectory(path: path))
            let before = history.append(.at(1), keys)
            let read = history.events(keys)
            try filling.close()
            try FileManager.default.removeItem(atPath: path + "/filling")
            return (
                before, read.records.count, read.problem, history.append(.at(2), keys), history.events(keys).records
            )
        }
        #expect(outcome.0 == .unwritable(reason: "the disk is full"))
        #expect(outcome.1 == 0 && outcome.2 == nil && outcome.3 == nil && outcome.4 == [.at(2)])
    }

    @Test("a read-only disk is read, and says that it cannot be written")
    func readOnly() throws {
        let keys = try UsageHome().keys
        let outcome = try SmallDisk.run { path in
            let history = UsageDatabase(directory: VaultDirectory(path: path))
            for time in 0..<Int64(3) { _ = history.append(.at(time), keys) }
            try SmallDisk.protect(path)
            let read = history.events(keys)
            return (read.records.map(\.time), read.problem, history.append(.at(4), keys), history.clear(nil))
        }
        #expect(outcome.0 == [0, 1, 2] && outcome.1 == nil)
        let refused = UsageProblem.unwritable(reason: "its folder, or the file, may not be written")
        #expect(outcome.2 == refused && outcome.3 == refused)
    }

    @Test("no history is begun on a read-only disk")
    func readOnlyFromTheStart() throws {
        let keys = try UsageHome().keys
        let outcome = try SmallDisk.run { path in
            try SmallDisk.protect(path)
            let history = UsageDatabase(directory: VaultDirectory(path: path))
            return (history.events(keys).problem, history.append(.at(1), keys))
        }
        #expect(outcome.0 == nil)
        #expect(outcome.1 == .unwritable(reason: "its folder, or the file, may not be written"))
    }
}
