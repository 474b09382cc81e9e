import KeyfobFiles
import KeyfobModel
import KeyfobSecretService
import KeyfobStoreTestSupport
import KeyfobTestSupport
import Testing

@testable import KeyfobDesktop
@testable import KeyfobRecords
@testable import KeyfobVault

@Suite("A vault that is moved")
struct MigrationTests {
    private let place: MigrationHome

    init() throws {
        place = try MigrationHome()
    }

    @Test("there and back, every record is what it was")
    func thereAndBack() throws {
        try place.fill()
        let before = try place.content()
        let kinds = Set(before.records.map(\.kind))
        #expect(kinds == Set(RecordHeader.Kind.allCases))
        #expect(before.records.contains { $0.secret?.count ?? 0 > 100_000 })
        #expect(before.records.contains { $0.kind == .tombstone })
        let there = try place.delegate()
        #expect(there.groups.map(\.added) == [before.groups["default"]?.count, before.groups["work"]?.count, 0])
        #expect(try place.storage().place == .secretService)
        #expect(try place.content() == before)
        let back = try place.embed()
        #expect(back.tally.groups.map(\.added) == there.groups.map(\.added))
        #expect(try place.storage().place == .embedded)
        #expect(try place.content() == before)
        let storage = try place.storage()
        let vault = try place.unlocked()
        for group in vault.groups {
            #expect(try storage.verify(group.keys, name: group.name.name).problems == [])
        }
        #expect(try storage.integrityProblems() == [])
        #expect(
            try place.files() == [
                "keyring.db", "header.copy", "migration", "keyring.db.before-migration", "header.copy.before-migration",
            ])
    }

    @Test("a plan writes nothing")
    func plan() throws {
        try place.fill()
        let files = try place.files()
        let before = try place.home.folder.read("vault/keyring.db")
        let plan = try place.plan()
        #expect(plan.groups.map(\.name.name) == ["default", "work", "empty"])
        #expect(plan.groups.first?.kinds[.refreshToken] == 2)
        #expect(try place.items().itemCount() == 0)
        #expect(try place.files() == files)
        #expect(try place.home.folder.read("vault/keyring.db") == before)
        #expect(try place.delegate() == plan)
    }

    @Test("items that are left from before are kept, replaced or removed, as they are needed")
    func leftovers() throws {
        try place.fill()
        try place.delegate()
        try place.embed()
        let all = try place.content().count
        let same = try place.plan()
        #expect(same.groups.reduce(0) { $0 + $1.kept } == all && same.removed == 0 && same.newer == 0)
        try place.change { writer in
            try writer.update(try Account.named("ada").id) { $0.displayName = "Ada L." }
            try writer.removeTokens(of: try Account.named("ada").id) { $0.kind == .idToken }
            try writer.setSetting("another", to: "one")
        }
        let plan = try place.plan()
        // The ID token has left a tombstone.
        #expect(plan.groups.map(\.replaced) == [1, 0, 0])
        #expect(plan.groups.map(\.added) == [2, 0, 0])
        #expect(plan.removed == 1)
        let before = try place.content()
        #expect(try place.delegate() == plan)
        #expect(try place.content() == before)
        #expect(try place.items().itemCount() == before.count + 1)
    }

    @Test("items that are in two, filed wrongly or spoilt are mended")
    func spoiltItems() throws {
        try place.fill()
        try place.delegate()
        let before = try place.content()
        try place.embed()
        let items = try place.items()
        let kept: [SecretService.ItemPath] = try items.withService { service, collection in
            let found = try service.search(ItemAttributes.every(items.vault), in: collection).items
            // Filed wrongly.
            var attributes = try service.attributes(of: found[0])
            attributes["account"] = "mallory"
            attributes["xdg:schema"] = "io.keyfob.Nothing"
            try service.setAttributes(of: found[0], to: attributes, label: "x")
            // Spoilt.
            var spoilt = try service.attributes(of: found[1])
            spoilt["record"] = "what somebody typed"
            try service.setAttributes(of: found[1], to: spoilt, label: "y")
            // Another token than its own.
            let token = try found[3...].first {
                try service.attributes(of: $0)["xdg:schema"] == "io.keyfob.ClientSecret"
            }
            try service.setSecret(of: #require(token), to: secret("what somebody typed"), as: .plain)
            // In two.
            try service.secrets(of: [found[2]], areForeign: true) { item, content in
                switch consume content {
                case .success(let bytes):
                    _ = try service.create(
                        label: "double", attributes: try service.attributes(of: item), secret: bytes, as: .plain,
                        in: collection)
                case .failure(let error): throw error
                }
            }
            // A stranger's, under the vault's attributes.
            _ = try service.create(
                label: "stranger", attributes: ItemAttributes.every(items.vault), secret: secret("?"), in: collection)
            // Another header.
            _ = try service.create(
                label: "header", attributes: ItemAttributes.header(of: items.vault), secret: secret("?"),
                in: collection)
            return found
        }
        #expect(kept.count == before.count)
        let tally = try place.delegate()
        #expect(tally.groups.reduce(0) { $0 + $1.replaced } == 2)
        #expect(tally.groups.reduce(0) { $0 + $1.added } == 1)
        #expect(tally.removed == 3)
        #expect(try place.content() == before)
        #expect(try place.items().itemCount() == before.count + 1)
        let storage = try place.storage()
        #expect(try storage.verify(place.home.keys(), name: "default").problems == [])
    }

    @Test("items that were written later are not overwritten unless that is wanted")
    func newerItems() throws {
        try place.fillSparsely()
        try place.delegate()
        try place.change { try $0.update(try Account.named("ada").id) { $0.displayName = "Ada L." } }
        try place.change(at: noon.advanced(by: 60)) { _ = try $0.save(try Account.named("eve"), from: .owner) }
        try place.createGroup(AccessGroup("later"))
        // The file that says where the records lie is lost, and the old database is in use again.
        try StoragePlaceFile.remove(place.directory)
        let before = try place.content()
        #expect(try place.plan().newer == 3)
        #expect(failure(of: NewerItems.self) { try place.delegate() } == NewerItems(count: 3))
        #expect(try place.storage().place == .embedded)
        #expect(try place.delegate(overwritesNewer: true).newer == 3)
        #expect(try place.content() == before)
    }

    @Test("a record that the service does not take is told before anything is written")
    func tooLarge() throws {
        try place.fill()
        #expect(
            failure(of: DesktopError.self) { try place.delegate(limit: 50_000) }
                == .service(.tooLarge(limit: 50_000), partly: false))
        #expect(try place.items().itemCount() == 0)
        #expect(try place.files() == ["keyring.db", "header.copy"])
    }

    @Test(
        "a damaged record, one that is missing or one of no group keeps all where it is",
        arguments: [
            "UPDATE records SET attributes = zeroblob(600) WHERE id = 2", "DELETE FROM records WHERE id = 2",
            "UPDATE secrets SET bytes = zeroblob(600) WHERE id = 2",
            "UPDATE records SET group_id = randomblob(16) WHERE id = 2", "UPDATE header SET bytes = zeroblob(600)",
        ])
    func damagedSource(sql: String) throws {
        try place.fillSparsely()
        try place.home.tamper(sql)
        let error = storeError { try place.delegate() }
        switch error {
        case .damaged, .incomplete: break
        default: Issue.record("\(String(describing: error))")
        }
        #expect(try StoragePlaceFile.read(place.directory) == nil)
        #expect(try place.files() == ["keyring.db", "header.copy"])
    }

    @Test("a spoilt item keeps all where it is", arguments: ["record", nil])
    func damagedItems(attribute: String?) throws {
        try place.fillSparsely()
        try place.delegate()
        let files = try place.files()
        let items = try place.items()
        try items.withService { service, collection in
            let wanted = ItemAttributes.every(items.vault, .refreshToken)
            let item = try #require(try service.search(wanted, in: collection).items.first)
            if let attribute {
                var attributes = try service.attributes(of: item)
                attributes[attribute] = "what somebody typed"
                try service.setAttributes(of: item, to: attributes, label: nil)
            } else {
                try service.setSecret(of: item, to: secret("what somebody typed"), as: .plain)
            }
        }
        #expect(storeError { try place.embed() } != nil)
        #expect(try place.storage().place == .secretService)
        #expect(try place.files() == files)
    }

    @Test("the manifests go on from what was seen of them")
    func sequences() throws {
        try place.fillSparsely()
        let group = try place.home.keys().group
        try place.delegate()
        let outcome = try place.embed(seen: [group: 41])
        #expect(outcome.milestones.contains { $0.group == group && $0.sequence == 42 })
        let storage = try place.storage()
        #expect(try storage.state(of: place.home.keys()).sequence == 42)
        #expect(try storage.state(of: place.home.keys()).counted == 4)
    }

    @Test("whoever has the old database open writes into nothing that is not in use")
    func oldConnection() throws {
        try place.fillSparsely()
        let old = try place.home.opened()
        let vault = try place.home.unlocked()
        let keys = try vault.group(.default).keys
        func write() throws {
            _ = try old.change(keys, sequence: vault.sequence, milliseconds: 0) { try $0.setSetting("a", to: "b") }
        }
        try write()
        try place.delegate()
        #expect(storeError { try write() } == .movedAway)
        try place.embed()
        #expect(storeError { try write() } == .movedAway)
        let before = try place.content()
        #expect(before.count == 5)
    }

    @Test("a journal that a process has left goes with its database")
    func journal() throws {
        try place.fillSparsely()
        try place.delegate()
        let before = try place.content()
        try place.home.folder.write("vault/keyring.db-journal", [UInt8](repeating: 0xD9, count: 4_096))
        try place.embed()
        #expect(try place.files().contains("keyring.db.before-migration-journal"))
        #expect(try !place.files().contains("keyring.db-journal"))
        #expect(try place.content() == before)
        // One generation is kept.
        try place.delegate()
        try place.embed()
        #expect(try !place.files().contains("keyring.db.before-migration-journal"))
        #expect(try place.content() == before)
    }

    @Test("one of several collections has all of it afterwards")
    func collections() throws {
        try place.fillSparsely()
        try place.delegate()
        let before = try place.content()
        try place.embed()
        let items = try place.items()
        try items.withService { service, _ in
            for attributes in [ItemAttributes.header(of: items.vault), ItemAttributes.every(items.vault)] {
                _ = try service.create(
                    label: "elsewhere", attributes: attributes, secret: secret("?"),
                    in: "/org/freedesktop/secrets/collection/session")
            }
        }
        try place.delegate()
        #expect(try place.content() == before)
        #expect(try place.items().itemCount() == before.count + 1)
    }
}
