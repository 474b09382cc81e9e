import Foundation
import KeyfobLookup
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Synchronization
import Testing

@testable import Keyfob

@Suite("What a backup says of itself")
struct BackupClaimTests {
    private let home: KeyringHome

    init() throws {
        home = try KeyringHome()
        try home.fill()
    }

    private func isOwners(_ claim: BackupClaim) -> Bool {
        home.keyring.state.withLock { claim.isOwners(by: $0.vault) }
    }

    @Test("the list has it without any key, also where the vault is gone, and the open vault knows it for its own")
    func claimed() throws {
        let report = try home.keyring.bundles.backUp()
        _ = try home.opened(at: noon.advanced(by: 60)).groups.rotate(.default)
        try FileManager.default.removeItem(atPath: home.location.vault + "/keyring.db")
        let files = try BackupFile.all(at: home.location)
        let claims = try files.map { try #require($0.claim) }
        #expect(files.map(\.time) == [noon.advanced(by: 60), noon])
        #expect(claims.map(\.reason) == [.beforeNewKey, .asked])
        let claim = try #require(claims.last)
        #expect(claim.vault == home.keyring.vaultID && claim.isComplete && claim.time == noon)
        #expect(claim.records == report.summary.records && claim.groups == report.summary.groups.count)
        #expect(isOwners(claim))
    }

    @Test("it says nothing that is secret: no name of a group, an account or a person")
    func secrecy() throws {
        let path = try home.keyring.bundles.backUp().path
        let start = try Data(contentsOf: URL(filePath: path)).prefix(1_024)
        let line = try #require(String(decoding: start, as: UTF8.self).split(separator: "\n").dropFirst().first)
        let pattern =
            /-> keyfob-backup 1 vault=[0-9a-f]{32} time=[0-9TZ:-]{20} records=\d+ groups=\d+ complete=yes reason=asked content=[0-9a-f]{32}/
        #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
    }

    @Test("a backup that left something out says so")
    func incomplete() throws {
        let row = try #require(try home.database().numbers("SELECT id FROM secrets ORDER BY id").first)
        try home.database().run("UPDATE secrets SET bytes = zeroblob(700) WHERE id = \(row)")
        _ = try home.opened().bundles.backUp()
        #expect(try BackupFile.all(at: home.location).first?.claim?.isComplete == false)
    }

    @Test("what another vault's owner claims, or somebody has changed, is not this one's", arguments: [false, true])
    func forged(isChanged: Bool) throws {
        let path = home.folder.path + "/other.age"
        if isChanged {
            let bytes = try Data(contentsOf: URL(filePath: home.keyring.bundles.backUp().path))
            let end = try #require(bytes.range(of: Data("complete=yes".utf8)))
            try (bytes[..<end.lowerBound] + Data("complete=no".utf8) + bytes[end.upperBound...]).write(
                to: URL(filePath: path))
        } else {
            let other = try KeyringHome()
            _ = try other.keyring.bundles.backUp(to: path)
        }
        let claim = try #require(BackupFile.all(in: home.folder.path).first?.claim)
        #expect(!isOwners(claim))
        // To whoever opens it, a changed one is damaged.
        guard isChanged else { return }
        let error = failure(of: KeyringError.self) {
            _ = try Keyring.Bundles.verifyBackup(
                try BundleFile(path: path), with: .identities(secret(home.recoveryKey)))
        }
        #expect(error?.code == .damaged)
    }

    @Test("what makes no sense is not shown, and what cannot be read is no backup that anything waits for")
    func nonsense() throws {
        let bytes = try Data(contentsOf: URL(filePath: home.keyring.bundles.backUp().path))
        func claim(_ old: String, _ new: String) throws -> BackupClaim? {
            let place = try #require(bytes.range(of: Data(old.utf8)))
            return BackupClaim(
                atStartOf: [UInt8](bytes[..<place.lowerBound] + Data(new.utf8) + bytes[place.upperBound...]))
        }
        #expect(try claim("reason=asked", "reason=other")?.reason == nil)
        #expect(try claim("reason=asked", "reason=other") != nil)
        for (old, new) in [
            ("complete=yes", "complete=maybe"), ("records=", "records=-"), ("groups=", "groups=x"),
            ("time=2", "time=x"),
            ("vault=", "vault=0"), ("backup 1", "backup 2"), ("reason=asked", "groups=2"), ("reason=asked", "reason"),
        ] {
            #expect(try claim(old, new) == nil, "\(new)")
        }
        for count in 0..<300 { #expect(BackupClaim(atStartOf: [UInt8](bytes.prefix(count))) == nil || count > 150) }
        let folder = home.location.vault + "/backups"
        for name in ["keyfob-20991231T235959Z.age", "folder.age"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        #expect(try BackupFile.all(at: home.location).map { $0.claim == nil } == [true, false])
    }
}
