import Foundation
import KeyfobModel
import KeyfobRecords
import KeyfobSQLiteTestSupport
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import Keyfob

@Suite("What a group has lost")
struct RecordLossTests {
    private let home: KeyringHome
    private let ada: Account
    private let bob: Account

    init() throws {
        home = try KeyringHome()
        (ada, bob) = (try .contoso("ada"), try .contoso("bob"))
        for account in [ada, bob] {
            try home.keyring.store(.refresh(account), "refresh of \(account.username)", for: account)
            try home.keyring.store(.access(account), "token of \(account.username)", for: account)
        }
    }

    private var opener: BundleOpener { .identities(secret(home.recoveryKey)) }

    private func lose(_ kind: Int, account: Int = 0) throws {
        let rows = try home.database().numbers("SELECT id FROM records WHERE kind = \(kind) ORDER BY id")
        try home.database().run("DELETE FROM secrets WHERE id = \(rows[account])")
        try home.database().run("DELETE FROM records WHERE id = \(rows[account])")
    }

    @Test("a repair notes it in the group, where it stays through every change until the owner accepts it")
    func noted() throws {
        try lose(1)
        let found = try home.opened().health.verify().losses
        #expect(found.map(\.loss) == [RecordLoss(.missing, .account, account: ada.id)])
        #expect(found[0].text.contains("the account \(ada.id) is gone"))
        let repaired = try home.opened().health.repair()
        #expect(repaired.files == [] && repaired.losses.count == 1)
        for _ in 0..<2 {
            let keyring = try home.opened()
            let losses = try keyring.health.losses()
            #expect(losses.map(\.loss.account) == [ada.id] && losses.allSatisfy { $0.writer == .owner })
            let report = try keyring.health.verify()
            #expect(report.problems == [] && report.losses == [] && report.notedLosses == losses)
            // Nothing else ends it: no write, no other repair, no new key of the group, and no new key of the vault.
            try keyring.store(.access(bob, expires: 9_000), "newer", for: bob)
            #expect(try keyring.health.repair().losses == [])
            _ = try keyring.groups.rotate(.default)
        }
        #expect(try home.opened().health.acceptLosses().count == 1)
        #expect(try home.opened().health.losses() == [] && home.opened().health.acceptLosses() == [])
        // What is lost next is told anew.
        try lose(2)
        #expect(try home.opened().health.repair().losses.count == 1)
        #expect(try home.opened().health.losses().map(\.loss.kind) == [.accessToken])
    }

    @Test("backups name what else nobody could, and say which of them has it")
    func named() throws {
        let before = try home.opened().bundles.backUp()
        try home.keyring.store(.refresh(bob), "newer", for: bob)
        let (clock, time) = (noon.advanced(by: 60), noon.advanced(by: 60))
        let newest = try home.opened(at: clock).bundles.backUp()
        try lose(3, account: 1)
        let holdings = try home.opened().bundles.holdings(with: opener)
        let found = try #require(try home.opened().health.verify().losses.first)
        #expect(found.loss == RecordLoss(.missing, .refreshToken, account: bob.id))
        #expect(holdings.newest(with: found)?.path == newest.path && newest.path != before.path)
        let named = try home.opened(at: time).health.repair(lookingInto: opener).losses
        #expect(named.map(\.loss.account) == [bob.id] && named.map(\.loss.clientID) == ["mailer"])
        #expect(try home.opened().health.losses() == named.map { Keyring.Loss($0.loss, in: .default, by: .owner) })
    }

    @Test("what is brought back is not told any more, and the rest is; the last backup is found wherever it went")
    func broughtBack() throws {
        let path = try home.opened().bundles.backUp(to: home.folder.path + "/else.age").path
        #expect(BackupFile.newest(at: home.location)?.path == path)
        for account in [1, 0] { try lose(3, account: account) }
        _ = try home.opened().health.repair()
        func count() throws -> Int { try home.opened().health.losses().map(\.loss.count).reduce(0, +) }
        #expect(try count() == 2)
        for (account, left) in [(bob, 1), (ada, 0)] {
            _ = try home.opened().bundles.bringBack(
                accounts: [account.id.description], from: try BundleFile(path: path), with: opener)
            #expect(try count() == left)
        }
    }

    @Test("a backup that a stranger has put there names nothing")
    func stranger() throws {
        let stranger = try KeyringHome()
        try stranger.keyring.store(.refresh(bob, client: "theirs"), "theirs", for: bob)
        let recipient = try BundleKeys(home).recipient
        let theirs = try stranger.opened(at: noon.advanced(by: 999)).bundles.backUp(
            to: home.folder.path + "/theirs.age", for: [recipient])
        _ = try home.keyring.bundles.backUp()
        try FileManager.default.moveItem(
            atPath: theirs.path, toPath: home.location.vault + "/backups/keyfob-99991231T000000Z.age")
        #expect(BackupFile.newest(at: home.location)?.path.hasSuffix("99991231T000000Z.age") == true)
        let newest = BackupFile.newest(at: home.location, openedBy: opener)
        let good = try #require(newest)
        #expect(!good.path.hasSuffix("99991231T000000Z.age"))
        try lose(3, account: 1)
        let named = try home.opened().health.repair(lookingInto: opener).losses
        #expect(named.map(\.loss.clientID) == ["mailer"])
    }

    @Test("whoever writes in the folder cannot take the note away unnoticed")
    func noteTakenAway() throws {
        try lose(2)
        _ = try home.opened().health.repair()
        try lose(7)
        let report = try home.opened().health.verify()
        #expect(report.problems.contains { $0.contains("the manifest tells of") })
        #expect(report.losses.map(\.loss.kind) == [.setting])
        #expect(try home.opened().health.repair().losses.map(\.loss.kind) == [.setting])
    }

    @Test("what somebody with the key of a group notes is told as theirs, in that group, and is bounded")
    func foreignNote() throws {
        let work = try home.sharedGroup("work")
        let limited = try home.opened(keyFile: 2)
        let lines = "missing account 1 ada%40x.example - - - ..%2F..%2Fetc\n\u{1B}[2J\n"
        try limited.withState { state in
            try limited.change(&state, try state.group(work)) {
                try $0.setSetting(RecordLoss.setting, to: String(repeating: lines, count: 5_000))
            }
        }
        let losses = try home.opened().health.losses()
        #expect(losses.count == 1_000 && losses.allSatisfy { $0.group == work && $0.writer == .group })
        #expect(losses[0].text.contains("says somebody with the group's key"))
        #expect(losses[1].loss == RecordLoss(.missing, nil))
        // What the owner's repair notes is the owner's alone.
        try home.keyring.store(.access(bob), "token", for: bob, in: [work])
        try lose(2, account: 2)
        _ = try home.opened().health.repair()
        #expect(try home.opened().health.losses().map(\.writer) == [.owner])
        #expect(try limited.health.losses().count == 1 && limited.health.acceptLosses().count == 1)
        #expect(failure(of: KeyringError.self) { _ = try limited.health.repair() }?.code == .needsVaultKey)
    }

    @Test("no export tells it, a backup keeps it, and a restore of an earlier one ends it")
    func travelling() throws {
        let earlier = try home.opened().bundles.backUp()
        try lose(2)
        _ = try home.opened().health.repair()
        let later = try home.opened(at: noon.advanced(by: 5)).bundles.backUp()
        var export: [UInt8] = []
        _ = try home.opened().bundles.export(for: BundleKeys(home).seal) { export += [UInt8]($0) }
        try home.folder.write("export.age", export)
        let other = try KeyringHome()
        _ = try other.keyring.bundles.import(
            try BundleFile(path: home.folder.path + "/export.age"), with: opener, taking: .all)
        #expect(try other.keyring.health.losses() == [])
        let copy = KeyringLocation(vault: home.folder.path + "/copy", state: home.folder.path + "/copy-state")
        let restored = try Keyring.restore(
            try BundleFile(path: later.path), with: opener, at: copy, slot: .keyFile(keyFile(3)),
            clock: .standing(at: noon))
        #expect(try restored.keyring.health.losses().count == 1)
        _ = try home.opened().bundles.restore(try BundleFile(path: earlier.path), with: opener)
        #expect(try home.opened().health.losses() == [])
    }
}
