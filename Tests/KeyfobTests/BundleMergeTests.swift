@testable import Keyfob
import KeyfobModel
import KeyfobRecords
import KeyfobSQLiteTestSupport
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("Merging bundles", .eachStorageInFullRun)
struct BundleMergeTests {
    private let keys = BundleKeys()

    /// Counts the secrets that are in use; what an import has taken away is kept for an undo.
    private let secrets = "SELECT count(*) FROM secrets JOIN records USING (id) WHERE kind <> 10"

    /// Two vaults that hold the same account, the second an hour behind the first.
    private func pair() throws -> (KeyringHome, KeyringHome, Account) {
        let (home, other) = (try KeyringHome(), try KeyringHome())
        let ada = try Account.contoso("ada", label: "boss")
        try home.keyring.store(.refresh(ada), "first", for: ada)
        try send(home.keyring, to: other)
        return (home, other, ada)
    }

    @discardableResult
    private func send(_ keyring: Keyring, to other: KeyringHome) throws -> ImportPlan {
        let bundle = try keyring.bundle(for: keys.seal)
        return try other.keyring.bundles.import(try other.folder.bundle(bundle), with: keys.opener)
    }

    private func label(_ keyring: Keyring) throws -> String? { try keyring.accounts.list().first?.account.label }

    @Test(
        "what sign-ins send comes with other decisions, and else stays what it is here",
        arguments: [[], .all] as [DecisionKinds])
    func parameters(decisions: DecisionKinds) throws {
        let (home, other, ada) = try pair()
        func store(_ parameters: [String: String], _ text: String, in keyring: Keyring) throws {
            var token = Credential.refresh(ada)
            token.signInParameters = parameters
            try keyring.store(token, text, for: ada)
        }
        try store(["audience": "own"], "second", in: other.opened(at: noon.advanced(by: 60)))
        let theirs = try home.opened(at: noon.advanced(by: 120))
        try store(["audience": "theirs"], "third", in: theirs)
        _ = try other.keyring.bundles.import(
            try other.folder.bundle(theirs.bundle(for: keys.seal)), with: keys.opener, taking: decisions)
        let token = try other.keyring.accounts.credentials(of: ada.id, in: .default).first { $0.kind == .refreshToken }
        #expect(token?.signInParameters == ["audience": decisions.isEmpty ? "own" : "theirs"])
    }

    @Test("fields that changed on both sides are merged one by one")
    func fields() throws {
        let (home, other, ada) = try pair()
        let later = try other.opened(at: noon.advanced(by: 60))
        try later.accounts.setLabel("chief", of: ada.id, in: .default)
        let latest = try home.opened(at: noon.advanced(by: 120))
        var renamed = ada
        (renamed.displayName, renamed.label) = ("Ada L.", nil)
        try latest.store(.refresh(ada), "first", for: renamed)
        try send(latest, to: other)
        #expect(try label(other.keyring) == "chief")
        #expect(try other.keyring.accounts.list().first?.account.displayName == "Ada L.")
        let plan = try send(later, to: home)
        #expect(plan.lines.first?.fields == ["label"])
        #expect(try label(home.keyring) == "chief")
    }

    @Test("a label that was taken away stays away")
    func noLabel() throws {
        let (home, other, ada) = try pair()
        try home.opened(at: noon.advanced(by: 60)).accounts.setLabel(nil, of: ada.id, in: .default)
        try send(home.keyring, to: other)
        #expect(try label(other.keyring) == nil)
        try send(other.keyring, to: home)
        #expect(try label(home.keyring) == nil)
    }

    @Test("an account that was removed goes, and signs its grants out", .embeddedAlone)
    func removal() throws {
        let (home, other, ada) = try pair()
        let old = try home.keyring.bundle(for: keys.seal)
        _ = try home.opened(at: noon.advanced(by: 60)).accounts.removeForGood(ada.id, from: .default)
        #expect(try home.keyring.accounts.list().isEmpty)
        #expect(try home.database().numbers(secrets) == [0])
        #expect(try home.keyring.groups.list().first?.credentials == 0)
        let plan = try send(home.keyring, to: other)
        #expect(plan.counts["removed"] == 2)
        #expect(try other.keyring.accounts.list().isEmpty)
        #expect(try other.database().numbers(secrets) == [0])
        let revived = try home.keyring.bundles.import(try home.folder.bundle(old), with: keys.opener)
        #expect(Set(revived.lines.compactMap(\.reason)) == ["deletedHere", "signedOutHere"])
        #expect(try home.keyring.accounts.list().isEmpty)
        // A new sign-in is later than all of that.
        try home.opened(at: noon.advanced(by: 90)).store(.refresh(ada), "second", for: ada)
        try send(home.keyring, to: other)
        #expect(try other.keyring.accounts.credentials(of: ada.id, in: .default).first?.grant?.epoch == 2)
        #expect(try other.keyring.accounts.list().count == 1)
        #expect(try other.keyring.health.verify().problems == [])
    }

    @Test("a sign-out that comes in leaves the account and takes the token", .embeddedAlone)
    func signOut() throws {
        let (_, other, ada) = try pair()
        var ended = Credential.refresh(ada)
        ended.grant = Grant(state: .signedOut)
        let record = ItemRecord(
            group: .default, content: .credential(ended), version: ItemVersion(stamp: Stamp(value: 1), device: 1))
        let bundle = try keys.crafted([.init(record: record)])
        let plan = try other.keyring.bundles.import(try other.folder.bundle(bundle), with: keys.opener)
        #expect(plan.lines.map(\.outcome) == ["removed"])
        #expect(try other.database().numbers(secrets) == [0])
        #expect(try other.keyring.accounts.list().map(\.state) == [.signedOut])
        #expect(try other.keyring.caches.exportMSAL { _ in }.credentials == 0)
        #expect(try other.keyring.health.verify().problems == [])
        let again = try other.keyring.bundle(for: keys.seal)
        #expect(try records(again, keys).values.contains { $0.record == record })
        try other.keyring.store(.refresh(ada), "again", for: ada)
        let grant = try other.keyring.accounts.credentials(of: ada.id, in: .default).first?.grant
        #expect(grant == Grant(epoch: 2, ended: 1))
    }

    @Test("an account that was removed elsewhere takes with it what is known of it here alone", .embeddedAlone)
    func tokensOfRemovedAccount() throws {
        let (home, other, ada) = try pair()
        try other.keyring.store(.access(ada), "access", for: ada)
        try other.keyring.store(.refresh(ada, client: "second"), "of another client", for: ada)
        _ = try home.opened(at: noon.advanced(by: 60)).accounts.removeForGood(ada.id, from: .default)
        let plan = try send(home.keyring, to: other)
        #expect(plan.counts["removed"] == 4)
        #expect(try other.database().numbers(secrets) == [0])
        #expect(try other.keyring.accounts.list().isEmpty)
        #expect(try other.keyring.caches.exportMSAL { _ in }.credentials == 0)
        let content = BundleContent(includesAccessTokens: true)
        let held = try records(try other.keyring.bundle(content, for: keys.seal), keys).values.map(\.record)
        #expect(held.allSatisfy { $0.isTombstone || $0.content.credential?.grant?.state == .signedOut })
        let report = try other.keyring.health.verify()
        #expect(report.problems == [] && report.orphans == [])
        let again = try send(home.keyring, to: other)
        #expect(again.counts["removed"] == nil)
    }

    @Test(
        "a sign-in after the account was removed elsewhere keeps the account, and brings it back there", .embeddedAlone)
    func signedInSince() throws {
        let (home, other, ada) = try pair()
        try other.keyring.store(.refresh(ada, client: "second"), "of another client", for: ada)
        _ = try home.opened(at: noon.advanced(by: 60)).accounts.removeForGood(ada.id, from: .default)
        let later = try other.opened(at: noon.advanced(by: 120))
        try later.withState { state in
            let group = try state.group(.default)
            try later.change(&state, group) { writer in
                #expect(try writer.save(ada, from: .signIn) == .unchanged)
                _ = try writer.save(.refresh(ada), secret: secret("again"), from: .signIn)
            }
        }
        let plan = try send(home.keyring, to: other)
        #expect(plan.counts["removed"] == nil)
        #expect(plan.conflicts.map(\.name) == ["deletedAndChanged"])
        for keyring in [other.keyring, home.keyring] {
            if keyring === home.keyring { try send(other.keyring, to: home) }
            #expect(try keyring.accounts.list().map(\.account.username) == [ada.username])
            #expect(try keyring.caches.exportMSAL { _ in }.credentials == 2)
            let grants = try keyring.accounts.credentials(of: ada.id, in: .default).filter { $0.kind == .refreshToken }
            #expect(grants.allSatisfy { $0.grant?.state == .active } && grants.count == 2)
            let report = try keyring.health.verify()
            #expect(report.problems == [] && report.orphans == [])
        }
    }

    @Test(
        "a refresh since does not keep what a removal elsewhere takes, and what comes in late goes too", .embeddedAlone)
    func refreshedSince() throws {
        let (home, other, ada) = try pair()
        try other.keyring.store(.refresh(ada, client: "second"), "of another client", for: ada)
        let late = try other.keyring.bundle(for: keys.seal)
        _ = try home.opened(at: noon.advanced(by: 60)).accounts.removeForGood(ada.id, from: .default)
        let later = try other.opened(at: noon.advanced(by: 120))
        try later.withState { state in
            let group = try state.group(.default)
            try later.change(&state, group) { writer in
                let key = GrantKey(.refresh(ada, client: "second"))
                try writer.replaceGrant(key, secret: secret("rotated")) { $0.grant?.generation += 1 }
            }
        }
        let plan = try send(home.keyring, to: other)
        #expect(plan.counts["removed"] == 3)
        #expect(plan.conflicts == [])
        let brought = try home.keyring.bundles.import(try home.folder.bundle(late), with: keys.opener)
        #expect(brought.counts["added"] == nil)
        for home in [home, other] {
            #expect(try home.database().numbers(secrets) == [0])
            #expect(try home.keyring.health.verify().orphans == [])
        }
    }

    @Test("a verification names what is left of a removed account, and removing it again takes that", .embeddedAlone)
    func orphans() throws {
        let home = try KeyringHome()
        let ada = try Account.contoso("ada")
        try home.keyring.store(.refresh(ada), "first", for: ada)
        _ = try home.keyring.accounts.removeForGood(ada.id, from: .default)
        #expect(try home.keyring.health.verify().orphans == [])
        try home.keyring.withState { state in
            let group = try state.group(.default)
            try home.keyring.change(&state, group) { writer in
                _ = try writer.save(.access(ada), secret: secret("left"), from: .file)
                _ = try writer.save(.refresh(ada, client: "second"), secret: secret("left"), from: .file)
            }
        }
        #expect(try home.keyring.accounts.list().isEmpty)
        #expect(try home.keyring.caches.exportMSAL { _ in }.credentials == 2)
        let left = try home.keyring.health.verify().orphans
        #expect(left == [Keyring.Orphans(account: ada.id, group: .default, tokens: 2)])
        #expect(try home.keyring.accounts.removeForGood(ada.id, from: .default) == 2)
        #expect(try home.keyring.health.verify().orphans == [])
        #expect(try home.keyring.caches.exportMSAL { _ in }.credentials == 0)
    }

    @Test("a sign-out that comes in takes the access tokens of its client, and of no other", .embeddedAlone)
    func tokensOfSignedOutClient() throws {
        let (_, other, ada) = try pair()
        try other.keyring.store(.access(ada), "access", for: ada)
        var ended = Credential.refresh(ada)
        ended.grant = Grant(state: .signedOut)
        let record = ItemRecord(
            group: .default, content: .credential(ended), version: ItemVersion(stamp: Stamp(value: 1), device: 1))
        let bundle = try keys.crafted([.init(record: record)])
        try other.keyring.store(.access(ada, client: "second"), "of another client", for: ada)
        _ = try other.keyring.bundles.import(try other.folder.bundle(bundle), with: keys.opener)
        #expect(try other.database().numbers(secrets) == [1])
        #expect(try other.keyring.caches.exportMSAL { _ in }.credentials == 1)
        // What is stored after the sign-out stays.
        try other.keyring.store(.access(ada), "later", for: ada)
        _ = try other.keyring.bundles.import(try other.folder.bundle(bundle), with: keys.opener)
        #expect(try other.keyring.caches.exportMSAL { _ in }.credentials == 2)
    }

    @Test("access tokens of an account that was removed do not come back")
    func accessTokens() throws {
        let home = try KeyringHome()
        let ada = try Account.contoso("ada")
        try home.keyring.store(.access(ada), "access", for: ada)
        let old = try home.keyring.bundle(BundleContent(includesAccessTokens: true), for: keys.seal)
        _ = try home.opened(at: noon.advanced(by: 1)).accounts.removeForGood(ada.id, from: .default)
        let plan = try home.keyring.bundles.import(try home.folder.bundle(old), with: keys.opener)
        #expect(plan.lines.allSatisfy { $0.reason == "deletedHere" })
        #expect(try home.keyring.groups.list().first?.credentials == 0)
    }

    @Test("of access tokens with a scope in common the newer one stays")
    func overlap() throws {
        let (home, other) = (try KeyringHome(), try KeyringHome())
        let ada = try Account.contoso("ada")
        try home.keyring.store(.access(ada, scopes: ["a", "b"], expires: 100), "older", for: ada)
        var newer = Credential.access(ada, scopes: ["b", "c"], expires: 900)
        newer.cachedAt = noon.advanced(by: 5)
        try other.keyring.store(newer, "newer", for: ada)
        let content = BundleContent(includesAccessTokens: true)
        let bundle = try home.keyring.bundle(content, for: keys.seal)
        let plan = try other.keyring.bundles.import(try other.folder.bundle(bundle), with: keys.opener)
        #expect(plan.lines.first { $0.kind == "accessToken" }?.reason == "newerHere")
        let back = try other.keyring.bundle(content, for: keys.seal)
        _ = try home.keyring.bundles.import(try home.folder.bundle(back), with: keys.opener)
        #expect(try home.keyring.accounts.credentials(of: ada.id, in: .default).map(\.scopes) == [newer.scopes])
    }

    @Test("two refreshes of one token on two machines are reported")
    func fork() throws {
        let (home, other, ada) = try pair()
        try home.opened(at: noon.advanced(by: 60)).store(.refresh(ada), "here", for: ada)
        try other.opened(at: noon.advanced(by: 70)).store(.refresh(ada), "there", for: ada)
        let plan = try send(home.keyring, to: other)
        #expect(plan.conflicts.map(\.name) == ["forkedGrant"])
    }

    @Test("a replacement leaves nothing but the bundle in its groups, and makes a backup first")
    func replacement() throws {
        let (home, other, ada) = try pair()
        let bob = try Account.contoso("bob")
        try other.keyring.store(.refresh(bob), "bob", for: bob)
        try other.keyring.accounts.setLabel("other", of: ada.id, in: .default)
        try other.keyring.groups.create(AccessGroup("own"))
        let bundle = try home.keyring.bundle(for: keys.seal)
        let plan = try other.keyring.bundles.import(
            try other.folder.bundle(bundle), with: keys.opener, mode: .replace)
        #expect(try records(bundle, keys) == records(try other.keyring.bundle(for: keys.seal), keys))
        #expect(plan.keptGroups.map(\.name) == ["own"])
        #expect(plan.counts["removed"] == 2)
        let backup = try #require(plan.backup)
        let restored = try other.keyring.bundles.restore(
            try BundleFile(path: backup), with: .identities(secret(other.recoveryKey)))
        #expect(restored.backup != nil)
        #expect(try label(other.keyring) == "other")
        #expect(try other.keyring.accounts.list().count == 2)
        #expect(try other.keyring.bundles.restoredGrants().map(\.account) == [bob.id])
        try other.keyring.store(.refresh(bob), "newer", for: bob)
        #expect(try other.keyring.bundles.restoredGrants() == [])
    }

    @Test("groups that were not granted are refused and stay as they are", .embeddedAlone)
    func groups() throws {
        let (home, other) = (try KeyringHome(), try KeyringHome())
        try home.fill()
        let work = try AccessGroup("work")
        try other.keyring.groups.create(work)
        _ = try other.keyring.slots.grant(work, to: .keyFile(keyFile(9)))
        let bundle = try home.keyring.bundle(for: keys.seal)
        let guest = try other.opened(keyFile: 9)
        let plan = try guest.bundles.import(try other.folder.bundle(bundle), with: keys.opener)
        #expect(plan.lines.filter { $0.group == .default }.allSatisfy { $0.reason == "groupNotGranted" })
        #expect(plan.lines.filter { $0.group == work }.allSatisfy { $0.outcome != "refused" || $0.kind == "setting" })
        #expect(try other.keyring.accounts.list().map(\.group) == [work])
        let refused = failure(of: KeyringError.self) {
            _ = try guest.bundles.import(try other.folder.bundle(bundle), with: keys.opener, groups: [.default])
        }
        #expect(refused?.code == .groupNotGranted)
        let only = try home.keyring.bundle(BundleContent(groups: [.default]), for: keys.seal)
        let none = failure(of: KeyringError.self) {
            _ = try guest.bundles.import(try other.folder.bundle(only), with: keys.opener)
        }
        #expect(none?.code == .groupNotGranted)
        let selected = try other.keyring.bundles.planImport(
            try other.folder.bundle(bundle), with: keys.opener, groups: [work])
        #expect(selected.lines.filter { $0.group == .default }.allSatisfy { $0.reason == "notSelected" })
    }

    @Test("what is for one device alone leaves it in a backup only, and comes back only by a restore")
    func thisDeviceOnly() throws {
        let (home, other) = (try KeyringHome(), try KeyringHome())
        func set(_ value: String?) throws {
            try home.keyring.withState { state in
                let group = try state.group(.default)
                try home.keyring.change(&state, group) {
                    try $0.setSetting("device key", to: value, isThisDeviceOnly: true)
                }
            }
        }
        try set("x")
        let first = try home.keyring.bundles.backUp(for: [keys.recipient]).path
        try set(nil)
        _ = try home.keyring.bundles.restore(try BundleFile(path: first), with: keys.opener)
        #expect(try records(try home.keyring.bundle(for: keys.seal), keys).isEmpty)
        let backup = try home.keyring.bundles.backUp(for: [keys.recipient])
        #expect(backup.summary.counts == ["setting": 1])
        let refused = failure(of: KeyringError.self) {
            _ = try other.keyring.bundles.import(try BundleFile(path: backup.path), with: keys.opener)
        }
        #expect(refused?.code == .usage)
    }
}
