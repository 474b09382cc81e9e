import Foundation
import KeyfobModel
import KeyfobRecords
import KeyfobSync
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import Keyfob

@Suite("A device of the sync that cannot be trusted")
struct HostileDeviceTests {
    private let work = AccessGroup.default

    /// Two machines, and a device that shares one group.
    private func home() throws -> (SyncHome, HostileDevice) {
        let home = try SyncHome("one", "two")
        let gamma = try HostileDevice(in: home)
        try letIn(gamma, home, groups: [work])
        return (home, gamma)
    }

    private func letIn(_ device: HostileDevice, _ home: SyncHome, groups: [AccessGroup]? = nil) throws {
        _ = try home["one"].keyring.sync.approve(device.id.words, groups: groups, through: home.remote)
        try device.write()
        try home.settle()
    }

    private func scope(_ id: SyncDeviceID, _ machine: SyncMachine) throws -> SyncScope {
        try HostileDevice.session(machine) { _, _, roster in
            roster.isActive(id) ? roster.members[id]?.scope ?? .none : .none
        }
    }

    private func device(_ machine: SyncMachine) throws -> SyncDevice {
        try machine.keyring.sync.openSession().identity.device
    }

    @Test("what a revoked device says after it was revoked counts for nothing, whoever tells of it")
    func afterRevocation() throws {
        let (home, gamma) = try home()
        let stolen = try HostileDevice(number: 777, in: home)
        try letIn(stolen, home)
        let before = try scope(gamma.id, home["one"])
        _ = try home["one"].keyring.sync.revoke(stolen.id.words)
        try home.settle()
        gamma.statements = [
            try stolen.approves(gamma.identity.device), try stolen.revokes(device(home["one"]).id),
            try stolen.revokes(device(home["two"]).id),
        ]
        try gamma.write()
        try home.settle()
        for machine in home.machines {
            #expect(try scope(gamma.id, machine) == before && before != .whole)
            #expect(try scope(stolen.id, machine) == .none)
            #expect(try machine.keyring.sync.status().state == .member)
            #expect(try machine.keyring.sync.status().devices.count { !$0.isRevoked } == 2)
        }
    }

    @Test(
        "whom a revoked device alone had let in is out with it and told of, unless it is to stay",
        arguments: [false, true])
    func accomplices(isKept: Bool) throws {
        let (home, gamma) = try home()
        let second = try HostileDevice(number: 4_343, in: home)
        gamma.statements = [try gamma.approves(second.identity.device)]
        try gamma.write()
        try second.write()
        try home.settle()
        #expect(try scope(second.id, home["two"]) != .none)
        let change = try home["one"].keyring.sync.revoke(
            gamma.id.words, keeping: isKept ? [second.id.words] : [])
        #expect(change.alsoOut.count == (isKept ? 0 : 1))
        try home.settle()
        for machine in home.machines { #expect(try (scope(second.id, machine) == .none) != isKept) }
        // Whoever has its words lets it in again.
        _ = try home["two"].keyring.sync.approve(second.id.words, groups: [work], through: home.remote)
        try home.settle()
        #expect(try scope(second.id, home["one"]) != .none)
    }

    @Test("very many statements, and very long ones, keep no revocation and no head from the others")
    func flood() throws {
        let (home, gamma) = try home()
        let (one, two) = (try home["one"], try home["two"])
        gamma.statements = try (0..<200).map { number in
            try gamma.approves(SyncIdentity.generate(number: UInt64(9_000 + number)).device)
        }
        gamma.statements += try (0..<1_024).map { try gamma.approves(gamma.identity.device, at: Int64($0)) }
        try gamma.write()
        try home.settle()
        let count = try HostileDevice.session(one) { session, _, roster in
            #expect(roster.active.count <= 3 + SyncRoster.partialLimit)
            return session.state.statements.count
        }
        #expect(count < 64)
        _ = try one.keyring.sync.revoke(gamma.id.words)
        try home.settle()
        #expect(try scope(gamma.id, two) == .none)
        #expect(try HostileDevice.session(two) { _, _, roster in roster.active.count } == 2)
        try home.letIn(try home.machine("three"), by: one)
    }

    @Test("a binding that one which shares some groups has changed is what it was, once that one is revoked")
    func displaced() throws {
        let home = try SyncHome("one", "two")
        let (one, work) = (try home["one"], try AccessGroup("work"))
        try one.keyring.groups.create(work)
        try one.change(in: work) { writer in
            try writer.setSetting("binding:tool:gh:", to: "ada")
            try writer.setSetting("binding:tool:az:", to: "ada")
        }
        let three = try home.machine("three")
        try home.letIn(three, by: one, groups: [work])
        try home.settle()
        for (name, value) in [("gh", "eve"), ("az", "eve"), ("own", "eve")] {
            try three.change(in: work) { try $0.setSetting("binding:tool:\(name):", to: value) }
        }
        try home.settle()
        func value(_ name: String, on machine: SyncMachine) throws -> String? {
            try machine.change(in: work) { try $0.setting("binding:tool:\(name):") }
        }
        #expect(try value("gh", on: one) == "eve")
        // What its owner has decided since stands.
        try one.change(in: work) { try $0.setSetting("binding:tool:az:", to: nil) }
        try home.settle()
        _ = try one.keyring.sync.revoke("three")
        try home.settle(["one", "two"])
        for machine in [one, try home["two"]] {
            #expect(try value("gh", on: machine) == "ada")
            #expect(try value("az", on: machine) == nil && value("own", on: machine) == nil)
        }
    }

    @Test("where two have decided one after the other, what the later one displaced holds again, and nothing before")
    func displacedTwice() throws {
        for (isTakenBack, revoking) in [(false, "two"), (false, "one"), (true, "one")] {
            let home = try SyncHome("one", "two", "three")
            let binding = "binding:tool:gh:"
            for name in ["one", "two", "three"] {
                try home[name].set(binding, to: name)
                try home.settle()
                if isTakenBack, name == "two" {
                    try home[name].set(binding, to: nil)
                    try home.settle()
                }
            }
            #expect(try home["one"].setting(binding) == "three")
            _ = try home[revoking].keyring.sync.revoke("three")
            try home.settle(["one", "two"])
            for name in ["one", "two"] { #expect(try home[name].setting(binding) == (isTakenBack ? nil : "two")) }
        }
    }

    @Test("who goes on with the keys of a device that left lets nobody in, and keeps nobody out")
    func keptKeys() throws {
        let home = try SyncHome("one", "two")
        let gamma = try HostileDevice(in: home)
        try letIn(gamma, home)
        let (one, two) = (try home["one"], try home["two"])
        let leave = SyncStatement(
            .revocation(gamma.id, keeping: []), by: gamma.identity,
            in: try HostileDevice.session(one) { _, sync, _ in sync }, at: noon)
        let friend = try HostileDevice(number: 4_444, in: home)
        gamma.statements = [leave, try gamma.revokes(device(two).id), try gamma.approves(friend.identity.device)]
        try gamma.write()
        try friend.write()
        try home.settle()
        for machine in [one, two] {
            #expect(try scope(device(two).id, machine) == .whole && scope(friend.id, machine) == .none)
            #expect(try scope(gamma.id, machine) == .none)
        }
        _ = try one.keyring.sync.revoke(gamma.id.words)
        try home.settle()
        #expect(try scope(device(two).id, one) == .whole && scope(gamma.id, two) == .none)
    }

    @Test("one that writes nothing for a machine any more has revoked it only where it may", arguments: [true, false])
    func closed(isGuest: Bool) throws {
        let home = try SyncHome("one", "two")
        let gamma = try HostileDevice(in: home)
        try letIn(gamma, home, groups: isGuest ? [work] : nil)
        try gamma.write(notFor: device(home["two"]).id)
        _ = try home.sync("two")
        let status = try home["two"].keyring.sync.status()
        #expect(status.state == (isGuest ? .member : .shutOut) && status.findings.contains { $0.kind == "closed" })
        _ = try home.sync("one")
        #expect(try home["one"].keyring.sync.status().state == .member)
    }

    @Test("what a device says of another one's state stops nobody")
    func hearsay() throws {
        let (home, gamma) = try home()
        let mark = SyncHead.Mark(sequence: 1_000_000, hash: [UInt8](repeating: 7, count: 16))
        for machine in home.machines { gamma.seen[try device(machine).id] = mark }
        try gamma.write()
        try home["one"].signIn(try .contoso("ada"), token: "t")
        try home.settle()
        #expect(try home["two"].accounts().count == 1)
        for name in ["one", "two"] { #expect(try home.findings(name) == ["mistaken", "withheld"]) }
        #expect(try home["one"].keyring.sync.status().findings.allSatisfy { !$0.stays })
        _ = try home["one"].keyring.sync.revoke(gamma.id.words)
        try home.settle()
        for name in ["one", "two"] { #expect(try home.findings(name).isEmpty) }
    }

    @Test("a device that takes the number of another one is stopped, and that one is not")
    func numbers() throws {
        let (home, gamma) = try home()
        let thief = try HostileDevice(number: device(home["one"]).number, in: home)
        gamma.statements = [try gamma.approves(thief.identity.device, at: -5)]
        try gamma.write()
        try thief.write()
        try home["one"].signIn(try .contoso("ada"), token: "t")
        try home.settle()
        #expect(try home["two"].accounts().count == 1)
        let findings = try home["two"].keyring.sync.status().findings
        #expect(findings.map(\.kind) == ["malformed"] && findings.first?.device == thief.id.words)
    }

    @Test("the decisions of a device that is out with another one go, and become nobody else's")
    func decisions() throws {
        let home = try SyncHome("one", "two")
        let (one, two) = (try home["one"], try home["two"])
        let three = try home.machine("three")
        try home.letIn(three, by: two)
        try three.set("binding:tool:three:", to: "eve")
        try home.settle()
        #expect(try one.setting("binding:tool:three:") == "eve")
        let change = try one.keyring.sync.revoke("two")
        #expect(change.alsoOut.count == 1 && change.removedDecisions.count == 1)
        try home.settle(["one"])
        #expect(try one.setting("binding:tool:three:") == nil)
        #expect(try three.keyring.sync.status().state == .member)
        try home.settle()
        #expect(try one.setting("binding:tool:three:") == nil)
    }

    @Test("a sign-in that was begun more often than anybody does is not taken in, and a sign-out here always leaves")
    func epochs() throws {
        let travel = SyncTravel(own: 1, others: [2])
        func item(_ epoch: UInt64) throws -> ItemRecord {
            var credential = Credential.refresh(try .contoso("ada"), client: "mailer")
            credential.grant = Grant(state: .signedOut, epoch: epoch, generation: 1)
            return ItemRecord(
                group: .default, content: .credential(credential),
                version: ItemVersion(stamp: Stamp(value: 5), device: 2))
        }
        func arrives(_ epoch: UInt64, knowing known: UInt64) throws -> Bool {
            travel.arriving(
                try item(epoch), hasSecret: false, from: 2, speaksForOwner: true, knowing: known) != nil
        }
        #expect(try arrives(7, knowing: 0) && arrives(1 << 20, knowing: 0) && arrives((1 << 41) + 9, knowing: 1 << 41))
        #expect(try !arrives((1 << 40) - 1, knowing: 3) && !arrives(.max, knowing: 0))
        for epoch: UInt64 in [3, (1 << 40) - 1, 1 << 40, .max - 1] {
            #expect(travel.leaving(try item(epoch), hasSecret: false) != nil)
        }
    }

    @Test("what a vault knows of its sync does not go back unnoticed")
    func rollback() throws {
        let (home, gamma) = try home()
        let one = try home["one"]
        let file = one.location.vault + "/sync"
        let old = try Data(contentsOf: URL(filePath: file))
        _ = try one.keyring.sync.revoke(gamma.id.words)
        try home.sync("one")
        let new = try Data(contentsOf: URL(filePath: file))
        try old.write(to: URL(filePath: file))
        for _ in 0..<2 {
            let error = failure(of: KeyringError.self) { try home.sync("one") }
            #expect(error?.code == .rolledBack && error?.advice == .acceptRollback(first: false))
        }
        #expect(try one.keyring.health.stateFindings().map(\.isSync) == [true])
        // The newer one alone does not undo the finding, which its owner has to see.
        try new.write(to: URL(filePath: file))
        #expect(try one.keyring.health.acceptRollback().map(\.kind) == [.rolledBack])
        try home.settle()
        #expect(try one.keyring.health.stateFindings().isEmpty && scope(gamma.id, one) == .none)
    }

    @Test("odd things in the folder count as nothing, and a file in the place of this device's own goes aside")
    func oddities() throws {
        let (home, gamma) = try home()
        let (one, two) = (try home["one"], try home["two"])
        let manager = FileManager.default
        let devices = home.remote + "/devices/"
        try manager.removeItem(atPath: devices + gamma.id.hexadecimal)
        try Data([1]).write(to: URL(filePath: devices + gamma.id.hexadecimal))
        for name in ["0", "1"] {
            try manager.createSymbolicLink(
                atPath: devices + String(repeating: name, count: 24),
                withDestinationPath: String(repeating: name, count: 24))
        }
        let own = home.remote + "/" + (try one.keyring.sync.status().ownFolder)
        try manager.removeItem(atPath: own + "/head.age")
        try manager.createDirectory(atPath: own + "/head.age/deeper", withIntermediateDirectories: true)
        try one.signIn(try .contoso("ada"), token: "t")
        try home.settle()
        #expect(try two.accounts().count == 1)
        try manager.removeItem(atPath: own)
        try Data([1]).write(to: URL(filePath: own))
        try one.signIn(try .contoso("ben"), token: "t")
        try home.settle()
        #expect(try two.accounts().count == 2)
        // A request that is longer than any is none, and whoever asks is not looked for at each synchronisation.
        let asking = try HostileDevice(number: 5, in: home)
        #expect(try one.keyring.sync.status(through: home.remote).requests == [asking.id.words])
        #expect(try home.sync("one").status.requests.isEmpty)
        try Data(count: 5_000).write(to: URL(filePath: devices + asking.id.hexadecimal + "/request"))
        #expect(try one.keyring.sync.status(through: home.remote).requests.isEmpty)
    }
}
