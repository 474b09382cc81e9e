import Keyfob
import KeyfobSQLite
import KeyfobSQLiteTestSupport
import KeyfobSecretService
import KeyfobTestSupport
import Testing

@Suite("A Secret Service that does not open the vault", .waitsForPrograms)
struct SecretServiceTroubleTests {
    @Test("a locked keyring is told from all else, and opens the vault once it is unlocked")
    func locked() throws {
        let home = try SecretServiceHome()
        try home.createWithKeyFile()
        try home.session.lock()
        #expect(home.refusal()?.code == .locked)
        #expect(home.refusal()?.message.contains("is locked") == true)
        #expect(try home.items().map(\.state) == [.locked])
        #expect(try LockedKeyring(at: home.location).unlock(with: .keyFile(keyFile(1))).opensWholeVault)
        try home.session.unlock()
        #expect(try home.opened().opensWholeVault)
    }

    @Test("while the keyring is locked no vault is made for it, and no slot")
    func lockedWhileMaking() throws {
        let home = try SecretServiceHome(.lockedKeyring)
        #expect(failure(of: KeyringError.self) { try home.create() } != nil)
        #expect(failure(of: KeyringError.self) { _ = try LockedKeyring(at: home.location) }?.code == .noVault)
        let keyring = try Keyring.create(at: home.location, slot: .keyFile(keyFile(1))).keyring
        #expect(failure(of: KeyringError.self) { _ = try keyring.slots.add(.secretService(home.options)) } != nil)
        #expect(try keyring.slots.list().map(\.kind) == ["key-file", "recipient"])
    }

    @Test("an item that is gone is told, and so is how to mend it")
    func deleted() throws {
        let home = try SecretServiceHome()
        try home.createWithKeyFile()
        try home.kept().delete()
        let refusal = try #require(home.refusal())
        #expect(refusal.code == .locked && refusal.message.contains("does not hold the key"))
        #expect(try home.items().map(\.state) == [.missing])
        let keyring = try LockedKeyring(at: home.location).unlock(with: .keyFile(keyFile(1)))
        let slot = try #require(try keyring.slots.list().first { $0.kind == "secret-service" }).id
        try keyring.slots.remove(slot, secretService: home.options)
        #expect(keyring.takeWarnings() == [])
        _ = try keyring.slots.add(.secretService(home.options))
        #expect(try home.opened().opensWholeVault)
    }

    @Test("of several items the right one is found, and that there are several is told once")
    func doubled() throws {
        let home = try SecretServiceHome()
        try home.create()
        try home.kept().double()
        let keyring = try home.opened()
        let warnings = keyring.takeWarnings()
        #expect(warnings.count == 1 && warnings[0].message.contains("2 items"))
        #expect(keyring.takeWarnings() == [])
        #expect(try home.items().map(\.items) == [2])
    }

    @Test("items that others have put there do not hide the right one", arguments: [31, 32, 33, 4_096])
    func foreignBeside(count: Int) throws {
        let home = try SecretServiceHome()
        try home.create()
        for number in 1...3 {
            try home.kept().addForeign(secret([UInt8](repeating: UInt8(number), count: count)))
        }
        let keyring = try home.opened()
        #expect(keyring.takeWarnings().contains { $0.message.contains("4 items") })
        #expect(try home.items().map(\.state) == [.opens])
    }

    @Test("an item that was changed opens nothing, which is no wrong passphrase", arguments: [1, 31, 32, 33, 4_096])
    func changed(count: Int) throws {
        let home = try SecretServiceHome()
        try home.createWithKeyFile()
        try home.kept().replaceSecrets(with: secret([UInt8](repeating: 9, count: count)))
        let refusal = try #require(home.refusal())
        #expect(refusal.code == .wrongKey && refusal.message.contains("was changed"))
        #expect(try home.items().map(\.state) == [.foreign])
        #expect(try home.items().first?.problem == refusal)
        #expect(try LockedKeyring(at: home.location).unlock(with: .keyFile(keyFile(1))).opensWholeVault)
    }

    @Test(
        "an item with a text that is none of Keyfob's opens nothing",
        arguments: ["hunter2", "{TITLE}", "AAAA====", "%"])
    func otherText(text: String) throws {
        let home = try SecretServiceHome()
        try home.create()
        for item in try home.kept().paths() { try home.session.putRawSecret(text, at: item.path) }
        #expect(home.refusal()?.code == .wrongKey)
        #expect(try home.items().map(\.state) == [.foreign])
        #expect(try home.items().map(\.items) == [1])
    }

    @Test("the item of another vault opens nothing")
    func otherVault() throws {
        let home = try SecretServiceHome()
        try home.create()
        let other = try SecretServiceHome()
        try other.create()
        let kept = try other.kept()
        try kept.service.secrets(of: try kept.paths()) { _, result in
            switch consume result {
            case .success(let key): try home.kept().replaceSecrets(with: key)
            case .failure(let error): throw error
            }
        }
        #expect(home.refusal()?.code == .wrongKey)
    }

    @Test("an altered header is told as such, although the item is right")
    func alteredHeader() throws {
        let home = try SecretServiceHome()
        try home.create()
        let database = try RawDatabase(path: home.location.vault + "/keyring.db")
        var header = try database.bytes("SELECT bytes FROM header")
        header[header.count - 1] ^= 1
        try database.run("UPDATE header SET bytes = ?", [.bytes(header)])
        #expect(home.refusal()?.code == .damaged)
    }

    @Test("without a bus, or without a service on it, that is said at once and nothing is made")
    func nobodyThere() throws {
        let home = try SecretServiceHome(.none)
        let without = SecretServiceOptions(environment: [:])
        for options in [without, home.options] {
            #expect(!options.isReachable)
            let error = failure(of: KeyringError.self) {
                _ = try Keyring.create(at: home.location, slot: .secretService(options))
            }
            #expect(error?.code == .unavailable)
            #expect(failure(of: KeyringError.self) { _ = try LockedKeyring(at: home.location) }?.code == .noVault)
        }
        try home.session.restartService()
        #expect(home.options.isReachable)
        try home.create()
        #expect(home.refusal(without)?.code == .unavailable)
        #expect(try home.items(without).map(\.state) == [.unavailable])
        #expect(try home.items(without).first?.problem?.message.contains("no session bus") == true)
        try home.session.stopService()
        #expect(home.refusal()?.message.contains("no Secret Service") == true)
    }

    @Test("a service that answers nothing is not waited for any longer than was said")
    func frozen() throws {
        let home = try SecretServiceHome()
        try home.create()
        try home.session.freezeService()
        let options = SecretServiceOptions(environment: home.session.environment, deadline: .milliseconds(300))
        #expect(home.refusal(options)?.code == .unavailable)
        #expect(home.refusal(options)?.message.contains("has not answered in time") == true)
    }

    @Test("a question that the person dismisses is told from a keyring that may not ask")
    func dismissed() throws {
        let home = try SecretServiceHome()
        try home.create()
        try home.session.misbehave(["locked", "dismiss"])
        #expect(home.refusal(home.asking)?.code == .cancelled)
        #expect(home.refusal()?.code == .locked)
        // To look at it asks nobody.
        #expect(try home.items(home.asking).map(\.state) == [.locked])
    }

    @Test("a question that the person answers makes the vault, and opens it")
    func answered() throws {
        let home = try SecretServiceHome(.misbehaving(["locked", "accept"]))
        let keyring = try Keyring.create(at: home.location, slot: .secretService(home.asking)).keyring
        #expect(try home.opened().vaultID == keyring.vaultID)
    }

    @Test("a service that gives back something else than it was given makes no vault")
    func forgetful() throws {
        let home = try SecretServiceHome(.misbehaving(["accept", "damage"]))
        let error = failure(of: KeyringError.self) { try home.create() }
        #expect(error?.code == .unavailable && error?.message.contains("does not keep") == true)
        #expect(failure(of: KeyringError.self) { _ = try LockedKeyring(at: home.location) }?.code == .noVault)
    }

    @Test("a vault without such a slot asks nobody")
    func noSlot() throws {
        let home = try KeyringHome()
        let options = SecretServiceOptions(environment: [:])
        let locked = try LockedKeyring(at: home.location)
        let (hasService, items) = (locked.hasSecretServiceSlot, locked.secretServiceItems(options))
        #expect(!hasService && items == [])
        let error = failure(of: KeyringError.self) {
            _ = try LockedKeyring(at: home.location).unlock(with: .secretService(options))
        }
        #expect(error?.code == .wrongKey)
    }
}
