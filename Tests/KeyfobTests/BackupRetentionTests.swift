import Foundation
@testable import Keyfob
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

@Suite("Which backups are kept")
struct BackupRetentionTests {
    private let home: KeyringHome

    init() throws {
        home = try KeyringHome()
        try home.fill()
    }

    private func keyring(day: Int64, minute: Int64 = 0) throws -> Keyring {
        try home.opened(at: noon.advanced(by: day * 86_400 + minute * 60))
    }

    private func days(_ folder: String? = nil) throws -> [Int64] {
        try (folder.map(BackupFile.all(in:)) ?? BackupFile.all(at: home.location)).map {
            ($0.time.seconds - noon.seconds) / 86_400
        }
    }

    private func damage() throws {
        let row = try #require(try home.database().numbers("SELECT id FROM secrets ORDER BY id").first)
        try home.database().run("UPDATE secrets SET bytes = zeroblob(700) WHERE id = \(row)")
    }

    @Test("a burst pushes out neither yesterday's nor what was there before it")
    func burst() throws {
        for day in 0..<2 as Range<Int64> { _ = try keyring(day: day).bundles.backUp() }
        for minute in 1...20 as ClosedRange<Int64> { _ = try keyring(day: 2, minute: minute).bundles.backUp() }
        #expect(try days() == [2, 2, 2, 2, 2, 2, 1, 0])
        let first = try #require(
            BackupFile.all(at: home.location).last { $0.time.seconds >= noon.seconds + 2 * 86_400 })
        #expect(first.time == noon.advanced(by: 2 * 86_400 + 60))
    }

    @Test("of many days seven are kept, and of weeks four")
    func weeks() throws {
        for day in 0..<60 as Range<Int64> { _ = try keyring(day: day).bundles.backUp() }
        // Day 0 is a Tuesday, so that weeks begin on days 6, 13, 20, …
        #expect(try days() == [59, 58, 57, 56, 55, 54, 53, 48, 41, 34].filter { $0 < 60 })
    }

    @Test("incomplete ones push nothing out, and are pushed out by complete ones alone")
    func incomplete() throws {
        for day in 0..<5 as Range<Int64> { _ = try keyring(day: day).bundles.backUp() }
        let good = home.folder.path + "/good"
        try FileManager.default.createDirectory(atPath: good, withIntermediateDirectories: true)
        let rows = try home.database().numbers("SELECT id FROM secrets ORDER BY id")
        #expect(!rows.isEmpty)
        try FileManager.default.copyItem(
            atPath: home.location.vault + "/keyring.db", toPath: good + "/keyring.db")
        try damage()
        for minute in 1...9 as ClosedRange<Int64> { _ = try keyring(day: 5, minute: minute).bundles.backUp() }
        #expect(try days() == [5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 3, 2, 1, 0])
        try FileManager.default.removeItem(atPath: home.location.vault + "/keyring.db")
        try FileManager.default.copyItem(
            atPath: good + "/keyring.db", toPath: home.location.vault + "/keyring.db")
        _ = try keyring(day: 6).bundles.backUp()
        #expect(try days() == [6, 5, 5, 4, 3, 2, 1, 0])
    }

    @Test("in a folder as many as asked for stay, and what others claim neither counts nor goes")
    func keeping() throws {
        let folder = home.folder.path + "/stick"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let other = try KeyringHome()
        let others = try other.opened(at: noon.advanced(by: 86_400 * 50)).bundles.backUp(to: folder).path
        try home.folder.write("stick/keyfob-20991231T235959Z.age", [1])
        _ = try keyring(day: 0).bundles.backUp(to: folder + "/mine.age")
        for day in 0..<4 as Range<Int64> { _ = try keyring(day: day).bundles.backUp(to: folder) }
        #expect(try days(folder).count == 7)
        let report = try keyring(day: 4).bundles.backUp(to: folder, keeping: 2)
        #expect(report.removed.count == 3)
        let names = try BackupFile.all(in: folder).map(\.path)
        #expect(names.count == 5 && names.contains(others) && names.contains(folder + "/mine.age"))
        #expect(failure(of: KeyringError.self) { _ = try keyring(day: 5).bundles.backUp(keeping: 2) }?.code == .usage)
        #expect(
            failure(of: KeyringError.self) {
                _ = try keyring(day: 5).bundles.backUp(to: folder + "/x.age", keeping: 2)
            }?.code
                == .usage)
    }

    @Test("nothing has changed until a record, a name or a key has")
    func current() throws {
        func current(_ keyring: Keyring) throws -> Bool { try keyring.bundles.currentBackup() != nil }
        #expect(try !current(home.keyring))
        let ada = try #require(try home.keyring.accounts.list().first?.account)
        _ = try keyring(day: 0).bundles.backUp()
        #expect(try current(home.keyring))
        for change: (Keyring) throws -> Void in [
            { try $0.accounts.setLabel("other", of: ada.id, in: .default) },
            { try $0.groups.create(AccessGroup("new")) },
            { try $0.groups.rename(AccessGroup("new"), to: AccessGroup("newer")) },
            { _ = try $0.groups.rotate(.default) },
        ] {
            try change(try keyring(day: 1))
            #expect(try !current(home.keyring))
            _ = try keyring(day: 2).bundles.backUp()
            #expect(try current(home.keyring))
        }
        // What does not open any more is in the one before.
        try damage()
        #expect(try keyring(day: 3).bundles.backUp().isIncomplete)
        #expect(try keyring(day: 3).bundles.currentBackup()?.time == noon.advanced(by: 2 * 86_400))
    }

    @Test("where the last complete one was made is remembered, wherever it went")
    func last() throws {
        let path = home.folder.path + "/there.age"
        func last() -> (time: Timestamp, path: String)? {
            Keyring.Bundles.lastBackup(of: home.keyring.vaultID, at: home.location)
        }
        #expect(last() == nil)
        _ = try keyring(day: 1).bundles.backUp(to: path)
        #expect(last()?.time == noon.advanced(by: 86_400) && last()?.path.hasSuffix("/there.age") == true)
        _ = try keyring(day: 2).bundles.backUp()
        // What is seen to be current counts as of then.
        #expect(try keyring(day: 5).bundles.currentBackup() != nil)
        #expect(last()?.time == noon.advanced(by: 5 * 86_400))
        try damage()
        _ = try keyring(day: 6).bundles.backUp(to: home.folder.path + "/broken.age")
        #expect(last()?.time == noon.advanced(by: 5 * 86_400))
        try home.folder.write("state/\(home.keyring.vaultID).backup", Array("x".utf8))
        #expect(last() == nil)
    }
}
