import Foundation
import Keyfob
import KeyfobSQLiteTestSupport
import KeyfobSecretService
import KeyfobTestSupport
import Testing

@Suite("A vault that the Secret Service opens", .waitsForPrograms)
struct SecretServiceSlotTests {
    private let home: SecretServiceHome

    init() throws {
        home = try SecretServiceHome()
    }

    @Test("made for it alone, it opens by it and by its recovery key")
    func alone() throws {
        let created = try Keyring.create(at: home.location, slot: .secretService(home.options))
        let recovery = contents(of: created.recoveryKey)
        #expect(try created.keyring.slots.list().map(\.kind) == ["secret-service", "recipient"])
        let opened = try home.opened()
        #expect(opened.opensWholeVault && opened.vaultID == created.keyring.vaultID)
        #expect(opened.takeWarnings() == [])
        #expect(try LockedKeyring(at: home.location).unlock(with: .identity(secret(recovery))).opensWholeVault)
        let locked = try LockedKeyring(at: home.location)
        let (hasService, hasPassphrase) = (locked.hasSecretServiceSlot, locked.hasPassphraseSlot)
        #expect(hasService && !hasPassphrase)
        #expect(try home.items().map(\.state) == [.opens])
        #expect(try home.items().map(\.items) == [1])
    }

    @Test("made for a key file and for it, it opens by both")
    func beside() throws {
        let keyring = try home.createWithKeyFile()
        #expect(try keyring.slots.list().map(\.kind) == ["key-file", "secret-service", "recipient"])
        #expect(try home.opened().opensWholeVault)
        #expect(try LockedKeyring(at: home.location).unlock(with: .keyFile(keyFile(1))).opensWholeVault)
    }

    @Test("the item is one of Keyfob's, named after the vault's folder, and holds nothing else")
    func item() throws {
        let keyring = try home.create()
        let kept = try home.kept()
        let item = try #require(try kept.paths().first)
        let attributes = try kept.service.attributes(of: item)
        #expect(attributes["vault"] == keyring.vaultID && attributes["version"] == "1")
        #expect(attributes["slot"]?.hasPrefix(try #require(try keyring.slots.list().first).id) == true)
        #expect(try kept.labels() == ["Keyfob: unlocks vault"])
    }

    @Test("a slot for it can be added, and its item goes when it is removed")
    func addingAndRemoving() throws {
        let keyring = try Keyring.create(at: home.location, slot: .keyFile(keyFile(1))).keyring
        #expect(home.refusal()?.code == .wrongKey)
        #expect(try home.items() == [])
        let slot = try keyring.slots.add(.secretService(home.options))
        #expect(try home.opened().opensWholeVault)
        #expect(try home.kept().paths().count == 1)
        try keyring.slots.remove(slot, secretService: home.options)
        #expect(keyring.takeWarnings() == [])
        #expect(try home.kept().paths() == [])
        #expect(home.refusal()?.code == .wrongKey)
        let hasService = try LockedKeyring(at: home.location).hasSecretServiceSlot
        #expect(!hasService)
    }

    @Test("with new keys for the vault it has a new item, and where it does not open it, that is said")
    func rekeying() throws {
        let keyring = try home.createWithKeyFile()
        let old = try #require(try home.kept().paths().first)
        var rekeying = try keyring.slots.beginRekey(secretService: home.options)
        let (lost, keepsAnother) = (rekeying.lost.map(\.kind), rekeying.keepsAnother)
        #expect(lost == ["key-file"] && keepsAnother)
        let rekeyed = try rekeying.commit(handingOver: { _ in })
        #expect(rekeyed.slots.map(\.kind) == ["secret-service", "recipient"])
        #expect(try home.items().map(\.state) == [.opens])
        #expect(try home.kept().paths().count == 1 && home.kept().paths() != [old])
        #expect(try home.opened().health.verify().problems.isEmpty)
        let lostElsewhere = try home.opened().slots.beginRekey().lost.map(\.kind)
        #expect(lostElsewhere == ["secret-service"])
        // A change that fails takes the new item back.
        rekeying = try keyring.slots.beginRekey(secretService: home.options)
        try home.opened().groups.create(AccessGroup("more"))
        let refusal = rekeying.refusal()
        #expect(refusal?.code == .busy)
        #expect(try home.items().map(\.state) == [.opens])
        #expect(try home.kept().paths().count == 1)
    }

    @Test("a second slot for it is not made as long as one opens the vault")
    func twoSlots() throws {
        let keyring = try home.create()
        let error = failure(of: KeyringError.self) { _ = try keyring.slots.add(.secretService(home.options)) }
        #expect(error?.code == .alreadyExists)
        #expect(try home.items().map(\.state) == [.opens])
        #expect(try home.opened().takeWarnings() == [])
    }

    @Test("an item that cannot be removed with its slot is told")
    func removingWhileLocked() throws {
        let keyring = try home.createWithKeyFile()
        let slots = try keyring.slots.list().filter { $0.kind == "secret-service" }
        let slot = try #require(slots.first).id
        try keyring.slots.remove(slot)
        #expect(keyring.takeWarnings().contains { $0.message.contains("'Keyfob: unlocks vault'") })
        let second = try keyring.slots.add(.secretService(home.options))
        try home.session.stopService()
        try keyring.slots.remove(second, secretService: home.options)
        let warnings = keyring.takeWarnings()
        #expect(warnings.count == 1 && warnings[0].message.contains("no Secret Service"))
        #expect(try keyring.slots.list().map(\.kind) == ["key-file", "recipient"])
    }

    @Test("a group has no slot for it")
    func groups() throws {
        let keyring = try home.create()
        let error = failure(of: KeyringError.self) {
            _ = try keyring.slots.grant(.default, to: .secretService(home.options))
        }
        #expect(error?.code == .usage)
        #expect(try home.kept().paths().count == 1)
    }

    @Test("a slot that could not be written leaves no item")
    func failedWriting() throws {
        let keyring = try home.createWithKeyFile()
        let first = try #require(try keyring.slots.list().first { $0.kind == "secret-service" })
        try keyring.slots.remove(first.id, secretService: home.options)
        try RawDatabase(path: home.location.vault + "/keyring.db").whileLocked {
            let error = failure(of: KeyringError.self) { _ = try keyring.slots.add(.secretService(home.options)) }
            #expect(error?.code == .busy)
        }
        #expect(try home.kept().paths().isEmpty)
    }

    @Test("where there is a vault already, no item is made for another")
    func existing() throws {
        try home.create()
        let error = failure(of: KeyringError.self) { try home.create() }
        #expect(error?.code == .alreadyExists)
        #expect(try home.kept().paths().count == 1)
        #expect(try home.opened().opensWholeVault)
    }

    @Test("two vaults keep their keys in one collection, each its own")
    func twoVaults() throws {
        let first = try home.create()
        let other = home.location("other")
        let second = try Keyring.create(at: other, slot: .keyFile(keyFile(1)), secretService: home.options).keyring
        #expect(try home.kept().labels() == ["Keyfob: unlocks other", "Keyfob: unlocks vault"])
        let opened = try LockedKeyring(at: other).unlock(with: .secretService(home.options))
        #expect(opened.vaultID == second.vaultID)
        #expect(try home.opened().vaultID == first.vaultID)
        let slots = try second.slots.list().filter { $0.kind == "secret-service" }
        try second.slots.remove(try #require(slots.first).id, secretService: home.options)
        #expect(try home.opened().opensWholeVault)
        #expect(try home.kept().labels() == ["Keyfob: unlocks vault"])
    }

    @Test("a collection that was renamed still opens it")
    func renamedCollection() throws {
        try home.create()
        try home.session.rename(to: "Anmeldung")
        #expect(try home.opened().opensWholeVault)
    }

    @Test("a service that was restarted still opens it")
    func restart() throws {
        try home.create()
        try home.session.restartService()
        #expect(try home.opened().opensWholeVault)
    }

    @Test("a vault made from a backup opens by it too")
    func restoring() throws {
        let source = try KeyringHome()
        try source.fill()
        let backup = try BundleFile(path: try source.keyring.bundles.backUp().path)
        let restored = try Keyring.restore(
            backup, with: .identities(secret(source.recoveryKey)), at: home.location, slot: .keyFile(keyFile(1)),
            secretService: home.options)
        #expect(try home.opened().vaultID == restored.keyring.vaultID)
        #expect(try home.kept().labels() == ["Keyfob: unlocks vault"])
    }
}
