import Foundation
import KeyfobModel
import KeyfobRecords
import KeyfobSync
import KeyfobTestSupport
import Testing

@testable import Keyfob

@Suite("Sync")
struct SyncTests {
    @Test("what is done on one machine is done on the others, and nothing is written where nothing is new")
    func spreading() throws {
        let home = try SyncHome("one", "two", "three")
        let (one, two, three) = (try home["one"], try home["two"], try home["three"])
        let ada = try Account.contoso("ada", label: "work")
        try one.signIn(ada, token: "token of one")
        try one.set("binding:tool:gh:", to: "ada")
        try home.settle()
        for machine in [two, three] {
            #expect(try machine.accounts().map(\.label) == ["work"])
            #expect(try machine.setting("binding:tool:gh:") == "ada")
            // The token stays where it is, and the account is known not to be signed in here.
            #expect(try machine.keyring.accounts.list(in: [.default]).first?.state == .noCredentials)
            #expect(try machine.grant(ada) == nil)
        }
        try two.change { writer in try writer.update(ada.id) { $0.label = "office" } }
        try home.settle()
        #expect(try one.accounts().first?.label == "office")
        #expect(try one.grant(ada)?.state == .active)
        let before = try home.files(of: one)
        #expect(try home.sync("one").hasPublished == false)
        #expect(try home.files(of: one) == before)
        // A refresh is nobody else's business.
        try one.refresh(ada, token: "another of one")
        let report = try home.sync("one")
        #expect(!report.hasPublished && report.bytes == 0)
        #expect(try home.files(of: one) == before)
    }

    @Test("a sign-out on one machine ends the sign-ins of all that it knew of, and a later sign-in stands")
    func signOut() throws {
        let home = try SyncHome("one", "two")
        let (one, two) = (try home["one"], try home["two"])
        let ada = try Account.contoso("ada")
        try one.signIn(ada, token: "a")
        try home.settle()
        // Several sign-ins here, of which the other machine learns.
        for token in ["b", "c", "d"] { try two.signIn(ada, token: token) }
        #expect(try two.grant(ada)?.epoch == 4)
        try home.settle()
        try one.signOut(ada)
        try two.refresh(ada, token: "e")
        try home.settle()
        #expect(try one.grant(ada)?.state == .signedOut)
        #expect(try two.grant(ada)?.state == .signedOut)
        try one.signIn(ada, token: "f")
        try home.settle()
        #expect(try one.grant(ada)?.state == .active)
        #expect(try two.grant(ada)?.state == .signedOut)
        #expect(try two.signIn(ada, token: "g") == 6)
    }

    @Test("a sign-out is not undone by a sign-in that comes after it on the same machine before others hear of either")
    func signOutAndIn() throws {
        let home = try SyncHome("one", "two", "three")
        let (one, two, ada) = (try home["one"], try home["two"], try Account.contoso("ada"))
        try two.signIn(ada, token: "of two")
        try one.signIn(ada, token: "of one")
        try one.signOut(ada)
        #expect(try one.signIn(ada, token: "of one, anew") == 2)
        try home.settle()
        #expect(try two.grant(ada)?.state == .signedOut && two.grant(ada)?.latestEpoch == 2)
        #expect(try one.grant(ada)?.state == .active)
        // Its own next sign-in is another one, and ends nobody's.
        #expect(try two.signIn(ada, token: "of two, anew") == 3)
        try home.settle()
        for machine in [one, two] { #expect(try machine.grant(ada)?.state == .active, "\(machine.name)") }
        // Nor does one end that a machine began knowing of the sign-out.
        #expect(try home["three"].signIn(ada, token: "of three") > 3)
        try home.settle()
        for machine in home.machines { #expect(try machine.grant(ada)?.state == .active, "\(machine.name)") }
    }

    @Test(
        "a sign-out on one machine and a refresh on another at the same time end signed out, whichever arrives first",
        arguments: [true, false], [true, false])
    func race(isShared: Bool, isSignOutFirst: Bool) throws {
        let home = try SyncHome("one", "two", "three")
        let (one, two) = (try home["one"], try home["two"])
        let account = isShared ? try Account.google("grace") : try .contoso("ada")
        try one.signIn(account, token: "a")
        if !isShared { try two.signIn(account, token: "b") }
        try home.settle()
        #expect(try two.grant(account)?.state == .active)
        // Neither knows of the other; the clock of the one that refreshes is ahead.
        try one.signOut(account)
        home.clock.advance(by: 3_600)
        #expect(try two.refresh(account, token: "c"))
        for name in isSignOutFirst ? ["one", "three", "two"] : ["two", "three", "one"] { try home.sync(name) }
        try home.settle()
        for machine in home.machines {
            #expect(try machine.grant(account).map { $0.state == .signedOut } ?? !isShared, "\(machine.name)")
            #expect(try machine.items().values.allSatisfy { $0.secret == nil })
        }
        #expect(try two.signIn(account, token: "d") > 1)
        try home.settle()
        #expect(try two.grant(account)?.state == .active)
    }

    @Test("a device that is silent for long is told of, and one that has nothing new shows itself all the same")
    func silence() throws {
        let home = try SyncHome("one", "two", "three")
        let now = { home.clock.clock.now }
        for _ in 0..<10 {
            home.clock.advance(by: 8 * 86_400)
            #expect(try home.sync("one").hasPublished)
            try home.sync("two")
        }
        let status = try home.sync("one").status
        let silent = status.devices.filter { $0.silentDays(at: now()) != nil }
        #expect(silent.map(\.name) == ["three"])
        #expect(silent.first?.silentDays(at: now()) == 80)
        try home.sync("three")
        #expect(try home.sync("one").status.devices.allSatisfy { $0.silentDays(at: now()) == nil })
    }

    @Test("of each account it is known from which device it came")
    func origin() throws {
        let home = try SyncHome("one", "two")
        let ada = try Account.contoso("ada")
        try home["one"].signIn(ada, token: "a")
        try home.settle()
        #expect(try home["two"].keyring.sync.origin(of: ada.id, in: .default) == "one")
        #expect(try home["one"].keyring.sync.origin(of: ada.id, in: .default) == nil)
    }

    @Test("a refresh token travels where its provider never replaces it, and its sign-out ends it everywhere")
    func shared() throws {
        let home = try SyncHome("one", "two")
        let (one, two) = (try home["one"], try home["two"])
        let grace = try Account.google("grace")
        try one.signIn(grace, token: "shared token")
        try home.settle()
        #expect(try two.grant(grace)?.state == .active)
        let key = ItemKey(.refresh(grace))
        #expect(try two.items()[key]?.secret == Array("shared token".utf8))
        try two.signOut(grace)
        try home.settle()
        #expect(try one.grant(grace)?.state == .signedOut)
        #expect(try one.items()[key]?.secret == nil)
    }

    @Test("an account that is removed on one machine is gone on all, with the sign-ins of all")
    func removal() throws {
        let home = try SyncHome("one", "two")
        let (one, two) = (try home["one"], try home["two"])
        let (ada, grace) = (try Account.contoso("ada"), try Account.google("grace"))
        for account in [ada, grace] { try one.signIn(account, token: "t") }
        try home.settle()
        try two.signIn(ada, token: "u")
        home.clock.advance(by: 1)
        _ = try one.keyring.accounts.removeForGood(ada.id, from: .default)
        _ = try two.keyring.accounts.removeForGood(grace.id, from: .default)
        try home.settle()
        for machine in [one, two] {
            #expect(try machine.accounts().isEmpty)
            #expect(try machine.items().values.allSatisfy { $0.secret == nil })
        }
    }

    @Test("access tokens, providers, clients and their secrets, and other programs' entries stay where they are")
    func staying() throws {
        let home = try SyncHome("one", "two")
        let (one, two) = (try home["one"], try home["two"])
        let ada = try Account.contoso("ada")
        try one.signIn(ada, token: "r")
        try one.keyring.store(.access(ada), "access", for: ada)
        try one.change { writer in
            try writer.setSetting("provider:evil", to: "{}")
            try writer.setSetting("client:host:id", to: "{}")
            try writer.setSetting("allow:/project", to: "x")
            _ = try writer.save(clientSecret: secret("s"), clientID: "id", environment: "host")
            _ = try writer.saveForeign(section: "Unknown", key: "k", json: secret("{}"))
        }
        try home.settle()
        #expect(Set(try two.items().keys.map(\.kind)).subtracting([.account, .grant]).isEmpty)
        #expect(try two.items().values.allSatisfy { $0.secret == nil })
    }

    @Test("the files at the remote hold no name, no group, no account and no host")
    func remoteBytes() throws {
        let home = try SyncHome("machine-one", "machine-two")
        let one = try home["machine-one"]
        let group = try AccessGroup("secret-project")
        try one.keyring.groups.create(group)
        try one.signIn(try .contoso("ada", label: "my-label"), token: "token-text", in: group)
        try home.settle()
        #expect(try home["machine-two"].accounts(in: group).count == 1)
        let pattern = /devices(\/[0-9a-f]{24}(\/(head\.age|[0-9]+-[0-9a-f]{32}\.age))?)?/
        let files = try FileManager.default.subpathsOfDirectory(atPath: home.remote)
        #expect(files.count > 6)
        for file in files {
            #expect(file.wholeMatch(of: pattern) != nil, "\(file)")
            guard let data = FileManager.default.contents(atPath: home.remote + "/" + file) else { continue }
            for word in ["machine", "secret-project", "default", "ada", "my-label", "token-text", "contoso"] {
                #expect(!data.holds(Data(word.utf8)), "\(word) in \(file)")
            }
        }
    }

    @Test("a device that shares one group sees, and decides for, that group alone")
    func scope() throws {
        let home = try SyncHome("one")
        let one = try home["one"]
        let (work, own) = (try AccessGroup("work"), try AccessGroup("own"))
        for group in [work, own] { try one.keyring.groups.create(group) }
        try one.signIn(try .contoso("ada"), token: "t", in: work)
        try one.signIn(try .google("grace"), token: "t", in: own)
        let two = try home.machine("two")
        try two.keyring.groups.create(own)
        try two.signIn(try .google("eve"), token: "t", in: own)
        try home.letIn(two, by: one, groups: [work])
        try home.settle()
        #expect(try two.accounts(in: work).count == 1)
        #expect(try two.accounts(in: own).map(\.username) == ["eve@google.example"])
        #expect(try one.accounts(in: own).map(\.username) == ["grace@google.example"])
        // What its owner decides there is the word of a group's key here, and no more.
        try two.change(in: work) { try $0.setSetting("binding:tool:gh:", to: "ada") }
        try home.settle()
        let decisions = try one.keyring.groups.foreignDecisions(in: [work])
        #expect(decisions.map(\.name) == ["binding:tool:gh:"])
        #expect(try home.findings("one").isEmpty)
    }

    @Test("what the owner decides on a device that shares all is the owner's word on the others")
    func owners() throws {
        let home = try SyncHome("one", "two")
        try home["one"].set("binding:tool:gh:", to: "ada")
        try home.settle()
        #expect(try home["two"].keyring.groups.foreignDecisions().isEmpty)
        #expect(try home["two"].setting("binding:tool:gh:") == "ada")
    }

    @Test("a revoked device reads nothing that comes, brings nothing, and its decisions go everywhere")
    func revocation() throws {
        let home = try SyncHome("one", "two", "three")
        let (one, two, three) = (try home["one"], try home["two"], try home["three"])
        try one.set("binding:tool:one:", to: "ada")
        try two.set("binding:tool:two:", to: "ada")
        try one.signIn(try .google("grace"), token: "t")
        try home.settle()
        #expect(try three.setting("binding:tool:two:") == "ada")
        let change = try one.keyring.sync.revoke("two")
        #expect(change.removedDecisions.count == 1 && change.signIns.count == 1)
        try two.set("binding:tool:late:", to: "eve")
        try home.settle(["one", "three"])
        for machine in [one, three] {
            #expect(try machine.setting("binding:tool:two:") == nil)
            #expect(try machine.setting("binding:tool:one:") == "ada")
        }
        try one.signIn(try .contoso("new"), token: "t")
        try home.settle()
        #expect(try !two.accounts().contains { $0.username.hasPrefix("new") })
        #expect(try one.setting("binding:tool:late:") == nil && three.setting("binding:tool:late:") == nil)
        #expect(try two.keyring.sync.status().findings.contains { $0.kind == "closed" })
        // It can come back as another device.
        try FileManager.default.removeItem(atPath: two.location.vault + "/sync")
        try home.letIn(two, by: three)
        try home.settle()
        #expect(try two.accounts().contains { $0.username.hasPrefix("new") })
    }

    @Test("decisions that this vault's owner took in from elsewhere travel as its own")
    func adopted() throws {
        let home = try SyncHome("one")
        let two = try home.machine("two")
        func decide(_ name: String) throws {
            try two.change { writer in
                let item = ItemRecord(
                    group: .default, content: .setting(name: name, value: "ada"),
                    version: ItemVersion(stamp: Stamp(milliseconds: 5, after: nil), device: 99))
                try writer.put(item, secret: .none, replacing: [])
            }
        }
        try decide("binding:tool:x:")
        try home.letIn(two, by: try home["one"])
        try home.settle()
        #expect(try home["one"].setting("binding:tool:x:") == "ada")
    }

    @Test("a copy of a vault notices that it is one, and becomes a device of its own")
    func copy() throws {
        let home = try SyncHome("one", "two")
        let one = try home["one"]
        let copied = home.folder.path + "/copy"
        try FileManager.default.copyItem(atPath: one.location.vault, toPath: copied)
        let copy = try one.reopened(vault: copied)
        let error = failure(of: KeyringError.self) { _ = try copy.sync.run(through: home.remote) }
        #expect(error?.code == .configuration)
        let nobody = SyncIdentity.generate(number: 9).device.id.words
        let unknown = failure(of: KeyringError.self) {
            try copy.sync.join(at: home.remote, named: "copy", trusting: nobody, through: home.remote)
        }
        #expect(unknown?.code == .usage)
        let words = try home["two"].keyring.sync.status().own.words
        try copy.sync.join(at: home.remote, named: "copy", trusting: words, through: home.remote)
        let own = try copy.sync.status().own.words
        // As long as the other one takes part, nobody could tell what each of the two has decided.
        let refused = failure(of: KeyringError.self) {
            _ = try home["two"].keyring.sync.approve(own, through: home.remote)
        }
        #expect(refused?.code == .usage)
        _ = try home["two"].keyring.sync.revoke("one")
        _ = try home["two"].keyring.sync.approve(own, through: home.remote)
        try home.sync("two")
        _ = try copy.sync.run(through: home.remote)
        #expect(try copy.sync.status().state == .member)
    }

    @Test("a vault with new keys, and one that is locked out, says what to do")
    func newKeys() throws {
        let home = try SyncHome("one")
        try Data([1, 2, 3]).write(to: URL(filePath: home["one"].location.vault + "/sync"))
        let error = failure(of: KeyringError.self) { try home.sync("one") }
        #expect(error?.code == .configuration && error?.advice == .joinSyncAgain)
        let outsider = try home.machine("two")
        let other = failure(of: KeyringError.self) { try home.sync("two") }
        #expect(other?.advice == .beginSync)
        #expect(!outsider.keyring.sync.isSetUp)
    }
}
