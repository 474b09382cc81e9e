import Foundation
import KeyfobModel
import KeyfobRecords
import KeyfobSQLiteTestSupport
import KeyfobSync
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import Keyfob

@Suite("What a vault of a sync has lost, and what is changed beside the synchronisation", .waitsForPrograms)
struct SyncLossTests {
    private let home: SyncHome
    private let team: AccessGroup
    private let crew: AccessGroup

    /// Two machines at rest with some accounts in two groups.
    init() throws {
        home = try SyncHome("one", "two")
        team = try AccessGroup("team")
        crew = try AccessGroup("crew")
        try home["one"].keyring.groups.create(team)
        for group in [AccessGroup.default, team] {
            try home["one"].change(in: group) { writer in
                for number in 0..<20 { _ = try writer.save(try .contoso("\(group)-\(number)"), from: .signIn) }
            }
        }
        try home.settle()
    }

    private func label(_ name: String, _ label: String, in group: AccessGroup = .default, on machine: SyncMachine)
        throws
    {
        try machine.change(in: group) { try $0.update(try Account.contoso(name).id) { $0.label = label } }
    }

    private func groups(_ machine: SyncMachine) throws -> [String] {
        try machine.keyring.groups.list().map(\.name.name).sorted()
    }

    private func expectSame(_ location: SourceLocation = #_sourceLocation) throws {
        let (first, second) = (try home["one"].shared(), try home["two"].shared())
        #expect(first == second, sourceLocation: location)
        for name in ["one", "two"] { #expect(try home.findings(name).isEmpty, sourceLocation: location) }
    }

    private func damage(_ name: String, on machine: SyncMachine) throws {
        let key = ItemKey.account(try Account.contoso(name).id)
        let found = try machine.keyring.withState { state in
            try machine.keyring.database.items(in: try state.group(.default), with: [key])?
                .first { $0.item.key == key }?.record.rowID
        }
        let row = try #require(found)
        let database = try RawDatabase(path: machine.location.vault + "/keyring.db")
        try database.run("UPDATE records SET attributes = zeroblob(600) WHERE id = \(row)")
    }

    @Test("what goes with the key of a group that is revoked goes on the other machines too")
    func revocation() throws {
        let (one, two) = (try home["one"], try home["two"])
        let binding = "binding:tool:gh:"
        let slot = try one.keyring.slots.grant(team, to: .keyFile(keyFile(2)))
        let theirs = try LockedKeyring(at: one.location, clock: home.clock.clock).unlock(with: .keyFile(keyFile(2)))
        home.clock.advance(by: 1)
        try theirs.withState { state in
            try theirs.change(&state, try state.group(team)) { try $0.setSetting(binding, to: "eve") }
        }
        try home.settle()
        func decided() throws -> String? { try two.change(in: team) { try $0.setting(binding) } }
        #expect(try decided() == "eve")
        home.clock.advance(by: 1)
        #expect(try one.keyring.slots.revoke(slot, of: team, backsUp: false).removed.count == 1)
        #expect(try home.sync("one").hasPublished)
        try home.sync("two")
        #expect(try decided() == nil)
        try expectSame()
    }

    @Test("what was changed while the desktop's keyring had the records is told when a database has them again")
    func migration() throws {
        let one = try home["one"]
        let service = try SecretServiceHome()
        _ = try one.keyring.migration.run(to: .secretService, secretService: service.options)
        let there = try one.keyring.reopened(secretService: service.options)
        home.clock.advance(by: 1)
        _ = try there.sync.run(through: home.remote)
        home.clock.advance(by: 1)
        _ = try there.withState { state in
            try there.change(&state, try state.group(.default)) { writer in
                try writer.update(try Account.contoso("default-1").id) { $0.label = "new" }
            }
        }
        _ = try there.migration.run(to: .embedded, secretService: service.options)
        let back = try one.reopened()
        home.clock.advance(by: 1)
        #expect(try back.sync.run(through: home.remote).hasPublished)
        try home.sync("two")
        #expect(try home["two"].accounts().contains { $0.label == "new" })
        #expect(try home.findings("two").isEmpty)
    }

    @Test(
        "what is damaged here is held against nobody else, and comes back once a repair has put it aside",
        arguments: ["one", "two"])
    func damaged(name: String) throws {
        let (here, there) = (try home[name], try home[name == "one" ? "two" : "one"])
        for account in ["default-1", "default-2"] { try damage(account, on: here) }
        try label("default-1", "new", on: there)
        try home.sync(there.name)
        let error = failure(of: KeyringError.self) { try home.sync(name) }
        #expect(error?.code == .damaged)
        #expect(try home.findings(name).isEmpty)
        #expect(try !here.reopened().health.repair().losses.isEmpty)
        try home.settle()
        #expect(try here.accounts().count == 20 && here.accounts().contains { $0.label == "new" })
        try expectSame()
    }

    @Test(
        "a vault that was put back waits for all of its own files, and tells nothing of their group before",
        arguments: [false, true])
    func filling(isGivenUp: Bool) throws {
        let two = try home["two"]
        var saved: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: two.location.vault)
        where name.hasPrefix("keyring.db") {
            saved[name] = try Data(contentsOf: URL(filePath: "\(two.location.vault)/\(name)"))
        }
        let folder = home.remote + "/" + (try two.keyring.sync.status().ownFolder)
        let early = try home.files(of: two)
        try label("default-1", "of two", on: two)
        try home.sync("two")
        let late = try home.files(of: two)
        for (name, data) in saved { try data.write(to: URL(filePath: "\(two.location.vault)/\(name)")) }
        let returned = try two.reopened()
        _ = try returned.health.acceptRollback()
        let coming = late.filter { $0.key != "head.age" && early[$0.key] == nil }
        try #require(!coming.isEmpty)
        for name in coming.keys { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        func has(_ keyring: Keyring) throws -> Bool {
            try keyring.accounts.list(in: [.default]).contains { $0.account.label == "of two" }
        }
        for _ in 0..<2 {
            home.clock.advance(by: 1)
            let report = try returned.sync.run(through: home.remote)
            #expect(report.status.findings.map(\.kind) == ["incomplete"])
            let told = Set(try returned.sync.openSession().state.own?.files.map(\.name) ?? [])
            #expect(told.isSuperset(of: coming.keys))
            try home.sync("one")
            #expect(try home.findings("one") == ["incomplete"])
            #expect(try !has(home["one"].keyring) && !has(returned))
        }
        if isGivenUp {
            _ = try returned.sync.acceptFindings(of: "two")
        } else {
            for (name, data) in coming { try data.write(to: URL(filePath: "\(folder)/\(name)")) }
        }
        home.clock.advance(by: 1)
        #expect(try returned.sync.run(through: home.remote).hasPublished)
        try home.sync("one")
        #expect(try has(returned) != isGivenUp && has(home["one"].keyring) != isGivenUp)
        #expect(try home.findings("one").isEmpty && returned.sync.status().findings.isEmpty)
        home.clock.advance(by: 1)
        #expect(try !returned.sync.run(through: home.remote).hasPublished)
    }

    @Test("a group that is gone and that nobody has removed comes back from what this machine alone had told of it")
    func lostGroup() throws {
        let (two, squad) = (try home["two"], try AccessGroup("squad"))
        try two.keyring.groups.create(crew)
        try two.change(in: crew) { _ = try $0.save(try .contoso("ada"), from: .signIn) }
        try home.sync("two")
        home.clock.advance(by: 1)
        try two.keyring.groups.rename(crew, to: squad)
        try home.sync("two")
        try two.keyring.changeVault { state in _ = try two.keyring.database.removeGroup(squad, &state.vault) }
        #expect(try groups(two) == ["default", "team"])
        try home.sync("two")
        #expect(try groups(two) == ["default", "squad", "team"] && two.accounts(in: squad).count == 1)
        try home.settle()
        #expect(try groups(home["one"]) == ["default", "squad", "team"])
        try expectSame()
    }

    @Test("a group that another process renames meanwhile is the same group, and none is made in its place")
    func renamedMeanwhile() throws {
        let (one, two) = (try home["one"], try home["two"])
        try label("team-1", "of two", in: team, on: two)
        try home.sync("two")
        // The head is seen before what it names is there.
        let all = try home.files(of: two)
        try home.replace(all.filter { $0.key == "head.age" }, of: two)
        try home.sync("one")
        try home.replace(all, of: two)
        let other = try one.reopened()
        try other.changeVault { state in try other.database.renameGroup(team, to: crew, &state.vault) }
        home.clock.advance(by: 1)
        try one.keyring.sync.withSession { session in
            let known = session.roster
            let roster = try #require(known)
            let files = try SyncFolder(home.remote)
            let told = Set(session.state.own?.files.map(\.group) ?? [])
            var report = SyncReport(try one.keyring.sync.status(session, nil))
            let unread = try one.keyring.sync.merge(&session, roster, files, &report)
            try one.keyring.sync.publish(&session, roster, files, isOwnShown: true, besides: unread, &report)
            let now = Set(session.state.own?.files.map(\.group) ?? [])
            #expect(now == told && report.changed > 0)
        }
        #expect(try groups(one) == ["crew", "default"])
        #expect(try one.accounts(in: crew).contains { $0.label == "of two" })
        let id = try one.keyring.withState { state in try state.group(crew).keys.group }
        let manifest = BundleManifest(
            purpose: .sync, vault: SyncID.random().bytes, header: nil, device: 1, created: 0, groups: [team],
            counts: [:])
        let error = failure(of: KeyringError.self) {
            _ = try one.keyring.bundles.take(
                IncomingBundle(manifest), .merge, nil, .all, isSync: true, into: id, backsUp: false
            ) { _ in }
        }
        #expect(error?.code == .busy)
        try home.settle()
        for machine in home.machines { #expect(try groups(machine) == ["crew", "default"]) }
        try expectSame()
    }
}
