import Foundation
import Keyfob
import KeyfobAge
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

@Suite("Unlocking a keyring")
struct KeyringUnlockTests {
    private let home: KeyringHome

    init() throws {
        home = try KeyringHome()
    }

    private func code(_ body: () throws -> Void) -> KeyringError.Code? {
        failure(of: KeyringError.self, body)?.code
    }

    @Test("the key file it was made with opens it, with the group default")
    func keyFiles() throws {
        let keyring = try home.opened()
        #expect(keyring.opensWholeVault)
        #expect(try keyring.groups.list().map(\.name) == [.default])
        #expect(keyring.takeWarnings() == [])
        #expect(keyring.vaultID == home.keyring.vaultID)
        #expect(code { _ = try home.opened(keyFile: 2) } == .wrongKey)
    }

    @Test("the recovery key opens it")
    func recoveryKey() throws {
        let keyring = try LockedKeyring(at: home.location).unlock(with: .identity(secret(home.recoveryKey)))
        #expect(keyring.opensWholeVault)
        let other = AgeIdentity.generate().text()
        let otherText = contents(of: other)
        #expect(
            code { _ = try LockedKeyring(at: home.location).unlock(with: .identity(secret(otherText))) } == .wrongKey)
        #expect(
            code { _ = try LockedKeyring(at: home.location).unlock(with: .identity(secret("no identity"))) } == .damaged
        )
    }

    @Test("new recovery keys are hybrid, and an identity of X25519 opens where a person has given its recipient")
    func hybridRecoveryKey() throws {
        let key = text(of: secret(home.recoveryKey))
        #expect(key.hasPrefix("AGE-SECRET-KEY-PQ-1"))
        let slot = try #require(try home.keyring.slots.list().first(where: \.isRecoveryKey))
        #expect(slot.kind == "recipient" && slot.recipient?.hasPrefix("age1pq1") == true)
        let own = AgeIdentity.generate()
        _ = try home.keyring.slots.add(.recipient(own.recipient.text))
        let backup = try home.keyring.bundles.backUp()
        for identity in [home.recoveryKey, contents(of: own.text())] {
            let keyring = try LockedKeyring(at: home.location).unlock(with: .identity(secret(identity)))
            #expect(keyring.opensWholeVault)
            _ = try Keyring.Bundles.verifyBackup(BundleFile(path: backup.path), with: .identities(secret(identity)))
        }
    }

    @Test("an identity file holds what can be used beside what cannot, or is encrypted")
    func mixedIdentities() throws {
        let key = text(of: secret(home.recoveryKey))
        let mixed = "AGE-PLUGIN-X-1QQQ\n-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----\n"
        let unusable = try IdentityText.unusable(in: secret(mixed + key))
        #expect(unusable == ["line 1 is a plugin's (AGE-PLUGIN-…)", "line 2 begins a private key of SSH"])
        let keyring = try LockedKeyring(at: home.location).unlock(with: .identity(secret(mixed + key)))
        #expect(keyring.opensWholeVault)
        let error = failure(of: KeyringError.self) {
            _ = try LockedKeyring(at: home.location).unlock(with: .identity(secret(mixed)))
        }
        #expect(error?.code == .damaged && error?.message.contains("line 1 is a plugin's") == true)
        var encryptor = try AgeEncryptor(passphrase: secret("correct"), encoding: .armored, workFactor: 4)
        let start = Array(key.utf8).withBytes { encryptor.update($0) }
        let file = start + encryptor.finish()
        let areEncrypted = [IdentityText.isEncrypted(secret(file)), IdentityText.isEncrypted(secret(key))]
        #expect(areEncrypted == [true, false])
        let decrypted = text(of: try IdentityText.decrypted(secret(file), passphrase: secret("correct")))
        #expect(decrypted == key)
        #expect(code { _ = try IdentityText.decrypted(secret(file), passphrase: secret("wrong")) } == .wrongKey)
        #expect(
            code { _ = try IdentityText.decrypted(secret(Array(file.dropLast(60))), passphrase: secret("correct")) }
                == .damaged)
    }

    @Test("recipients that withstand a quantum computer are not mixed with others in a bundle")
    func mixedRecipients() throws {
        let hybrid = try #require(try home.keyring.slots.list().first(where: \.isRecoveryKey)?.recipient)
        let plain = AgeIdentity.generate().recipient.text
        #expect(code { _ = try home.keyring.bundle(for: .recipients([hybrid, plain])) } == .usage)
        #expect(code { _ = try home.keyring.bundles.backUp(for: [plain, hybrid]) } == .usage)
        _ = try home.keyring.bundle(for: .recipients([hybrid, hybrid]))
    }

    @Test("a passphrase opens it however its letters are composed")
    func passphrases() throws {
        _ = try home.keyring.slots.add(.passphrase(secret("caf\u{E9}"), memory: 64 << 20))
        let decomposed = try LockedKeyring(at: home.location).unlock(with: .passphrase(secret("cafe\u{301}")))
        #expect(decomposed.opensWholeVault)
        #expect(
            code { _ = try LockedKeyring(at: home.location).unlock(with: .passphrase(secret("cafe"))) } == .wrongKey)
        #expect(try home.keyring.slots.list().map(\.kind) == ["key-file", "recipient", "passphrase"])
        #expect(try home.keyring.slots.list().last?.memory == 64 << 20)
    }

    @Test("what there is no slot for is a wrong key")
    func noSuchKind() {
        #expect(code { _ = try LockedKeyring(at: home.location).unlock(with: .passphrase(secret("x"))) } == .wrongKey)
    }

    @Test("a cost outside what is accepted makes no slot", arguments: [1, 63 << 20, 1 << 30 + 1] as [UInt64])
    func costs(memory: UInt64) {
        #expect(code { _ = try home.keyring.slots.add(.passphrase(secret("x"), memory: memory)) } != nil)
    }

    @Test("a vault that is there already stays")
    func existing() throws {
        let before = try home.folder.read("vault/keyring.db")
        #expect(code { _ = try Keyring.create(at: home.location, slot: .keyFile(keyFile(9))) } == .alreadyExists)
        #expect(try home.folder.read("vault/keyring.db") == before)
        #expect(try home.opened().opensWholeVault)
    }

    @Test("what is left of a vault without its database stays", arguments: ["header.copy", "keyring.db-journal"])
    func leftovers(name: String) throws {
        let place = KeyringLocation(vault: home.folder.path, state: home.location.state)
        try home.folder.write(name, Array("all that is left".utf8))
        #expect(code { _ = try Keyring.create(at: place, slot: .keyFile(keyFile(9))) } == .alreadyExists)
        #expect(try home.folder.read(name) == Array("all that is left".utf8))
        #expect(code { _ = try LockedKeyring(at: place) } == .noVault)
    }

    @Test("where there is none, that is said")
    func missing() throws {
        let nowhere = KeyringLocation(vault: home.folder.path + "/nowhere", state: home.location.state)
        #expect(code { _ = try LockedKeyring(at: nowhere) } == .noVault)
    }

    @Test("an unsuitable key file, or no recipient, makes no keyring and leaves none behind")
    func unsuitable() throws {
        let place = KeyringLocation(vault: home.folder.path + "/other", state: home.location.state)
        #expect(code { _ = try Keyring.create(at: place, slot: .keyFile(secret("short"))) } == .configuration)
        #expect(code { _ = try Keyring.create(at: place, slot: .recipient("age1nonsense")) } == .usage)
        #expect(code { _ = try LockedKeyring(at: place) } == .noVault)
    }

    @Test("slots can be added and removed, but not the last one")
    func slots() throws {
        let keyring = home.keyring
        let added = try keyring.slots.add(.keyFile(keyFile(2)))
        let all = try keyring.slots.list()
        #expect(all.count == 3 && all.map(\.id).contains(added))
        #expect(try home.opened(keyFile: 2).opensWholeVault)
        #expect(code { try keyring.slots.remove("") } == .noSuchSlot)
        #expect(code { try keyring.slots.remove("zz") } == .noSuchSlot)
        for slot in all.dropLast() { try keyring.slots.remove(slot.id) }
        #expect(code { try keyring.slots.remove(added) } == .lastSlot)
        #expect(code { _ = try home.opened() } == .wrongKey)
        #expect(try home.opened(keyFile: 2).opensWholeVault)
    }

    @Test("a database that was taken back to an earlier state is told, until the owner accepts it")
    func rollback() throws {
        let ada = try Account.contoso("ada")
        let earlier = try home.folder.read("vault/keyring.db")
        try home.keyring.store(.access(ada), "token", for: ada)
        try home.folder.write("vault/keyring.db", earlier)
        let keyring = try home.opened()
        _ = try keyring.groups.list()
        #expect(keyring.takeWarnings().contains { $0.message.contains("earlier state") })
        #expect(try keyring.health.verify().findings.contains { $0.text.contains("earlier state") })
        try keyring.health.acceptRollback()
        let again = try home.opened()
        _ = try again.groups.list()
        #expect(again.takeWarnings() == [])
        #expect(try again.health.verify().problems == [] && again.health.verify().findings == [])
    }

    @Test("an earlier header is told too")
    func rolledBackHeader() throws {
        let earlier = try home.folder.read("vault/keyring.db")
        try home.keyring.groups.create(AccessGroup("work"))
        try home.folder.write("vault/keyring.db", earlier)
        #expect(try home.opened().takeWarnings().contains { $0.message.contains("header") })
    }

    @Test("a damaged header is replaced by its copy, and repaired on request")
    func headerCopy() throws {
        for damage in [
            "UPDATE header SET bytes = zeroblob(100)", "DELETE FROM header", "UPDATE header SET bytes = x''",
        ] {
            let ada = try Account.contoso("ada")
            try home.keyring.store(.access(ada), "token", for: ada)
            try home.database().run(damage)
            let keyring = try home.opened()
            #expect(keyring.takeWarnings().contains { $0.message.contains("copy") })
            #expect(try keyring.tokenText(TokenRequest(account: "ada@contoso.example")) == "token")
            #expect(try keyring.health.verify().problems.contains { $0.contains("copy") })
            #expect(try keyring.health.repair().files == [])
            #expect(try home.opened().takeWarnings() == [])
            #expect(try home.opened().health.verify().problems == [])
        }
    }
}
