import Foundation
import KeyfobFiles
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import KeyfobSQLite

@Suite("A history on a disk that refuses", .enabled(if: SmallDisk.isAvailable, Comment(rawValue: SmallDisk.whyNot)))
struct UsageDiskTests {
    @Test("on a full disk an event is not noted, says so, and the others stay")
    func full() throws {
        let keys = try UsageHome().keys
        let outcome = try SmallDisk.run(kibibytes: 128) { path in
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
        let outcome = try SmallDisk.run(kibibytes: 128) { path in
            try Data().write(to: URL(filePath: path + "/filling"))
            let filling = try FileHandle(forWritingTo: URL(filePath: path + "/filling"))
            for _ in 0..<40 { try? filling.write(contentsOf: Data(count: 4_096)) }
            let history = UsageDatabase(directory: VaultDirectory(path: path))
            let before = history.append(.at(1), keys)
            let read = history.events(keys)
            // Room is there at once, also where a process that is being made by another test has the file open still.
            try filling.truncate(atOffset: 0)
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
        let outcome = try SmallDisk.run(kibibytes: 128) { path in
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
        let outcome = try SmallDisk.run(kibibytes: 128) { path in
            try SmallDisk.protect(path)
            let history = UsageDatabase(directory: VaultDirectory(path: path))
            return (history.events(keys).problem, history.append(.at(1), keys))
        }
        #expect(outcome.0 == nil)
        #expect(outcome.1 == .unwritable(reason: "its folder, or the file, may not be written"))
    }
}
