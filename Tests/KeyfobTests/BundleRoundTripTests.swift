import Keyfob
import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("A bundle's round trip", .eachStorageInFullRun)
struct BundleRoundTripTests {
    private let keys = BundleKeys()

    private func restored(_ home: KeyringHome, _ name: String = "second") throws -> Keyring.Restored {
        let backup = try home.keyring.bundles.backUp()
        return try Keyring.restore(
            try BundleFile(path: backup.path), with: .identities(secret(home.recoveryKey)),
            at: KeyringLocation(vault: home.folder.path + "/" + name, state: home.folder.path + "/state"),
            slot: .keyFile(keyFile(2)), clock: .standing(at: noon))
    }

    @Test("a vault restored into an empty place equals the one backed up, record by record")
    func restoring() throws {
        let home = try KeyringHome()
        try home.fill()
        let before = try records(try home.keyring.bundle(for: keys.seal), keys)
        let restored = try restored(home)
        let after = try records(try restored.keyring.bundle(for: keys.seal), keys)
        #expect(before == after)
        #expect(before.count >= 9)
        #expect(try restored.keyring.groups.list().map(\.name) == home.keyring.groups.list().map(\.name))
        let (accounts, former) = (try restored.keyring.accounts.list(), try home.keyring.accounts.list())
        #expect(accounts.map(\.account) == former.map(\.account))
        #expect(accounts.map(\.group) == former.map(\.group))
        #expect(accounts.map(\.state) == former.map(\.state))
        #expect(accounts.map(\.isDefault) == former.map(\.isDefault))
        #expect(try restored.keyring.bindings.list() == home.keyring.bindings.list())
        #expect(try restored.keyring.health.verify().problems == [])
        #expect(restored.keyring.vaultID != home.keyring.vaultID)
        #expect(restored.plan.counts["refused"] == nil)
        let marked = try restored.keyring.bundles.restoredGrants()
        #expect(marked.map(\.account.homeAccountID) == ["ada-uid.contoso"])
    }

    @Test("what was restored is unlocked by the new slot and the new recovery key, and by no old key", .embeddedAlone)
    func newKeys() throws {
        let home = try KeyringHome()
        try home.fill()
        let restored = try restored(home)
        let location = restored.keyring.location
        _ = try LockedKeyring(at: location).unlock(with: .keyFile(keyFile(2)))
        let recovery = contents(of: restored.recoveryKey)
        _ = try LockedKeyring(at: location).unlock(with: .identity(secret(recovery)))
        #expect(
            failure(of: KeyringError.self) { _ = try LockedKeyring(at: location).unlock(with: .keyFile(keyFile(1))) }?
                .code == .wrongKey)
        #expect(throws: KeyringError(.alreadyExists, "")) { _ = try self.restored(home) }
    }

    @Test("an export that another vault takes in is there record by record, and taken in again changes nothing")
    func merging() throws {
        let (home, other) = (try KeyringHome(), try KeyringHome())
        try home.fill()
        let bundle = try home.keyring.bundle(for: keys.seal)
        let dry = try other.keyring.bundles.planImport(try other.folder.bundle(bundle), with: keys.opener, taking: .all)
        let untouched = try other.state()
        #expect(
            try other.keyring.bundles.planImport(try other.folder.bundle(bundle), with: keys.opener, taking: .all)
                == dry)
        #expect(try other.state() == untouched)
        let plan = try other.keyring.bundles.import(try other.folder.bundle(bundle), with: keys.opener, taking: .all)
        #expect(plan == dry)
        #expect(plan.newGroups.map(\.name) == ["work"])
        #expect(try records(bundle, keys) == records(try other.keyring.bundle(for: keys.seal), keys))
        let state = try other.state()
        let again = try other.keyring.bundles.import(try other.folder.bundle(bundle), with: keys.opener, taking: .all)
        #expect(again.isEmpty)
        #expect(try other.state() == state)
        #expect(try other.keyring.health.verify().problems == [])
        #expect(try other.keyring.bundles.restoredGrants() == [])
    }

    @Test("unknown fields, tombstones and versions survive two vaults")
    func unknownFields() throws {
        let (home, third) = (try KeyringHome(), try KeyringHome())
        let ada = try Account.contoso("ada", label: "boss")
        var record = ItemRecord(
            group: .default, content: .account(ada), version: ItemVersion(stamp: Stamp(value: 900), device: 3),
            history: ItemHistory(
                fieldVersions: [.label: ItemVersion(stamp: Stamp(value: 700), device: 4)],
                deletion: ItemVersion(stamp: Stamp(value: 600), device: 1)))
        record.history.unknownFields.objects["account"] = AdditionalFields([.init(name: "mood", json: "{\"a\":1.0}")])
        record.history.fieldVersions[.additional("mood", in: "account")] = ItemVersion(
            stamp: Stamp(value: 800), device: 3)
        var grant = ItemRecord(
            group: .default, content: .credential(.refresh(ada)),
            version: ItemVersion(stamp: Stamp(value: 901), device: 3))
        grant.history.unknownFields.objects["credential.grant"] = AdditionalFields([.init(name: "new", json: "true")])
        let gone = ItemRecord(
            group: .default, content: .tombstone(.setting("binding:dir:/x:*")),
            version: ItemVersion(stamp: Stamp(value: 5), device: 5))
        var ended = try Credential.refresh(.contoso("eve"))
        ended.cachedAt = nil
        ended.grant = Grant(state: .signedOut, epoch: 4, generation: 2)
        let entries = [
            BundleContents.Entry(record: record), .init(record: grant, secret: "token"), .init(record: gone),
            .init(
                record: ItemRecord(
                    group: .default, content: .credential(ended),
                    version: ItemVersion(stamp: Stamp(value: 6), device: 5))),
        ]
        let bundle = try keys.crafted(entries)
        _ = try home.keyring.bundles.import(try home.folder.bundle(bundle), with: keys.opener, taking: .all)
        let second = try home.keyring.bundle(for: keys.seal)
        _ = try third.keyring.bundles.import(try third.folder.bundle(second), with: keys.opener, taking: .all)
        let original = try records(bundle, keys)
        #expect(try records(second, keys) == original)
        #expect(try records(try third.keyring.bundle(for: keys.seal), keys) == original)
        #expect(try home.keyring.accounts.list().map(\.account.id) == [ada.id])
        #expect(try home.keyring.health.verify().problems == [])
        // The next sign-in of somebody who signed out is a new epoch.
        let eve = try Account.contoso("eve")
        try home.keyring.store(.refresh(eve), "again", for: eve)
        #expect(try home.keyring.accounts.credentials(of: eve.id, in: .default).first?.grant?.epoch == 5)
    }

    @Test("access tokens go only when they are asked for, and only the account that was asked for")
    func content() throws {
        let home = try KeyringHome()
        try home.fill()
        let everything = try records(try home.keyring.bundle(for: keys.seal), keys)
        #expect(!everything.keys.contains { $0.key.kind == .accessToken })
        let content = BundleContent(includesAccessTokens: true)
        let tokens = try records(try home.keyring.bundle(content, for: keys.seal), keys)
        #expect(tokens.values.contains { $0.secret == "access of ada" })
        #expect(tokens.count == everything.count + 1)
        let bob = try Account.contoso("bob").id
        let one = try records(try home.keyring.bundle(BundleContent(account: bob), for: keys.seal), keys)
        #expect(Set(one.keys.map(\.key.kind)) == [.account, .grant])
        #expect(one.keys.allSatisfy { $0.key.account == bob.canonical })
        let work = try AccessGroup("work")
        let group = try records(try home.keyring.bundle(BundleContent(groups: [work]), for: keys.seal), keys)
        #expect(Set(group.keys.map(\.group)) == [work])
    }

    @Test("armor and passphrases open as well", arguments: [false, true])
    func passphrase(isArmored: Bool) throws {
        let (home, other) = (try KeyringHome(), try KeyringHome())
        try home.fill()
        let bundle = try home.keyring.bundle(for: .passphrase(secret("correct horse")), isArmored: isArmored)
        #expect(BundleFile.isBundle(Array(bundle.prefix(BundleFile.startCount))))
        let file = try other.folder.bundle(bundle)
        let isForPassphrase = file.needsPassphrase
        #expect(isForPassphrase)
        let wrong = failure(of: KeyringError.self) {
            _ = try other.keyring.bundles.import(file, with: .passphrase(secret("wrong")))
        }
        #expect(wrong?.code == .wrongKey)
        let plan = try other.keyring.bundles.import(file, with: .passphrase(secret("correct horse")))
        #expect(plan.counts["added"] != nil)
        let isForIdentity = try !other.folder.bundle(
            try home.keyring.bundle(for: keys.seal, isArmored: isArmored)
        ).needsPassphrase
        #expect(isForIdentity)
    }
}
