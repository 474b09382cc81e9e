import Foundation
import Keyfob
import KeyfobSQLiteTestSupport
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("A keyring that is moved")
struct MigrationKeyringTests {
    private let home: SecretServiceHome

    init() throws {
        home = try SecretServiceHome()
    }

    /// A keyring in a database with six things in it and the note that a group was made, made with key file 1, and its recovery
    /// key.
    private func filled() throws -> (keyring: Keyring, recovery: [UInt8]) {
        let created = try Keyring.create(at: home.location, slot: .keyFile(keyFile(1)))
        let (keyring, recovery) = (created.keyring, contents(of: created.recoveryKey))
        let ada = try Account.contoso("ada", label: "boss")
        try keyring.store(.refresh(ada), "refresh of ada", for: ada)
        try keyring.store(.access(ada), "access of ada", for: ada)
        let work = try AccessGroup("work")
        try keyring.groups.create(work)
        let bob = try Account.contoso("bob")
        try keyring.store(.refresh(bob), "refresh of bob", for: bob, in: [work])
        try keyring.bindings.set(.directory("/srv/project"), to: .account(ada.id), in: .default)
        return (keyring, recovery)
    }

    private func byKeyFile(_ number: UInt8 = 1) throws -> Keyring {
        try LockedKeyring(at: home.location).unlock(with: .keyFile(keyFile(number)))
    }

    private func delegated() throws -> Keyring { try home.opened() }

    private func expectNothingWrong(_ keyring: Keyring, location: SourceLocation = #_sourceLocation) throws {
        #expect(try keyring.health.verify().problems == [], sourceLocation: location)
        _ = try keyring.accounts.list()
        #expect(keyring.takeWarnings() == [], sourceLocation: location)
    }

    private func content(_ keyring: Keyring) throws -> [ItemPlace: BundleContents.Entry] {
        let keys = BundleKeys()
        return try records(try keyring.bundle(BundleContent(includesAccessTokens: true), for: keys.seal), keys)
    }

    @Test("there and back it holds the same, opens as before, and nothing is thought to be taken back")
    func thereAndBack() throws {
        let (keyring, recovery) = try filled()
        let before = try content(keyring)
        let report = try keyring.migration.run(to: .secretService, secretService: home.options)
        #expect(!report.isThere && !report.isDryRun && report.records == 7 && report.grants == [])
        #expect(report.groups.map(\.name.name) == ["default", "work"])
        let there = try delegated()
        #expect(there.storage == .secretService && there.vaultID == keyring.vaultID)
        try expectNothingWrong(there)
        #expect(try content(there) == before)
        #expect(try there.migration.run(to: .embedded, secretService: home.options).records == 7)
        let back = try byKeyFile()
        try expectNothingWrong(back)
        #expect(back.vaultID == keyring.vaultID)
        #expect(try content(back) == before)
        #expect(try LockedKeyring(at: home.location).unlock(with: .identity(secret(recovery))).opensWholeVault)
        #expect(try back.slots.list().map(\.kind) == ["key-file", "recipient"])
    }

    @Test("the passphrase and the history of before are those of afterwards")
    func passphraseAndHistory() throws {
        let slot = Keyring.NewSlot.passphrase(secret("correct horse"), memory: 64 << 20)
        let keyring = try Keyring.create(at: home.location, slot: slot).keyring
        for name in ["ada", "bob"] {
            let account = try Account.contoso(name)
            try keyring.store(.access(account, expires: 3_000_000_000), "token of \(name)", for: account)
        }
        let request = TokenRequest(account: "bob@contoso.example", scopes: ["mail.read"])
        keyring.accounts.remember(try Account.contoso("bob").id, in: .default, for: request, by: .person)
        #expect(try keyring.accounts.rememberedChoices() == 1)
        _ = try keyring.migration.run(to: .secretService, secretService: home.options)
        #expect(try delegated().accounts.rememberedChoices() == 1)
        _ = try delegated().migration.run(to: .embedded, secretService: home.options)
        let back = try LockedKeyring(at: home.location).unlock(with: .passphrase(secret("correct horse")))
        #expect(try back.accounts.rememberedChoices() == 1)
        #expect(
            try back.tokenText(TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"])) == "token of ada")
    }

    @Test("a keyring that is open while it is moved changes nothing any more")
    func openKeyring() throws {
        let (keyring, _) = try filled()
        let other = try byKeyFile()
        _ = try keyring.migration.run(to: .secretService, secretService: home.options)
        for stale in [keyring, other] {
            #expect(
                failure(of: KeyringError.self) { try stale.groups.create(AccessGroup("late")) }?.code == .busy)
        }
        let reopened = try keyring.reopened(secretService: home.options)
        try reopened.groups.create(AccessGroup("late"))
        _ = try reopened.migration.run(to: .embedded, secretService: home.options)
        for stale in [keyring, other, reopened] {
            #expect(
                failure(of: KeyringError.self) { try stale.groups.create(AccessGroup("later")) }?.code == .busy)
        }
        #expect(try byKeyFile().groups.list().count == 3)
        #expect(try reopened.reopened(secretService: home.options).groups.list().count == 3)
    }

    @Test("where it is already there is nothing to do")
    func there() throws {
        let (keyring, _) = try filled()
        #expect(try keyring.migration.run(to: .embedded, secretService: home.options).isThere)
        _ = try keyring.migration.run(to: .secretService, secretService: home.options)
        #expect(try delegated().migration.run(to: .secretService, secretService: home.options).isThere)
        #expect(try delegated().migration.plan(to: .secretService, secretService: home.options).isThere)
    }

    @Test("the key of one group moves nothing")
    func groupKey() throws {
        let (keyring, _) = try filled()
        _ = try keyring.slots.grant(AccessGroup("work"), to: .keyFile(keyFile(2)))
        let granted = try byKeyFile(2)
        func refusal(_ body: () throws -> Void) -> KeyringError.Code? { failure(of: KeyringError.self, body)?.code }
        #expect(
            refusal { _ = try granted.migration.run(to: .secretService, secretService: home.options) } == .needsVaultKey
        )
        #expect(
            refusal { _ = try granted.migration.plan(to: .secretService, secretService: home.options) }
                == .needsVaultKey
        )
        #expect(refusal { _ = try granted.migration.unusedPlace(secretService: home.options) } == .needsVaultKey)
        #expect(refusal { _ = try granted.migration.removeUnusedPlace(secretService: home.options) } == .needsVaultKey)
        #expect(try Keyring.storage(at: home.location) == .embedded)
        // What they open is told, and opens again afterwards.
        let report = try keyring.migration.run(to: .secretService, secretService: home.options)
        #expect(report.grants.map(\.group.name) == ["work"] && report.grants.map(\.count) == [1])
        _ = try delegated().migration.run(to: .embedded, secretService: home.options)
        #expect(try byKeyFile(2).accounts.list().map(\.account.username) == ["bob@contoso.example"])
    }

    @Test("a vault that was made for the service needs a way to unlock it without")
    func bornThere() throws {
        let keyring = try Keyring.createDelegated(at: home.location, secretService: home.options).keyring
        let ada = try Account.contoso("ada")
        try keyring.store(.refresh(ada), "refresh of ada", for: ada)
        #expect(keyring.migration.needsSlotToBeEmbedded)
        #expect(
            failure(of: KeyringError.self) {
                _ = try keyring.migration.run(to: .embedded, secretService: home.options)
            }?.code
                == .usage)
        #expect(try Keyring.storage(at: home.location) == .secretService)
        #expect(try keyring.migration.plan(to: .embedded, secretService: home.options).records == 1 + 1)
        _ = try keyring.migration.run(to: .embedded, secretService: home.options, adding: .keyFile(keyFile(3)))
        let back = try byKeyFile(3)
        #expect(!back.migration.needsSlotToBeEmbedded)
        try expectNothingWrong(back)
        #expect(try back.slots.list().map(\.kind) == ["recipient", "key-file"])
        _ = try back.migration.run(to: .secretService, secretService: home.options)
        _ = try delegated().migration.run(to: .embedded, secretService: home.options)
        try expectNothingWrong(byKeyFile(3))
    }

    @Test("the service can keep the key of a vault that it kept whole")
    func slotOfTheService() throws {
        let keyring = try Keyring.createDelegated(at: home.location, secretService: home.options).keyring
        _ = try keyring.migration.run(to: .embedded, secretService: home.options, adding: .secretService(home.options))
        let back = try home.opened()
        #expect(back.storage == .embedded)
        #expect(try back.migration.removeUnusedPlace(secretService: home.options).items == 1)
        // The slot's item is none of the records'.
        #expect(try home.opened().opensWholeVault)
        let slots = try home.opened().slots.list().filter { $0.kind == "secret-service" }
        _ = try home.opened().migration.run(to: .secretService, secretService: home.options)
        _ = try delegated().migration.run(
            to: .embedded, secretService: home.options, adding: .secretService(home.options))
        #expect(slots.count == 1)
        #expect(
            try home.opened().slots.list().filter { $0.kind == "secret-service" } == slots,
            "a key that is kept already is enough")
    }

    @Test("an old database in the place of what was moved is known as an earlier state")
    func takenBack() throws {
        let (keyring, _) = try filled()
        _ = try keyring.migration.run(to: .secretService, secretService: home.options)
        try FileManager.default.removeItem(atPath: home.location.vault + "/storage")
        let old = try byKeyFile()
        #expect(try old.health.verify().findings.contains { $0.text.contains("taken back to an earlier state") })
        let error = failure(of: KeyringError.self) {
            _ = try old.migration.run(to: .secretService, secretService: home.options)
        }
        #expect(error?.code == .rolledBack && error?.advice == .acceptRollback(first: true))
        try old.health.acceptRollback()
        _ = try old.migration.run(to: .secretService, secretService: home.options)
        try expectNothingWrong(delegated())
        _ = try delegated().migration.run(to: .embedded, secretService: home.options)
        try expectNothingWrong(byKeyFile())
    }

    @Test("what was in use before goes when that is wanted, and not before")
    func unusedPlaces() throws {
        let (keyring, _) = try filled()
        #expect(try keyring.migration.unusedPlace(secretService: home.options).isEmpty)
        #expect(try keyring.migration.leftovers() == [])
        _ = try keyring.migration.run(to: .secretService, secretService: home.options)
        let names = { (files: [String]) in files.map { String($0.split(separator: "/").last ?? "") } }
        let there = try delegated()
        #expect(
            try names(there.migration.unusedPlace(secretService: home.options).files) == ["keyring.db", "header.copy"])
        #expect(try there.migration.leftovers().count == 1)
        #expect(
            try names(there.migration.removeUnusedPlace(secretService: home.options).files) == [
                "keyring.db", "header.copy",
            ])
        #expect(try there.migration.leftovers() == [])
        try expectNothingWrong(delegated())
        _ = try delegated().migration.run(to: .embedded, secretService: home.options)
        let back = try byKeyFile()
        #expect(try back.migration.leftovers() == [.keptItems])
        #expect(
            try back.migration.unusedPlace(secretService: home.options)
                == back.migration.unusedPlace(secretService: home.options))
        let removed = try back.migration.removeUnusedPlace(secretService: home.options)
        #expect(removed.items == 8 && removed.files == [])
        #expect(try back.migration.unusedPlace(secretService: home.options).isEmpty)
        #expect(try back.migration.leftovers() == [])
        try expectNothingWrong(byKeyFile())
    }

    @Test("nothing is removed while not all is well where the records are")
    func unsoundPlace() throws {
        let (keyring, _) = try filled()
        _ = try keyring.migration.run(to: .secretService, secretService: home.options)
        _ = try delegated().migration.run(to: .embedded, secretService: home.options)
        let back = try byKeyFile()
        let database = try RawDatabase(path: home.location.vault + "/keyring.db")
        try database.run("DELETE FROM secrets WHERE id = (SELECT max(id) FROM secrets)")
        #expect(
            failure(of: KeyringError.self) { _ = try back.migration.removeUnusedPlace(secretService: home.options) }?
                .code
                == .damaged)
        #expect(try back.migration.unusedPlace(secretService: home.options).items == 8)
        let error = failure(of: KeyringError.self) {
            _ = try back.migration.run(to: .secretService, secretService: home.options)
        }
        #expect(error?.code == .damaged && error?.advice == .repair)
    }

    @Test("without a session bus or a service all stays where it is")
    func noService() throws {
        let (keyring, _) = try filled()
        func refusal(_ options: SecretServiceOptions) -> KeyringError? {
            failure(of: KeyringError.self) { _ = try keyring.migration.run(to: .secretService, secretService: options) }
        }
        #expect(refusal(SecretServiceOptions(environment: [:]))?.code == .unavailable)
        try home.session.stopService()
        #expect(refusal(home.options)?.code == .unavailable)
        #expect(refusal(home.options)?.message.contains("the vault is as it was before") == true)
        #expect(try keyring.migration.leftovers() == [])
        try expectNothingWrong(byKeyFile())
    }

    @Test(
        "a service that does not do what it is asked leaves all where it is",
        arguments: [
            "no-default", "locked", "ask-to-create ignore", "ask-to-create dismiss", "damage", "refuse:CreateItem",
            "nonsense:CreateItem",
            "silent:CreateItem", "die:CreateItem", "refuse:GetSecrets", "refuse:SearchItems",
        ])
    func misbehavingService(flag: String) throws {
        let (keyring, _) = try filled()
        let before = try content(keyring)
        try home.session.misbehave(flag.split(separator: " ").map(String.init))
        var options = home.options
        options.deadline = .milliseconds(500)
        let error = failure(of: KeyringError.self) {
            _ = try keyring.migration.run(to: .secretService, secretService: options)
        }
        #expect(error?.message.contains("the vault is as it was before") == true, "\(String(describing: error))")
        #expect(try Keyring.storage(at: home.location) == .embedded)
        #expect(try content(byKeyFile()) == before)
        // And another one takes it.
        try home.session.restartService()
        _ = try keyring.migration.run(to: .secretService, secretService: home.options)
        #expect(try content(delegated()) == before)
    }

    @Test("a service that asks before it removes something keeps empty items that nobody finds")
    func emptied() throws {
        let (keyring, _) = try filled()
        try home.session.misbehave(["ask-to-delete"])
        _ = try keyring.migration.run(to: .secretService, secretService: home.options)
        _ = try delegated().migration.run(to: .embedded, secretService: home.options)
        let back = try byKeyFile()
        #expect(try back.migration.removeUnusedPlace(secretService: home.options).items == 8)
        #expect(try back.migration.unusedPlace(secretService: home.options).isEmpty)
        let before = try content(back)
        #expect(try back.migration.run(to: .secretService, secretService: home.options).groups.map(\.kept) == [0, 0])
        #expect(try content(delegated()) == before)
    }

    @Test("while the collection is locked all stays where it is")
    func locked() throws {
        let (keyring, _) = try filled()
        try home.session.lock()
        #expect(
            failure(of: KeyringError.self) {
                _ = try keyring.migration.run(to: .secretService, secretService: home.options)
            }?
            .code == .locked)
        try home.session.unlock()
        _ = try keyring.migration.run(to: .secretService, secretService: home.options)
        let there = try delegated()
        try home.session.lock()
        #expect(
            failure(of: KeyringError.self) { _ = try there.migration.run(to: .embedded, secretService: home.options) }?
                .code
                == .locked)
        #expect(try Keyring.storage(at: home.location) == .secretService)
        try home.session.unlock()
        _ = try there.migration.run(to: .embedded, secretService: home.options)
        try expectNothingWrong(byKeyFile())
    }

    @Test("what a migration has left that was stopped can be removed")
    func unfinished() throws {
        let (keyring, _) = try filled()
        #expect(try !keyring.migration.removeUnfinished(secretService: home.options))
        _ = try keyring.migration.run(to: .secretService, secretService: home.options)
        _ = try delegated().migration.run(to: .embedded, secretService: home.options)
        try home.folder.write("vault/migration", Array("keyfob-migration 1\nitems begun\n".utf8))
        try FileManager.default.createDirectory(
            atPath: home.location.vault + "/.migrating", withIntermediateDirectories: false)
        try home.folder.write("vault/.migrating/keyring.db", [1, 2, 3])
        let back = try byKeyFile()
        #expect(
            try back.migration.leftovers().prefix(2) == [
                .folder(home.location.vault + "/.migrating"), .unfinishedItems,
            ])
        #expect(try back.migration.removeUnfinished(secretService: home.options))
        #expect(try back.migration.unusedPlace(secretService: home.options).items == 0)
        #expect(!FileManager.default.fileExists(atPath: home.location.vault + "/.migrating"))
        #expect(try !back.migration.removeUnfinished(secretService: home.options))
        try expectNothingWrong(byKeyFile())
    }
}
