import Foundation
import KeyfobModel
import KeyfobRecords
import KeyfobSync
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import Keyfob

@Suite("Machines that have taken in the same and hold something else", .waitsForPrograms)
struct SyncDivergenceTests {
    private static let names = ["one", "two", "three"]

    /// Something that somebody with the keys does to a vault, and of which nothing is written down.
    private struct Plant: Sendable {
        let name: String
        let body: @Sendable (SyncMachine) throws -> Void
    }

    private static let plants = [
        Plant(name: "another label with the same version") { machine in
            try machine.alter(.account(Account.contoso("ada").id)) { item in
                guard case .account(var account) = item.content else { return }
                account.label = "planted"
                item.content = .account(account)
            }
        },
        Plant(name: "another name with the same version") { machine in
            try machine.alter(.account(Account.contoso("ben").id)) { item in
                guard case .account(var account) = item.content else { return }
                account.username = "mallory@contoso.com"
                item.content = .account(account)
            }
        },
        Plant(name: "a binding to another account") { machine in
            try machine.alter(.setting("binding:tool:gh:")) { item in
                item.content = .setting(name: "binding:tool:gh:", value: "ben")
            }
        },
        Plant(name: "an account that is gone without a word") { machine in
            let rows = try machine.rows(of: .account(Account.contoso("ben").id))
            try machine.change { try $0.erase(rows: rows) }
        },
        Plant(name: "an account that nobody added") { machine in
            let item = ItemRecord(
                group: .default, content: .account(try .contoso("eve")),
                version: ItemVersion(stamp: Stamp(value: 1), device: 7))
            try machine.change { try $0.put(item, secret: .none, replacing: [], isOwnAct: false) }
        },
        Plant(name: "a sign-out that is forgotten") { machine in
            try machine.alter(ItemKey(.refresh(Account.contoso("ada")))) { item in
                guard case .credential(var credential) = item.content else { return }
                credential.changeGrant { ($0.ended, $0.epoch, $0.state) = (0, 0, .needsSignIn(reason: "planted")) }
                item.content = .credential(credential)
            }
        },
    ]

    private func home() throws -> SyncHome {
        let home = try SyncHome("one", "two", "three")
        for name in ["ada", "ben"] { try home["one"].signIn(try .contoso(name), token: "t") }
        try home["two"].set("binding:tool:gh:", to: "ada")
        try home.settle()
        try home["three"].signIn(try .contoso("ada"), token: "u")
        try home["three"].signOut(try .contoso("ada"))
        try home.settle()
        return home
    }

    private func diverged(_ home: SyncHome, _ name: String) throws -> Bool {
        try home.findings(name).contains(SyncFinding.Kind.diverged.rawValue)
    }

    @Test("each difference is found when its machine synchronises, told to the others, and ended by repairs")
    func plants() throws {
        for (number, plant) in Self.plants.enumerated() {
            let victim = Self.names[number % Self.names.count]
            let home = try home()
            for name in Self.names { #expect(try home.findings(name).isEmpty, "\(plant.name)") }
            try plant.body(home[victim])
            let report = try home.sync(victim)
            #expect(report.hasPublished && Set(report.status.findings.map(\.kind)) == ["diverged"], "\(plant.name)")
            #expect(report.status.findings.allSatisfy { $0.remedy == .repair && $0.text.contains("'default'") })
            #expect(try !home.sync(victim).hasPublished, "\(plant.name)")
            for name in Self.names {
                try home.sync(name)
                #expect(try diverged(home, name), "\(plant.name) of \(victim): \(name)")
            }
            // Each does what it is told to.
            for round in 0..<3 where try Self.names.contains(where: { try diverged(home, $0) }) {
                for name in Self.names where try diverged(home, name) {
                    try home[name].keyring.sync.readAgain()
                    try home.sync(name)
                }
                try home.settle()
                #expect(round < 2, "\(plant.name) of \(victim)")
            }
            let states = try Self.names.map { try home[$0].shared() }
            #expect(states.dropFirst().allSatisfy { $0 == states[0] }, "\(plant.name) of \(victim)")
            for name in Self.names { #expect(try home.findings(name).isEmpty, "\(plant.name) of \(victim)") }
        }
    }

    @Test("what is told of what is held says nothing to who does not share the group, not even that it is the same")
    func masks() throws {
        let home = try home()
        let digests = try Self.names.map { name in
            try home[name].keyring.sync.openSession().state.own?.held.values.map(\.digest) ?? []
        }
        #expect(digests.allSatisfy { $0.count == 1 } && Set(digests).count == Self.names.count)
    }

    @Test("what another process changes meanwhile is no difference")
    func changedMeanwhile() throws {
        let home = try home()
        let one = try home["one"]
        try one.change { try $0.update(try Account.contoso("ada").id) { $0.label = "told" } }
        try home.sync("one")
        try one.change { try $0.update(try Account.contoso("ada").id) { $0.label = "not yet" } }
        for name in ["two", "three", "one", "two"] {
            try home.sync(name)
            #expect(try home.findings(name).isEmpty)
        }
    }

    @Test("a digest is of what is there, in any order, and of nothing that machines may know differently")
    func contents() throws {
        let (ada, ben) = (try Account.contoso("ada"), try Account.contoso("ben"))
        func record(_ content: ItemContent, _ stamp: UInt64 = 1) -> ItemRecord {
            ItemRecord(group: .default, content: content, version: ItemVersion(stamp: Stamp(value: stamp), device: 1))
        }
        func digest(_ items: [ItemRecord]) -> [UInt8] {
            var digest = GroupDigest()
            for item in items { digest.add(item) }
            return digest.bytes
        }
        let both = [record(.account(ada)), record(.account(ben))]
        #expect(digest(both) == digest(both.reversed()) && digest(both) == digest([record(.account(ada), 9), both[1]]))
        #expect(digest(both) != digest([both[0]]) && digest(both) != digest([both[0], both[0]]))
        #expect(digest([both[0], record(.tombstone(.account(ben.id)))]) == digest([both[0]]))
        func signIn(_ epoch: UInt64, ended: UInt64 = 0, of account: Account) -> ItemRecord {
            var credential = Credential.refresh(account)
            var grant = Grant(state: .needsSignIn(reason: "x"), epoch: epoch, generation: 0)
            grant.ended = ended
            credential.grant = grant
            return record(.credential(credential))
        }
        // A sign-in of an account that is gone is forgotten at different times.
        #expect(digest(both + [signIn(1, of: ada)]) != digest(both))
        #expect(digest([both[0], signIn(1, of: ben)]) == digest([both[0]]))
        #expect(digest(both + [signIn(3, ended: 1, of: ada)]) != digest(both + [signIn(3, ended: 2, of: ada)]))
    }
}

extension SyncMachine {
    func rows(of key: ItemKey) throws -> [Int64] {
        try keyring.withState { state in
            try keyring.database.items(in: try state.group(.default), with: [key])?
                .filter { $0.item.key == key }.map(\.record.rowID) ?? []
        }
    }

    /// Puts another item with the same version in the place of one, as somebody with the keys can.
    fileprivate func alter(_ key: ItemKey, _ body: (inout ItemRecord) throws -> Void) throws {
        let found = try keyring.withState { state in
            try keyring.database.items(in: try state.group(.default), with: [key])?.first { $0.item.key == key }
        }
        let known = try #require(found)
        var item = known.item
        try body(&item)
        try change { writer in
            try writer.put(item, secret: .kept, replacing: [known.record.rowID], isOwnAct: false)
        }
    }
}
