import KeyfobModel
import KeyfobRecords
import KeyfobSodium
import KeyfobStoreTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import KeyfobStore

@Suite("Versions and tombstones in the store")
struct RecordHistoryStorageTests {
    private let home: StoreHome
    private let ada: Account

    init() throws {
        home = try StoreHome()
        ada = try Account.named("ada")
        let ada = ada
        try home.change { writer in
            _ = try writer.save(ada, from: .owner)
            let token = Credential(kind: .refreshToken, account: ada.id, clientID: "mailer", grant: Grant(epoch: 3))
            _ = try writer.save(token, secret: secret("refresh"))
            let other = Credential(kind: .idToken, account: ada.id, clientID: "mailer", realm: "Contoso")
            _ = try writer.save(other, secret: secret("id"))
            try writer.setSetting("colour", to: "green")
        }
    }

    private func items() throws -> [RecordItem] {
        var items: [RecordItem] = []
        let isWhole = try home.opened().forEachItem(in: home.unlocked().group(.default)) { result, _ in
            items.append(try result.get())
        }
        #expect(isWhole)
        return items
    }

    private func account() throws -> ItemRecord {
        try #require(try items().map(\.item).first { $0.key.kind == .account && !$0.isTombstone })
    }

    @Test("a field that has not changed keeps its version, one that has gets the record's")
    func fieldVersions() throws {
        let first = try account().version
        #expect(try account().history.fieldVersions == [:])
        try home.change(at: noon.advanced(by: 5)) { try $0.update(ada.id) { $0.label = "boss" } }
        let second = try account()
        #expect(second.version > first)
        #expect(second.history.fieldVersions[.label] == nil)
        #expect(second.history.fieldVersions[.username] == first)
        try home.change(at: noon.advanced(by: 9)) { try $0.update(ada.id) { $0.displayName = "Ada L." } }
        let third = try account()
        #expect(third.history.fieldVersions[.label] == second.version)
        #expect(third.history.fieldVersions[.username] == first)
        #expect(third.history.fieldVersions[.displayName] == nil)
    }

    @Test("a label that was taken away is remembered with the version of that, and for as long as it stays away")
    func removedLabel() throws {
        try home.change(at: noon.advanced(by: 5)) { try $0.update(ada.id) { $0.label = "boss" } }
        try home.change(at: noon.advanced(by: 6)) { try $0.update(ada.id) { $0.label = nil } }
        let removed = try account()
        #expect(removed.history.fieldVersions[.label] == removed.version)
        try home.change(at: noon.advanced(by: 7)) { try $0.update(ada.id) { $0.username = "ada2" } }
        #expect(try account().history.fieldVersions[.label] == removed.version)
        try home.change(at: noon.advanced(by: 8)) { try $0.update(ada.id) { $0.label = "chief" } }
        #expect(try account().history.fieldVersions[.label] == nil)
    }

    @Test("an account that was removed leaves no token, no account and no name in any list")
    func removal() throws {
        #expect(try home.change { try $0.remove(ada.id) } == 3)
        let (database, keys) = (try home.opened(), try home.keys())
        #expect(try database.accounts(in: keys).items.isEmpty)
        #expect(try database.accounts(named: "ada@contoso.example", in: keys).isEmpty)
        for kind in Credential.Kind.allCases { #expect(try database.credentials(kind, in: keys).items.isEmpty) }
        #expect(try database.settings(prefixes: ["c", "binding:"], in: keys).items.map(\.value.name) == ["colour"])
        let items = try items()
        #expect(items.allSatisfy { !$0.hasSecret })
        let deleted = items.filter(\.item.isTombstone).map(\.item.key.kind)
        #expect(deleted.sorted() == [.account, .idToken])
        let grants = items.compactMap { $0.item.content.credential?.grant }
        #expect(grants == [Grant(state: .signedOut, epoch: 3)])
        #expect(try home.problems() == [])
    }

    @Test("what returns is later than its deletion, which it takes the place of")
    func returning() throws {
        try home.change { _ = try $0.remove(ada.id) }
        let deletion = try #require(
            try items().map(\.item).first { $0.isTombstone && $0.key.kind == .account })
        // The clock has not moved since.
        try home.change { _ = try $0.save(ada, from: .owner) }
        let account = try account()
        #expect(account.version > deletion.version)
        #expect(account.history.deletion == deletion.version)
        try home.change { writer in
            let token = Credential(kind: .refreshToken, account: ada.id, clientID: "mailer", grant: Grant())
            _ = try writer.save(token, secret: secret("again"))
        }
        let grants = try items().compactMap { $0.item.content.credential?.grant }
        #expect(grants == [Grant(epoch: 4, ended: 3)])
        #expect(try items().count { $0.record.isTombstone } == 1)
        #expect(try home.problems() == [])
    }

    @Test("a setting that is forgotten leaves a tombstone until it is written again")
    func settings() throws {
        try home.change { try $0.setSetting("colour", to: nil) }
        #expect(try home.opened().setting("colour", in: home.keys()) == nil)
        #expect(try items().count { $0.record.isTombstone } == 1)
        try home.change { try $0.setSetting("colour", to: "red") }
        #expect(try home.opened().setting("colour", in: home.keys())?.value == "red")
        #expect(try items().count { $0.record.isTombstone } == 0)
    }

    @Test("tombstones are sealed again with a group's new key")
    func rotation() throws {
        try home.change { _ = try $0.remove(ada.id) }
        let before = try items().map(\.item.version)
        var vault = try home.unlocked()
        _ = try home.database.rotateGroup(.default, &vault)
        #expect(try items().map(\.item.version) == before)
        try home.change { _ = try $0.save(ada, from: .owner) }
        #expect(try account().history.deletion != nil)
        #expect(try home.problems() == [])
    }

    @Test("an item that moves signs out where it was and is new where it goes")
    func moving() throws {
        let work = try AccessGroup("work")
        var vault = try home.unlocked()
        try home.database.createGroup(work, &vault)
        let (from, to) = (try vault.group(.default).keys, try vault.group(work).keys)
        for (source, target) in [(from, to), (to, from)] {
            _ = try home.database.change(
                [source, target], sequence: vault.sequence, milliseconds: noon.seconds * 1_000
            ) { writers in try writers[1].move(ada.id, from: writers[0]) }
        }
        let epochs = try items().compactMap { $0.item.content.credential?.grant?.epoch }
        #expect(epochs == [4])
        #expect(try home.problems() == [])
    }
}
