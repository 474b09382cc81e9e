import Foundation
import KeyfobFiles
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import KeyfobSQLite

@Suite("A history that is damaged or cannot be trusted")
struct UsageDamageTests {
    private let home: UsageHome

    init() throws {
        home = try UsageHome()
    }

    /// Whether every event was really noted, and none twice.
    private func isGenuine(_ records: [UsageRecord], among times: Range<Int64>) -> Bool {
        Set(records).count == records.count && records.allSatisfy { times.contains($0.time) && $0 == .at($0.time) }
    }

    /// Where bytes of a file mean something: everything but the inside of what is all zeros.
    private func offsetsInUse(_ file: [UInt8]) -> [Int] {
        file.indices.filter { offset in
            file[max(0, offset - 4)...min(file.count - 1, offset + 4)].contains { $0 != 0 }
        }
    }

    @Test(
        "no flipped byte crashes it or makes an event that was not noted",
        arguments: zip([0x01, 0xFF, 0xFF] as [UInt8], [2, 2, 66] as [Int64]))
    func flippedBytes(mask: UInt8, count: Int64) throws {
        home.append(0..<count)
        let file = try home.folder.read("usage.db")
        var (whole, told) = (0, 0)
        let offsets = offsetsInUse(file)
        // Of the larger file, in which most bytes are one block's, every fifth is enough.
        for offset in count > 64 ? offsets.filter({ $0 % 5 == 0 }) : offsets {
            var copy = file
            copy[offset] ^= mask
            try home.folder.write("usage.db", copy)
            let history = home.opened()
            let (records, problem) = history.events(home.keys)
            #expect(isGenuine(records, among: 0..<count), "\(offset)")
            if records.count == count { whole += 1 }
            if problem != nil { told += 1 }
            _ = history.append(.at(count), home.keys)
            #expect(isGenuine(history.events(home.keys).records, among: 0..<count + 1), "\(offset)")
        }
        #expect(whole > 0 && told > 100)
    }

    @Test("a truncated file is damaged, wherever it ends, and the next event begins a new one")
    func truncations() throws {
        home.append(0..<70)
        let file = try home.folder.read("usage.db")
        for count in Array(stride(from: 97, to: file.count, by: 97)) + stride(from: 4_096, to: file.count, by: 4_096) {
            try home.folder.write("usage.db", Array(file[..<count]))
            let (records, problem) = home.opened().events(home.keys)
            #expect(records.isEmpty && problem == .damaged(isMovedAside: true), "\(count)")
            #expect(home.opened().append(.at(70), home.keys) == nil, "\(count)")
            #expect(home.times() == [70], "\(count)")
        }
    }

    @Test("an empty file is one that was made and not filled")
    func emptyFile() throws {
        try home.folder.write("usage.db", [])
        let (records, problem) = home.opened().events(home.keys)
        #expect(records.isEmpty && problem == nil)
        home.append([1])
        #expect(home.times() == [1])
    }

    @Test("a damaged file is moved aside, and a new one begins", arguments: [1, 600, 100_000])
    func movedAside(count: Int) throws {
        for number in [UInt8(1), 2] {
            let noise = [UInt8](repeating: number, count: count)
            try home.folder.write("usage.db", noise)
            try home.folder.write("usage.db-journal", noise)
            let (records, problem) = home.opened().events(home.keys)
            #expect(records.isEmpty && problem == .damaged(isMovedAside: true))
            #expect(try home.folder.read("usage.db.damaged") == noise)
            #expect(try !home.exists("usage.db") && !home.exists("usage.db-journal"))
            home.append([3, 4])
            #expect(home.times() == [3, 4])
        }
    }

    @Test("noting an event in a damaged file moves it aside as well")
    func appendingToDamage() throws {
        try home.folder.write("usage.db", [UInt8](repeating: 9, count: 9_000))
        #expect(home.opened().append(.at(1), home.keys) == .damaged(isMovedAside: true))
        #expect(home.opened().append(.at(2), home.keys) == nil)
        #expect(home.times() == [2])
    }

    @Test("clearing everything takes a damaged file with it")
    func clearingDamage() throws {
        try home.folder.write("usage.db", [UInt8](repeating: 9, count: 9_000))
        #expect(home.opened().clear(nil) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.folder.path).isEmpty)
    }

    @Test(
        "another program's database, or one without its table, is moved aside",
        arguments: ["PRAGMA application_id = 7", "DROP TABLE blocks", "PRAGMA user_version = 0"])
    func otherContent(sql: String) throws {
        home.append(0..<3)
        try home.tamper(sql)
        #expect(home.opened().events(home.keys).problem == .damaged(isMovedAside: true))
        #expect(home.opened().events(home.keys).problem == nil)
    }

    @Test("a block that does not open is left out, told once, and dropped by the next event")
    func damagedBlock() throws {
        home.append(0..<1_200)
        try home.tamper(
            "UPDATE blocks SET sealed = zeroblob(length(sealed)) WHERE id IN (SELECT id FROM blocks ORDER BY first LIMIT 1)"
        )
        let left = Array(Int64(512)..<1_200)
        let history = home.opened()
        #expect(history.events(home.keys).problem == .skipped(blocks: 1))
        let (records, problem) = history.events(home.keys)
        #expect(records.map(\.time) == left && problem == nil)
        #expect(history.append(.at(2_000), home.keys) == nil)
        let (after, afterProblem) = home.opened().events(home.keys)
        #expect(after.map(\.time) == left + [2_000] && afterProblem == nil)
    }

    @Test(
        "a block with wrong columns is left out, and new events find their place",
        arguments: [
            "first = 9007199254740992", "first = 9007199254740991", "first = 9007199254740990", "first = -1",
            "first = 9223372036854775807",
            "events = 0", "events = 513", "events = 9223372036854775807", "events = -1", "sealed = x''",
            "sealed = zeroblob(1000000)", "first = 3",
        ])
    func damagedColumns(change: String) throws {
        home.append(0..<10)
        try home.tamper("UPDATE blocks SET \(change) WHERE first = 9")
        let history = home.opened()
        let (records, problem) = history.events(home.keys)
        #expect(records.map(\.time) == Array(0..<9) && problem == .skipped(blocks: 1))
        #expect((0...10_000).contains(history.count(home.keys).count))
        #expect(home.opened().append(.at(20), home.keys) == nil)
        #expect(home.times() == Array(0..<9) + [20])
        #expect(history.append(.at(21), home.keys) == nil)
        let (after, afterProblem) = home.opened().events(home.keys)
        #expect(after.map(\.time) == Array(0..<9) + [20, 21] && afterProblem == nil)
    }

    @Test("a repeated block counts once")
    func replay() throws {
        home.append(0..<600)
        try home.tamper(
            "INSERT INTO blocks (group_id, epoch, first, events, sealed) SELECT group_id, epoch, first, events, sealed FROM blocks"
        )
        #expect(home.times() == Array(0..<600))
        try home.tamper(
            "INSERT INTO blocks (group_id, epoch, first, events, sealed) SELECT group_id, epoch, first + 5000, events, sealed FROM blocks"
        )
        #expect(home.times() == Array(0..<600))
    }

    @Test("a newer version is left alone")
    func newer() throws {
        home.append(0..<3)
        try home.tamper("PRAGMA user_version = 2")
        let file = try home.folder.read("usage.db")
        let (records, problem) = home.opened().events(home.keys)
        #expect(records.isEmpty && problem == .newerVersion(found: 2))
        #expect(home.opened().append(.at(4), home.keys) == .newerVersion(found: 2))
        #expect(home.opened().clear(nil) == .newerVersion(found: 2))
        #expect(try home.folder.read("usage.db") == file)
    }

    @Test("a file that somebody switched to WAL is switched back")
    func writeAheadLog() throws {
        home.append(0..<3)
        try home.tamper("PRAGMA journal_mode = WAL")
        home.append([3])
        #expect(home.times() == [0, 1, 2, 3])
        #expect(try home.folder.read("usage.db")[18..<20] == [1, 1])
    }

    @Test("a file open to others is refused and left alone", arguments: [0o644, 0o660, 0o602])
    func modes(mode: Int) throws {
        home.append([1])
        try home.folder.setMode("usage.db", mode)
        guard case .unsafeFile(let reason) = home.opened().events(home.keys).problem else {
            return #expect(Bool(false), "it was read")
        }
        #expect(reason.contains("mode"))
        guard case .unsafeFile = home.opened().append(.at(2), home.keys) else {
            return #expect(Bool(false), "it was written")
        }
        #expect(try home.exists("usage.db"))
    }

    @Test("another user's file is refused", .enabled(if: geteuid() == 0, "only root can give files away"))
    func owner() throws {
        home.append([1])
        try FileManager.default.setAttributes([.ownerAccountID: 12_345], ofItemAtPath: home.directory.usage)
        #expect(home.opened().events(home.keys).problem?.description.contains("another user") == true)
        #expect(home.opened().clear(home.keys)?.description.contains("another user") == true)
    }

    @Test("a symbolic link, a second name and a folder are refused, and what they lead to is not touched")
    func otherKinds() throws {
        home.append([1])
        let target = home.folder.path + "/target"
        try FileManager.default.moveItem(atPath: home.directory.usage, toPath: target)
        let file = try home.folder.read("target")
        func expectRefusal(_ word: String) {
            for problem in [home.opened().events(home.keys).problem, home.opened().append(.at(2), home.keys)] {
                #expect(problem?.description.contains(word) == true)
            }
        }
        try FileManager.default.createSymbolicLink(atPath: home.directory.usage, withDestinationPath: target)
        expectRefusal("symbolic link")
        try FileManager.default.removeItem(atPath: home.directory.usage)
        try FileManager.default.linkItem(atPath: target, toPath: home.directory.usage)
        expectRefusal("hard link")
        try FileManager.default.removeItem(atPath: home.directory.usage)
        try FileManager.default.createDirectory(atPath: home.directory.usage, withIntermediateDirectories: false)
        expectRefusal("not a regular file")
        #expect(try home.folder.read("target") == file)
    }

    @Test("a link that leads nowhere is not followed to make a file")
    func danglingLink() throws {
        let target = home.folder.path + "/target"
        try FileManager.default.createSymbolicLink(atPath: home.directory.usage, withDestinationPath: target)
        guard case .unsafeFile = home.opened().append(.at(2), home.keys) else {
            return #expect(Bool(false), "it was followed")
        }
        #expect(try !home.exists("target"))
    }

    @Test("no history is begun in a folder that is open to others")
    func openFolder() throws {
        try home.folder.setMode("", 0o755)
        guard case .unsafeFile = home.opened().append(.at(2), home.keys) else {
            return #expect(Bool(false), "it was made")
        }
        #expect(try !home.exists("usage.db"))
    }

    @Test("a missing folder is told when an event is to be noted, and is not made")
    func missingFolder() throws {
        let nowhere = UsageDatabase(directory: VaultDirectory(path: home.folder.path + "/nowhere"))
        #expect(nowhere.events(home.keys).problem == nil)
        guard case .unwritable = nowhere.append(.at(1), home.keys) else { return #expect(Bool(false), "it was noted") }
        #expect(try !home.exists("nowhere"))
    }

    @Test("a file that another process holds is busy, and nothing is lost")
    func busy() throws {
        home.append(0..<3)
        let database = try RawDatabase(path: home.directory.usage)
        try database.run("BEGIN EXCLUSIVE")
        let (records, problem) = home.opened().events(home.keys)
        #expect(records.isEmpty && problem == .busy)
        #expect(home.opened().append(.at(3), home.keys) == .busy)
        #expect(home.opened().clear(nil) == .busy)
        try database.run("ROLLBACK")
        #expect(home.times() == [0, 1, 2])
    }

    @Test("what a killed writer left is rolled back")
    func hotJournal() throws {
        home.append(0..<3)
        let database = try RawDatabase(path: home.directory.usage)
        try database.run("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE; DELETE FROM blocks")
        for _ in 0..<20 {
            try database.run(
                """
                INSERT INTO blocks (group_id, epoch, first, events, sealed)
                VALUES (x'00', 1, 1, 1, zeroblob(9000))
                """)
        }
        let (file, journal) = (try home.folder.read("usage.db"), try home.folder.read("usage.db-journal"))
        try database.run("ROLLBACK")
        database.close()
        try home.folder.write("usage.db", file)
        try home.folder.write("usage.db-journal", journal)
        #expect(home.times() == [0, 1, 2])
        #expect(try !home.exists("usage.db-journal"))
    }

    @Test(
        "every problem is one line",
        arguments: [
            UsageProblem.damaged(isMovedAside: true), .damaged(isMovedAside: false), .skipped(blocks: 1),
            .skipped(blocks: 2), .unwritable(reason: "x"), .unreadable(reason: "x"), .busy, .newerVersion(found: 2),
            .unsafeFile(reason: "x"),
        ])
    func descriptions(problem: UsageProblem) {
        #expect(!problem.description.contains("\n") && problem.description.contains("history of accounts"))
    }
}
