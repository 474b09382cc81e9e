import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@Suite("Bundles on a full disk", .enabled(if: SmallDisk.isAvailable, Comment(rawValue: SmallDisk.whyNot)))
struct BundleDiskTests {
    private let keys = BundleKeys()

    /// A backup and an export of some hundred KiB.
    private func source() throws -> (home: KeyringHome, backup: String, export: [UInt8]) {
        let home = try KeyringHome()
        let ada = try Account.contoso("ada")
        for client in 0..<120 {
            try home.keyring.store(
                .refresh(ada, client: "client\(client)"), String(repeating: "t", count: 3_000), for: ada)
        }
        return (
            home, try home.keyring.bundles.backUp(for: [keys.recipient]).path, try home.keyring.bundle(for: keys.seal)
        )
    }

    @Test("a restore that does not fit leaves no vault")
    func restoring() throws {
        let (source, keys) = (try source(), keys)
        let backup = source.backup
        try SmallDisk.run(kibibytes: 300) { path in
            let location = KeyringLocation(vault: path + "/vault", state: path + "/state")
            let error = failure(of: KeyringError.self) {
                _ = try Keyring.restore(
                    try BundleFile(path: backup), with: keys.opener, takingStrangers: true, at: location,
                    slot: .keyFile(keyFile(2)))
            }
            #expect(error?.code == .diskFull)
            let left = try FileManager.default.contentsOfDirectory(atPath: location.vault)
            #expect(left == ["vault.lock"])
        }
    }

    @Test("an import, a replacement and a backup that do not fit leave the vault as it was")
    func importing() throws {
        let (source, keys) = (try source(), keys)
        try source.home.folder.write("bundle.age", source.export)
        let bundle = source.home.folder.path + "/bundle.age"
        try SmallDisk.run(kibibytes: 300) { path in
            let location = KeyringLocation(vault: path + "/vault", state: path + "/state")
            let keyring = try Keyring.create(at: location, slot: .keyFile(keyFile(1))).keyring
            let bob = try Account.contoso("bob")
            try keyring.store(.refresh(bob), "token", for: bob)
            let state = try Data(contentsOf: URL(filePath: location.vault + "/keyring.db"))
            for mode in Keyring.ImportMode.allCases {
                let error = failure(of: KeyringError.self) {
                    _ = try keyring.bundles.import(try BundleFile(path: bundle), with: keys.opener, mode: mode)
                }
                #expect(error?.code == .diskFull)
            }
            #expect(try Data(contentsOf: URL(filePath: location.vault + "/keyring.db")) == state)
            let kept = try keyring.bundles.backups()
            try SmallDisk.fill(path)
            #expect(throws: KeyringError(.diskFull, "")) { try keyring.bundles.backUp() }
            try SmallDisk.fill(path)
            #expect(throws: KeyringError(.diskFull, "")) { try keyring.groups.rotate(.default) }
            try SmallDisk.fill(path)
            var rekeying = try keyring.slots.beginRekey()
            try rekeying.keep(keyFile: keyFile(1))
            let refusal = rekeying.refusal()
            #expect(refusal?.code == .diskFull)
            #expect(try keyring.bundles.backups() == kept)
            let names = try FileManager.default.contentsOfDirectory(atPath: location.vault + "/backups")
            #expect(names.count == kept.count)
            #expect(try Data(contentsOf: URL(filePath: location.vault + "/keyring.db")) == state)
            #expect(try keyring.health.verify().problems == [])
        }
    }
}
