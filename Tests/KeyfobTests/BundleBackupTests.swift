import Foundation
import Keyfob
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

@Suite("Backups", .eachStorageInFullRun)
struct BundleBackupTests {
    private func opener(_ home: KeyringHome) -> BundleOpener { .identities(secret(home.recoveryKey)) }

    @Test("a backup opens with the recovery key and holds no access token")
    func recoveryKey() throws {
        let home = try KeyringHome()
        try home.fill()
        let report = try home.keyring.bundles.backUp()
        #expect(report.path == home.location.vault + "/backups/keyfob-20231114T221320Z.age")
        #expect(report.skipped == [] && !report.isIncomplete)
        let summary = try Keyring.Bundles.verifyBackup(try BundleFile(path: report.path), with: opener(home))
        #expect(summary == report.summary)
        #expect(summary.purpose == "backup")
        #expect(summary.vault == home.keyring.vaultID)
        #expect(summary.counts["account"] == 2)
        let mode = try FileManager.default.attributesOfItem(atPath: report.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let wrong = failure(of: KeyringError.self) {
            _ = try Keyring.Bundles.verifyBackup(try BundleFile(path: report.path), with: BundleKeys().opener)
        }
        #expect(wrong?.code == .wrongKey)
    }

    @Test("it says how many tokens it leaves out that nothing renews, and keeps one that does not expire")
    func unrenewed() throws {
        let home = try KeyringHome()
        let (ada, bob) = (try Account.contoso("ada"), try Account.contoso("bob"))
        try home.keyring.store(.refresh(ada), "refresh", for: ada)
        var access = Credential.access(ada)
        access.expiresOn = noon.advanced(by: 3_600)
        try home.keyring.store(access, "renewed", for: ada)
        #expect(try home.keyring.bundles.backUp().skipped == [])
        access = .access(bob)
        access.expiresOn = noon.advanced(by: 3_600)
        try home.keyring.store(access, "not renewed", for: bob)
        let report = try home.keyring.bundles.backUp()
        #expect(report.skipped == ["group default: 1 access token that expires, and that no refresh token renews"])
        #expect(!report.isIncomplete)
        access.expiresOn = nil
        try home.keyring.store(access, "lasting", for: bob)
        #expect(try home.keyring.bundles.backUp().skipped == [])
    }

    @Test("the first of the day and the newest five are kept, and other files stay")
    func rotation() throws {
        let home = try KeyringHome()
        let first = try home.keyring.bundles.backUp().path
        try home.folder.write("vault/backups/mine.age", [1])
        try home.folder.write("vault/backups/keyfob-20231114T221320Z_x.age", [1])
        var paths: [String] = []
        for minute in 1...4 {
            paths.append(try home.opened(at: noon.advanced(by: Int64(minute) * 60)).bundles.backUp().path)
        }
        for _ in 0..<2 { paths.append(try home.opened(at: noon.advanced(by: 600)).bundles.backUp().path) }
        #expect(paths.last?.hasSuffix("Z_2.age") == true)
        #expect(try home.keyring.bundles.backups() == paths.suffix(5).reversed() + [first])
        let files = try FileManager.default.contentsOfDirectory(atPath: home.location.vault + "/backups")
        #expect(files.count == 8)
    }

    @Test("the newest of one second is kept, however many there are")
    func sameSecond() throws {
        let home = try KeyringHome()
        for _ in 0..<12 {
            let path = try home.keyring.bundles.backUp().path
            #expect(try home.keyring.bundles.backups().first == path)
        }
        #expect(try home.keyring.bundles.backups().count == 6)
    }

    @Test("a restore that fails leaves every backup, and one that works keeps the one it restores")
    func restoring() throws {
        let (home, keys) = (try KeyringHome(), BundleKeys())
        try home.fill()
        var paths: [String] = []
        for _ in 0..<5 { paths.append(try home.keyring.bundles.backUp(for: [keys.recipient]).path) }
        #expect(throws: KeyringError(.wrongKey, "")) {
            try home.keyring.bundles.restore(BundleFile(path: paths[0]), with: BundleKeys().opener)
        }
        #expect(try Set(home.keyring.bundles.backups()) == Set(paths))
        _ = try home.keyring.bundles.restore(BundleFile(path: paths[0]), with: keys.opener)
        #expect(try home.keyring.bundles.backups().contains(paths[0]))
    }

    @Test("one is made before a group gets a new key", .embeddedAlone)
    func beforeRotation() throws {
        let home = try KeyringHome()
        try home.fill()
        _ = try home.keyring.groups.rotate(.default)
        let slot = try home.keyring.slots.grant(AccessGroup("work"), to: .keyFile(keyFile(9)))
        _ = try home.keyring.slots.revoke(slot, of: AccessGroup("work"))
        #expect(try home.keyring.bundles.backups().count == 2)
        #expect(home.keyring.takeWarnings() == [])
    }

    @Test("without a recovery key a new key comes with a warning, and a replacement does not come", .embeddedAlone)
    func noRecoveryKey() throws {
        let (home, keys) = (try KeyringHome(), BundleKeys())
        let recipient = try #require(try home.keyring.slots.list().first { $0.kind == "recipient" })
        try home.keyring.slots.remove(recipient.id)
        _ = try home.keyring.groups.rotate(.default)
        #expect(home.keyring.takeWarnings().count == 1)
        #expect(try home.keyring.bundles.backups() == [])
        #expect(throws: KeyringError(.configuration, "")) { try home.keyring.bundles.backUp() }
        let bundle = try home.keyring.bundle(for: keys.seal)
        let state = try home.state()
        #expect(throws: KeyringError(.configuration, "")) {
            try home.keyring.bundles.import(try home.folder.bundle(bundle), with: keys.opener, mode: .replace)
        }
        #expect(try home.state() == state)
        _ = try home.keyring.bundles.backUp(to: home.folder.path + "/mine.age", for: [keys.recipient])
    }

    @Test("a named place is a new file, or a folder", .embeddedAlone)
    func places() throws {
        let (home, keys) = (try KeyringHome(), BundleKeys())
        let path = home.folder.path + "/mine.age"
        #expect(try home.keyring.bundles.backUp(to: path, for: [keys.recipient]).path == path)
        #expect(throws: KeyringError(.alreadyExists, "")) { try home.keyring.bundles.backUp(to: path) }
        let inside = try home.keyring.bundles.backUp(to: home.folder.path).path
        #expect(inside == home.folder.path + "/keyfob-20231114T221320Z.age")
        #expect(throws: KeyringError(.usage, "")) { try home.keyring.bundles.backUp(for: ["age1nobody"]) }
        #expect(
            failure(of: KeyringError.self) { _ = try home.keyring.bundles.backUp(to: home.folder.path + "/no/x.age") }
                != nil)
        _ = try home.keyring.slots.grant(.default, to: .keyFile(keyFile(9)))
        #expect(throws: KeyringError(.needsVaultKey, "")) { try home.opened(keyFile: 9).bundles.backUp() }
        #expect(try home.keyring.bundles.backups() == [])
    }

    @Test("a record that does not open is left out, and the report says so", .embeddedAlone)
    func damagedRecord() throws {
        let home = try KeyringHome()
        try home.fill()
        let row = try #require(try home.database().numbers("SELECT id FROM secrets ORDER BY id").first)
        try home.database().run("UPDATE secrets SET bytes = zeroblob(700) WHERE id = \(row)")
        let report = try home.opened().bundles.backUp()
        #expect(report.isIncomplete)
        #expect(report.skipped.count == 1)
        _ = try Keyring.Bundles.verifyBackup(try BundleFile(path: report.path), with: opener(home))
    }

    @Test(
        "how far a log has come is nothing that a backup brings along or takes back", .embeddedAlone,
        arguments: ["", "0123456789abcdef"])
    func logHead(part: String) throws {
        let home = try KeyringHome()
        try home.fill()
        try home.keyring.programs.noteAuditHead("7 abc", of: .default, part: part)
        let report = try home.keyring.bundles.backUp()
        try home.keyring.programs.noteAuditHead("9 def", of: .default, part: part)
        _ = try home.keyring.bundles.restore(BundleFile(path: report.path), with: opener(home))
        #expect(try home.keyring.programs.auditHeads(of: .default)[part] == "9 def")
        let location = KeyringLocation(vault: home.folder.path + "/new", state: home.folder.path + "/new-state")
        let restored = try Keyring.restore(
            BundleFile(path: report.path), with: opener(home), at: location, slot: .keyFile(keyFile(3)),
            clock: .standing(at: noon))
        #expect(try restored.keyring.programs.auditHeads(of: .default).isEmpty)
    }

    @Test("a backup in the folder of a vault that is gone is restored beside it", .embeddedAlone)
    func besideBackups() throws {
        let home = try KeyringHome()
        try home.fill()
        let report = try home.keyring.bundles.backUp()
        for name in ["keyring.db", "header.copy"] {
            try FileManager.default.removeItem(atPath: home.location.vault + "/" + name)
        }
        let restored = try Keyring.restore(
            try BundleFile(path: report.path), with: opener(home), at: home.location, slot: .keyFile(keyFile(3)),
            clock: .standing(at: noon))
        #expect(try restored.keyring.accounts.list().count == 2)
        let names = try FileManager.default.contentsOfDirectory(atPath: home.location.vault)
        // A removal has waited for a refresh by the other one.
        let own = ["keyring.db", "header.copy", "vault.lock", "refresh.lock", "backup.lock", "backups"]
        #expect(Set(names) == Set(own))
    }

    @Test(
        "a restore ends, and the vault is whole, where the copy of the header cannot be put in its place",
        .embeddedAlone, .timeLimit(.minutes(1)))
    func noHeaderCopy() throws {
        let home = try KeyringHome()
        try home.fill()
        let report = try home.keyring.bundles.backUp()
        let location = KeyringLocation(vault: home.folder.path + "/new", state: home.folder.path + "/new-state")
        // A folder that is not empty gives way to no file.
        let obstacle = location.vault + "/header.copy/x"
        let restored = try Keyring.restore(
            try BundleFile(path: report.path), with: opener(home), at: location, slot: .keyFile(keyFile(3)),
            clock: .standing(at: noon)
        ) { (_) throws(KeyringError) in
            let isMade: Void? = try? FileManager.default.createDirectory(
                atPath: obstacle, withIntermediateDirectories: true)
            if isMade == nil { throw KeyringError(.inputOutput, "no obstacle") }
        }
        #expect(try restored.keyring.accounts.list().count == 2)
        #expect(FileManager.default.fileExists(atPath: obstacle))
        let warnings = restored.keyring.takeWarnings()
        #expect(warnings.contains { $0.code == .headerCopy && $0.message.contains("header.copy") }, "\(warnings)")
        let opened = try LockedKeyring(at: location, clock: .standing(at: noon)).unlock(with: .keyFile(keyFile(3)))
        #expect(try opened.accounts.list().count == 2)
        let problems = try opened.health.verify().problems
        #expect(problems.count == 1 && problems[0].contains("header.copy") && problems[0].contains("cannot be read"))
        // What opens the vault next writes it, as soon as nothing is in its way.
        try FileManager.default.removeItem(atPath: location.vault + "/header.copy")
        let healed = try LockedKeyring(at: location, clock: .standing(at: noon)).unlock(with: .keyFile(keyFile(3)))
        #expect(try healed.health.verify().problems == [])
    }
}
