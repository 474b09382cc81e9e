import Foundation
import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import Keyfob

@Suite("Groups of machines that synchronise", .waitsForPrograms) struct SyncGroupTests {
    private let team: AccessGroup
    private let crew: AccessGroup

    init() throws {
        team = try AccessGroup("team")
        crew = try AccessGroup("crew")
    }

    private func groups(_ machine: SyncMachine) throws -> [String] {
        try machine.keyring.groups.list().map(\.name.name).sorted()
    }

    private func names(_ machine: SyncMachine, in group: AccessGroup) throws -> [String] {
        try machine.accounts(in: group).map { String($0.username.prefix { $0 != "@" }) }.sorted()
    }

    /// Two machines, of which each has signed in in the group `team`.
    private func home() throws -> SyncHome {
        let home = try SyncHome("one", "two")
        try home["one"].keyring.groups.create(team)
        try home["one"].signIn(try .contoso("ada"), token: "of one", in: team)
        try home.settle()
        try home["two"].signIn(try .contoso("ada"), token: "of two", in: team)
        try home.settle()
        return home
    }

    @Test("one that is removed goes everywhere, and what comes later begins anew") func removal() throws {
        let home = try home()
        let (one, two) = (try home["one"], try home["two"])
        home.clock.advance(by: 1)
        _ = try one.keyring.groups.remove(team)
        try home.sync("one")
        let report = try home.sync("two")
        #expect(report.changedGroups.count == 1)
        try home.settle()
        for machine in home.machines { #expect(try groups(machine) == ["default"]) }
        // What it held lies in a backup.
        #expect(try two.keyring.bundles.backups().count == 1)
        try two.keyring.groups.create(team)
        try two.signIn(try .contoso("ben"), token: "t", in: team)
        try home.settle()
        for machine in home.machines { #expect(try names(machine, in: team) == ["ben"]) }
        // Again, and by somebody else.
        home.clock.advance(by: 1)
        _ = try one.keyring.groups.remove(team)
        try home.settle()
        for machine in home.machines { #expect(try groups(machine) == ["default"]) }
        for machine in home.machines { #expect(try machine.keyring.sync.status().findings.isEmpty) }
    }

    @Test("what was written later than the removal on a machine that had not heard of it stays, and nothing else")
    func lateWork() throws {
        let home = try home()
        home.clock.advance(by: 1)
        _ = try home["one"].keyring.groups.remove(team)
        try home["two"].signIn(try .contoso("ben"), token: "later", in: team)
        try home.settle()
        for machine in home.machines { #expect(try names(machine, in: team) == ["ben"]) }
    }

    @Test("one that was removed does not come back from a machine that was away") func stale() throws {
        let home = try home()
        let three = try home.machine("three")
        try home.letIn(three, by: try home["one"])
        try home.settle()
        home.clock.advance(by: 1)
        _ = try home["two"].keyring.groups.remove(team)
        try home.settle(["one", "two"])
        home.clock.advance(by: 40 * 86_400)
        try three.signIn(try .google("grace"), token: "t")
        try home.settle()
        for machine in home.machines { #expect(try groups(machine) == ["default"]) }
    }

    @Test("one that gets another name keeps what each machine has in it, and who shares it alone") func renaming()
        throws
    {
        let home = try home()
        let (one, two) = (try home["one"], try home["two"])
        let three = try home.machine("three")
        try home.letIn(three, by: one, groups: [team])
        try home.settle()
        home.clock.advance(by: 1)
        try one.keyring.groups.rename(team, to: crew)
        try one.signIn(try .contoso("ben"), token: "t", in: crew)
        #expect(try home.sync("one").changedGroups.isEmpty)
        #expect(try home.sync("two").changedGroups == ["group 'team' is called 'crew' now, because of another machine"])
        try home.settle()
        for machine in home.machines {
            #expect(try groups(machine) == ["crew", "default"], "\(machine.name)")
            #expect(try names(machine, in: crew) == ["ada", "ben"])
        }
        // Its own sign-in is still there.
        let tokens = try two.items(in: crew).values.compactMap(\.secret)
        #expect(tokens == [Array("of two".utf8)])
        // The name is free again.
        try two.keyring.groups.create(team)
        try two.signIn(try .contoso("carl"), token: "t", in: team)
        try home.settle()
        #expect(try names(one, in: team) == ["carl"] && names(one, in: crew) == ["ada", "ben"])
        #expect(try groups(three) == ["crew", "default"])
    }

    @Test("of two names at once the later one counts, and two groups that want one name keep apart") func names() throws
    {
        let home = try home()
        let (one, two) = (try home["one"], try home["two"])
        home.clock.advance(by: 1)
        try one.keyring.groups.rename(team, to: crew)
        home.clock.advance(by: 1)
        try two.keyring.groups.rename(team, to: AccessGroup("squad"))
        try home.settle()
        for machine in home.machines { #expect(try groups(machine) == ["default", "squad"]) }
        home.clock.advance(by: 1)
        try one.keyring.groups.rename(AccessGroup("squad"), to: crew)
        home.clock.advance(by: 1)
        try two.keyring.groups.create(crew)
        try two.signIn(try .contoso("ben"), token: "t", in: crew)
        try home.settle()
        for machine in home.machines {
            #expect(try groups(machine) == ["crew", "crew-2", "default"])
            let all = try [names(machine, in: crew), names(machine, in: AccessGroup("crew-2"))]
            #expect(Set(all) == [["ada"], ["ben"]])
        }
        #expect(try names(one, in: crew) == names(two, in: crew))
    }

    @Test("an account that is moved on one machine takes the sign-ins of the others along")
    func moving() throws {
        let home = try home()
        let (one, two) = (try home["one"], try home["two"])
        home.clock.advance(by: 1)
        _ = try one.keyring.accounts.move(Account.contoso("ada").id, from: team, to: .default)
        try home.settle()
        for machine in home.machines {
            #expect(try names(machine, in: .default) == ["ada"] && names(machine, in: team).isEmpty)
        }
        #expect(try two.items().values.compactMap(\.secret) == [Array("of two".utf8)])
        #expect(try one.items().values.compactMap(\.secret) == [Array("of one".utf8)])
    }

    @Test("a device that shares one group removes and names that one alone") func scope() throws {
        let home = try home()
        let (one, three) = (try home["one"], try home.machine("three"))
        try home.letIn(three, by: one, groups: [team])
        try home.settle()
        _ = try three.signIn(try .contoso("eve"), token: "t")
        home.clock.advance(by: 1)
        try three.keyring.groups.rename(.default, to: crew)
        home.clock.advance(by: 1)
        _ = try three.keyring.groups.remove(team)
        try home.settle()
        #expect(try groups(one) == ["default"] && groups(three) == ["crew"])
        #expect(try names(one, in: .default).isEmpty)
    }

    @Test("a device that shares one group takes no name of another one for it") func foreignName() throws {
        let home = try home()
        let (one, three) = (try home["one"], try home.machine("three"))
        // Of two tags either may be the smaller.
        let own = try [AccessGroup.default] + (1...4).map { try AccessGroup("own-\($0)") }
        for group in own {
            if group != .default { try one.keyring.groups.create(group) }
            try one.signIn(try .contoso("of-\(group)"), token: "t", in: group)
        }
        try home.letIn(three, by: one, groups: [team])
        try home.settle()
        home.clock.advance(by: 1)
        try three.keyring.groups.rename(.default, to: crew)
        var shared = team
        for group in own {
            home.clock.advance(by: 1)
            try three.keyring.groups.rename(shared, to: group)
            try home.settle()
            shared = try #require(try three.keyring.groups.list().map(\.name).first { $0 != crew })
            #expect(shared != group)
            for group in own { #expect(try names(one, in: group) == ["of-\(group)"]) }
            #expect(try names(three, in: shared) == ["ada"])
        }
    }
}
