import Foundation
import KeyfobFiles
import KeyfobModel
import KeyfobStore
import KeyfobStoreTestSupport
import KeyfobTestSupport
import KeyfobVault
import Synchronization
import Testing

@testable import KeyfobSQLite

@Suite("The history of accounts")
struct UsageDatabaseTests {
    private let home: UsageHome

    init() throws {
        home = try UsageHome()
    }

    @Test("a history that is not there is empty, and reading makes none")
    func missing() throws {
        let history = home.opened()
        let (records, problem) = history.events(home.keys)
        #expect(records.isEmpty && problem == nil)
        let (count, countProblem) = history.count(home.keys)
        #expect(count == 0 && countProblem == nil)
        #expect(history.clear(home.keys) == nil && history.clear(nil) == nil)
        #expect(try !home.exists("usage.db"))
    }

    @Test("events come back as they were noted")
    func roundTrip() {
        let records: [UsageRecord] = [
            UsageRecord(time: -5, account: BlindValue(halves: (.max, .max)), place: 1, owner: 2, host: 3, tool: 4),
            .at(10), .at(11),
            UsageRecord(time: 12, account: BlindValue(halves: (0, 0)), isUnconfirmed: true),
        ]
        for record in records { #expect(home.opened().append(record, home.keys) == nil) }
        let (found, problem) = home.opened().events(home.keys)
        #expect(found == records && problem == nil)
        #expect(home.opened().count(home.keys).count == 4)
    }

    @Test("the file is its owner's alone, and no journal stays")
    func mode() throws {
        home.append([1])
        let attributes = try FileManager.default.attributesOfItem(atPath: home.directory.usage)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.folder.path) == ["usage.db"])
    }

    @Test("a history alone makes no vault of its folder, and does not keep one from being made")
    func noVault() throws {
        home.append([1])
        #expect(storeError { _ = try VaultDatabase.open(home.directory) } == .noVault(path: home.directory.path))
        try home.directory.create()
        #expect(home.times() == [1])
    }

    @Test("events are in the order of their times, and of one second in the order in which they were noted")
    func clockRunningBackwards() {
        for (index, time) in [50, 40, 60, 40, 10].enumerated() {
            #expect(
                home.opened().append(
                    UsageRecord(time: Int64(time), account: BlindValue(halves: (0, UInt64(index)))), home.keys) == nil)
        }
        let found = home.opened().events(home.keys).records
        #expect(found.map(\.time) == [10, 40, 40, 50, 60])
        #expect(found.map(\.account) == [4, 1, 3, 0, 2].map { BlindValue(halves: (0, $0)) })
    }

    @Test("the events noted last are kept, whatever their times")
    func oldestFirst() {
        home.append(stride(from: 300, to: 0, by: -1), limit: 20)
        #expect(home.times(limit: 20) == Array(1...20))
    }

    @Test("the 65 loose events before one are folded by it", arguments: [64, 65, 66, 67, 130, 131, 132])
    func folding(count: Int) throws {
        home.append(0..<Int64(count))
        #expect(home.times() == Array(0..<Int64(count)))
        let blocks = try home.blocks()
        #expect(blocks.reduce(0, +) == count)
        let loose = blocks.drop { $0 > 1 }.count
        #expect(loose == (count <= 65 ? count : (count - 66) % 65 + 1))
        #expect(blocks.count - loose == (count <= 65 ? 0 : 1))
    }

    @Test("folded events fill blocks of 512")
    func fullBlocks() throws {
        home.append(0..<1_200)
        #expect(home.times() == Array(0..<1_200))
        #expect(try home.blocks().prefix(2) == [512, 512])
        #expect(try home.blocks().allSatisfy { $0 <= 512 })
    }

    @Test("only the newest events are kept, and the file stops growing")
    func bound() throws {
        home.append(0..<1_300, limit: 600)
        #expect(home.times(limit: 600) == Array(700..<1_300))
        #expect(home.opened(limit: 600).count(home.keys).count == 600)
        #expect(try home.blocks().reduce(0, +) < 600 + 512 + 66)
        home.append(1_300..<2_600, limit: 600)
        #expect(home.times(limit: 600) == Array(2_000..<2_600))
        #expect(try home.blocks().reduce(0, +) < 600 + 512 + 66)
    }

    @Test("a group's keys read that group's events and no other's")
    func groups() {
        home.append(0..<3)
        let other = home.anotherGroup()
        #expect(home.opened().append(.at(7), other) == nil)
        #expect(home.times() == [0, 1, 2])
        let (found, problem) = home.opened().events(other)
        #expect(found.map(\.time) == [7] && problem == nil)
        #expect(home.opened().events(home.anotherGroup()).records.isEmpty)
        #expect(home.opened().count(other).count == 1)
    }

    @Test("another group's events put under a group's name do not open")
    func movedBetweenGroups() throws {
        home.append(0..<3)
        let other = home.anotherGroup()
        try home.tamper("UPDATE blocks SET group_id = ?", [.bytes(other.group.bytes)])
        let (found, problem) = home.opened().events(other)
        #expect(found.isEmpty && problem == .skipped(blocks: 3))
    }

    @Test("a group whose key was replaced begins anew without a word, and drops the old events when it folds")
    func rotation() throws {
        home.append(0..<100)
        let rotated = home.rotated()
        let (found, problem) = home.opened().events(rotated)
        #expect(found.isEmpty && problem == nil)
        let history = home.opened()
        for time in 200..<Int64(300) { #expect(history.append(.at(time), rotated) == nil) }
        #expect(history.events(rotated).records.map(\.time) == Array(200..<300))
        #expect(home.times().isEmpty)
        #expect(try home.blocks().reduce(0, +) == 100)
    }

    @Test("whoever still has the old key drops nothing that the new one sealed")
    func staleKeys() {
        let rotated = home.rotated()
        for time in 0..<Int64(5) { #expect(home.opened().append(.at(time), rotated) == nil) }
        home.append(100..<300)
        #expect(home.opened().events(rotated).records.map(\.time) == Array(0..<5))
        #expect(home.times() == Array(100..<300))
    }

    @Test("clearing forgets one group, or everybody")
    func clearing() throws {
        let other = home.anotherGroup()
        home.append(0..<100)
        #expect(home.opened().append(.at(7), other) == nil)
        #expect(home.opened().clear(home.keys) == nil)
        #expect(home.times().isEmpty)
        #expect(home.opened().events(other).records.map(\.time) == [7])
        home.append([5])
        try home.folder.write("usage.db.damaged", [1])
        #expect(home.opened().clear(nil) == nil)
        #expect(home.times().isEmpty && home.opened().events(other).records.isEmpty)
        #expect(try !home.exists("usage.db.damaged"))
        home.append([6])
        #expect(home.times() == [6])
    }

    @Test("neither tags nor times can be read in the file")
    func sealed() throws {
        let record = UsageRecord(
            time: 0x1122_3344_5566_7788, account: BlindValue(halves: (0x7172_7374_7576_7778, 0x7982_8384_8586_8788)),
            place: 0x4142_4344_4546_4748,
            owner: 0x6162_6364_6566_6768, host: 0x3132_3334_3536_3738, tool: 0x5152_5354_5556_5758)
        for _ in 0..<100 { #expect(home.opened().append(record, home.keys) == nil) }
        let file = Data(try home.folder.read("usage.db"))
        let numbers = [
            UInt64(record.time), record.account.halves.0, record.account.halves.1, record.place, record.owner,
            record.host,
            record.tool,
        ]
        for number in numbers {
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            #expect(!file.holds(Data(bytes)) && !file.holds(Data(bytes.reversed())))
        }
        #expect(home.opened().events(home.keys).records == Array(repeating: record, count: 100))
    }

    @Test("of several that make the history at once none takes it for damaged")
    func making() throws {
        for _ in 0..<TestLength.rounds(60, full: 2_000) {
            let home = try UsageHome()
            let problems = Mutex<[UsageProblem]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { worker in
                let problem = home.opened().append(.at(Int64(worker)), home.keys)
                if let problem, problem != .busy { problems.withLock { $0.append(problem) } }
            }
            #expect(problems.withLock { $0 } == [])
        }
    }

    @Test("of events noted at once by many none is lost but those that are reported")
    func concurrency() {
        let noted = Mutex<Set<Int64>>([])
        let others = Mutex<[UsageProblem]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            let history = home.opened()
            for index in 0..<60 {
                let time = Int64(worker * 1_000 + index)
                switch history.append(.at(time), home.keys) {
                case nil: noted.withLock { _ = $0.insert(time) }
                case .busy: break
                case let problem?: others.withLock { $0.append(problem) }
                }
                if index % 10 == 0 { _ = history.events(home.keys) }
            }
        }
        #expect(others.withLock { $0 } == [])
        #expect(noted.withLock { $0.count } > 60)
        #expect(home.times() == noted.withLock { $0.sorted() })
    }
}
