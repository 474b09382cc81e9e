import Foundation
@testable import Keyfob
import KeyfobLookup
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("Bringing back what was removed", .eachStorageInFullRun)
struct BringingBackTests {
    private let home: KeyringHome
    private let ada: Account
    private let bob: Account
    private let work: AccessGroup
    private let path: String

    /// A vault with a backup in which ada is signed in and bound to, and bob is in another group.
    init() throws {
        home = try KeyringHome()
        (ada, bob) = (try .contoso("ada", label: "boss"), try .contoso("bob"))
        work = try AccessGroup("work")
        try home.keyring.groups.create(work)
        try home.keyring.store(.refresh(ada), "ada's", for: ada)
        try home.keyring.store(.refresh(bob), "bob's", for: bob, in: [work])
        try home.keyring.accounts.setDefault(ada.id, in: .default)
        try home.keyring.bindings.set(.tool("gh"), to: .account(ada.id), in: .default)
        path = home.folder.path + "/kept.age"
        _ = try home.keyring.bundles.backUp(to: path)
    }

    private func file() throws -> BundleFile { try BundleFile(path: path) }
    private var opener: BundleOpener { .identities(secret(home.recoveryKey)) }

    private func token(of account: Account, in group: AccessGroup) throws -> Credential? {
        try home.keyring.accounts.credentials(of: account.id, in: group).first { $0.kind == .refreshToken }
    }

    @Test(
        "an account that was removed comes back after its removal, with its tokens and its bindings, and nothing else changes"
    )
    func account() throws {
        _ = try home.keyring.accounts.removeForGood(ada.id, from: .default, unbinds: true)
        let later = try home.opened(at: noon.advanced(by: 60))
        try later.accounts.setLabel("new", of: bob.id, in: work)
        let state = try home.state()
        let planned = try later.bundles.bringBack(accounts: ["boss"], from: file(), with: opener, isDryRun: true)
        #expect(try home.state() == state)
        let plan = try later.bundles.bringBack(accounts: ["boss"], from: file(), with: opener)
        #expect(plan == planned && plan.counts == ["added": 4])
        let accounts = try home.keyring.accounts.list()
        #expect(Set(accounts.map(\.account.label)) == ["boss", "new"])
        #expect(accounts.first { $0.account.id == ada.id }?.isOwnersDefault == true)
        #expect(try token(of: ada, in: .default)?.grant?.epoch == 2)
        #expect(try home.keyring.bindings.list().contains { $0.subject == .tool("gh") && $0.writer == .owner })
        #expect(try home.keyring.bundles.restoredGrants().map(\.account) == [ada.id])
        #expect(try home.keyring.health.verify().problems == [] && home.keyring.health.orphans().isEmpty)
        // Once more there is nothing to do.
        let again = try later.bundles.bringBack(accounts: ["boss"], from: file(), with: opener)
        #expect(again.isEmpty && again.counts == ["kept": 4])
    }

    @Test("a copy elsewhere that knows of the removal takes the account that came back")
    func merged() throws {
        let (keys, other) = (BundleKeys(), try KeyringHome())
        func send() throws -> ImportPlan {
            try other.keyring.bundles.import(
                try other.folder.bundle(home.keyring.bundle(for: keys.seal)), with: keys.opener)
        }
        _ = try send()
        _ = try home.opened(at: noon.advanced(by: 60)).accounts.removeForGood(ada.id, from: .default)
        _ = try send()
        #expect(try other.keyring.accounts.list().map(\.account.id) == [bob.id])
        _ = try home.opened(at: noon.advanced(by: 120)).bundles.bringBack(accounts: ["ada"], from: file(), with: opener)
        _ = try send()
        #expect(try Set(other.keyring.accounts.list().map(\.account.id)) == [ada.id, bob.id])
        #expect(try other.keyring.health.verify().problems == [] && other.keyring.health.orphans().isEmpty)
    }

    @Test("what is here stays: a token that is newer, an account that was signed out, a label that was changed")
    func kept() throws {
        let later = try home.opened(at: noon.advanced(by: 60))
        try later.store(.refresh(bob), "newer", for: bob, in: [work])
        try later.accounts.setLabel("chief", of: ada.id, in: .default)
        let plan = try later.bundles.bringBack(from: file(), with: opener)
        #expect(plan.isEmpty)
        #expect(try home.keyring.accounts.list().first { $0.account.id == ada.id }?.account.label == "chief")
        #expect(try home.keyring.bundles.restoredGrants().isEmpty)
    }

    @Test("a group that was removed comes back with a new key")
    func group() throws {
        _ = try home.keyring.groups.remove(work)
        let plan = try home.keyring.bundles.bringBack(groups: [work], from: file(), with: opener)
        #expect(plan.newGroups == [work])
        #expect(try token(of: bob, in: work) != nil)
        #expect(try home.keyring.accounts.list().count == 2)
        #expect(try home.keyring.health.verify().problems == [])
    }

    @Test("a name that the backup does not have, or has twice, brings nothing back")
    func names() throws {
        let state = try home.state()
        for (name, code) in [("eve", KeyringError.Code.noSuchAccount), ("", .noSuchAccount), ("b", .ambiguous)] {
            let error = failure(of: KeyringError.self) {
                _ = try home.keyring.bundles.bringBack(accounts: [name], from: file(), with: opener)
            }
            #expect(error?.code == code, "\(name)")
        }
        let error = failure(of: KeyringError.self) {
            _ = try home.keyring.bundles.bringBack(groups: [try AccessGroup("other")], from: file(), with: opener)
        }
        #expect(error?.code == .noSuchGroup)
        #expect(try home.state() == state)
    }

    @Test("a stranger's backup brings nothing back, or nothing that decides", .embeddedAlone)
    func stranger() throws {
        let text = try BundleKeys(home).opened([UInt8](Data(contentsOf: URL(filePath: path))))
        let forged = text.replacing(/"mac":"[0-9a-f]{64}"/, with: "\"mac\":\"\(String(repeating: "0", count: 64))\"")
        let bundle = try home.folder.bundle(try BundleKeys(home).sealed(forged))
        _ = try home.keyring.accounts.removeForGood(ada.id, from: .default, unbinds: true)
        #expect(throws: KeyringError(.unknownVault, "")) {
            try home.keyring.bundles.bringBack(accounts: ["ada"], from: bundle, with: opener)
        }
        let plan = try home.keyring.bundles.bringBack(
            accounts: ["ada"], from: bundle, with: opener, takingStrangers: true)
        #expect(plan.counts == ["added": 2, "refused": 2] && plan.leftOutDecisions.count == 2)
    }

    @Test("a bundle's accounts that were removed here come back when that is asked for")
    func importing() throws {
        let keys = BundleKeys()
        let bundle = try home.keyring.bundle(for: keys.seal)
        _ = try home.keyring.accounts.removeForGood(ada.id, from: .default)
        let kept = try home.keyring.bundles.import(try home.folder.bundle(bundle), with: keys.opener)
        #expect(kept.lines.contains { $0.reason == "deletedHere" } && kept.isEmpty)
        let plan = try home.keyring.bundles.bringBackRemoved(from: try home.folder.bundle(bundle), with: keys.opener)
        #expect(plan.lines.filter { $0.outcome == "added" }.map(\.kind) == ["account", "grant"])
        #expect(try home.keyring.accounts.list().count == 2)
        #expect(try home.keyring.bundles.restoredGrants().isEmpty)
    }

    @Test("a backup is made before a removal; where none can be, a warning or an error tells", .embeddedAlone)
    func beforehand() throws {
        let report = try #require(try home.keyring.bundles.backUpBeforeRemoval())
        #expect(try BackupFile.all(at: home.location).first?.claim?.reason == .beforeRemoval)
        #expect(try home.keyring.bundles.backups() == [report.path])
        _ = try home.keyring.slots.grant(.default, to: .keyFile(keyFile(9)))
        let group = try home.opened(keyFile: 9)
        #expect(try group.bundles.backUpBeforeRemoval() == nil && group.takeWarnings().map(\.code) == [.noBackup])
        let recipient = try #require(try home.keyring.slots.list().first { $0.kind == "recipient" })
        try home.keyring.slots.remove(recipient.id)
        let error = #expect(throws: KeyringError.self) { try home.keyring.bundles.backUpBeforeRemoval() }
        #expect(error?.code == .configuration && error?.advice == .goOnWithoutBackup)
    }
}
