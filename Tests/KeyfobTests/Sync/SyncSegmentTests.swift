import Foundation
import KeyfobFiles
import KeyfobModel
import KeyfobRecords
import KeyfobSync
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import Keyfob

@Suite("Changes that are told one by one", .waitsForPrograms)
struct SyncSegmentTests {
    private static let count = 60

    /// Machines at rest with many accounts.
    private func home(_ names: [String] = []) throws -> SyncHome {
        let home = try SyncHome("one", "two")
        for name in names { try home.letIn(home.machine(name), by: home["one"]) }
        try home["one"].keyring.groups.create(AccessGroup("team"))
        for group in [AccessGroup.default, try AccessGroup("team")] {
            try home["one"].change(in: group) { writer in
                for number in 0..<Self.count {
                    _ = try writer.save(try .contoso("\(group)-\(number)"), from: .signIn)
                }
            }
        }
        try home["one"].signIn(try .contoso("ada"), token: "t")
        try home["one"].signIn(try .google("grace"), token: "t")
        try home["one"].set("binding:tool:old:", to: "ada")
        try home.settle()
        return home
    }

    private func files(_ machine: SyncMachine) throws -> [SyncHead.GroupFile] {
        try machine.keyring.sync.openSession().state.own?.files ?? []
    }

    private func label(_ name: String, _ label: String, on machine: SyncMachine) throws {
        try machine.change { try $0.update(try Account.contoso(name).id) { $0.label = label } }
    }

    private func expectSame(_ home: SyncHome, _ what: String, _ location: SourceLocation = #_sourceLocation) throws {
        let first = try home["one"].shared()
        for machine in home.machines.dropFirst() {
            let other = try machine.shared()
            for key in Set(first.keys).union(other.keys) where first[key] != other[key] {
                Issue.record(
                    "\(what): \(key): \(first[key] ?? "-") here, \(other[key] ?? "-") on \(machine.name)",
                    sourceLocation: location)
            }
        }
    }

    /// Something a person does, and in how many files it is told.
    private struct Act: Sendable {
        let name: String
        var files = 1
        /// Whether each machine tells it by itself.
        var isToldByAll = false
        let body: @Sendable (SyncMachine) throws -> Void
    }

    private static let acts = [
        Act(name: "a label") { machine in
            try machine.change { try $0.update(try Account.contoso("default-7").id) { $0.label = "new" } }
        },
        Act(name: "a sign-in") { try $0.signIn(try .contoso("ben"), token: "t") },
        Act(name: "a sign-in once more") { try $0.signIn(try .contoso("ada"), token: "u") },
        Act(name: "a sign-out") { try $0.signOut(try .contoso("ada")) },
        Act(name: "a shared refresh token that was replaced") { try $0.refresh(try .google("grace"), token: "v") },
        Act(name: "a removal") { machine in
            _ = try machine.keyring.accounts.removeForGood(Account.contoso("default-3").id, from: .default)
        },
        Act(name: "a binding") { try $0.set("binding:tool:gh:", to: "ada") },
        Act(name: "a binding that is gone") { try $0.set("binding:tool:old:", to: nil) },
        Act(name: "a default") { try $0.keyring.accounts.setDefault(Account.contoso("ada").id, in: .default) },
        Act(name: "a move", files: 2) { machine in
            machine.clock.advance(by: 1)
            _ = try machine.keyring.accounts.move(
                Account.contoso("team-5").id, from: AccessGroup("team"), to: .default)
        },
        Act(name: "a group's name", isToldByAll: true) { machine in
            machine.clock.advance(by: 1)
            try machine.keyring.groups.rename(AccessGroup("team"), to: AccessGroup("crew"))
        },
    ]

    @Test("each kind of change is told in a file of its own, which others read and nobody tells again")
    func kinds() throws {
        for act in Self.acts {
            let home = try home()
            let (one, two) = (try home["one"], try home["two"])
            let (before, ofTwo) = (Set(try files(one)), try files(two))
            try act.body(one)
            #expect(try home.sync("one").hasPublished, "\(act.name)")
            let new = Set(try files(one)).subtracting(before)
            #expect(new.count == act.files && new.allSatisfy(\.isSegment), "\(act.name): \(new.count)")
            #expect(new.allSatisfy { $0.size < 2_500 }, "\(act.name): \(new.map(\.size))")
            _ = try home.sync("two")
            try expectSame(home, act.name)
            #expect(try !home.sync("two").hasPublished, "\(act.name)")
            #expect(try (files(two) == ofTwo) != act.isToldByAll, "\(act.name)")
            #expect(try !home.sync("one").hasPublished, "\(act.name)")
            // Nothing is lost on the way into a file of everything.
            try home.letIn(home.machine("three"), by: two)
            try home.settle()
            try expectSame(home, act.name)
        }
    }

    @Test("what both change at once is told by both, and what was changed here before a merge still is")
    func crossing() throws {
        let home = try home(["three"])
        for (name, round) in [("two", 1), ("one", 2), ("two", 3)] {
            try label("default-1", "\(name)-\(round)", on: home[name])
            let other = name == "one" ? "two" : "one"
            try home[other].change { writer in
                try writer.update(try Account.contoso("default-1").id) { $0.displayName = "of \(other) \(round)" }
            }
            // The other one takes in before it tells.
            try home.sync(name)
            try home.sync(other)
            try home.sync("three")
            try home.sync(name)
            try expectSame(home, "\(round)")
        }
    }

    @Test("that a refresh token was used or replaced is told nobody where each machine has its own")
    func refreshes() throws {
        let home = try home()
        let one = try home["one"]
        let key = GrantKey(.refresh(try .contoso("ada"), client: "mailer"))
        for number in 0..<3 {
            try one.change { writer in
                try writer.replaceGrant(key, secret: secret("t\(number)")) { credential in
                    credential.changeGrant { ($0.generation, $0.rotates) = ($0.generation + 1, true) }
                }
            }
            #expect(try !home.sync("one").hasPublished)
        }
        try one.change { try $0.updateGrant(key) { $0.changeGrant { $0.state = .signedOut } } }
        #expect(try home.sync("one").hasPublished)
    }

    @Test("many changes stay few files, whoever reads them each time, at times or in the end")
    func folding() throws {
        let home = try home(["three", "four"])
        let one = try home["one"]
        var (most, kept) = (0, 0)
        for round in 0..<TestLength.rounds(40, full: 150) {
            let whole = try files(one).filter { !$0.isSegment }
            try label("default-\(round % 50)", "label \(round)", on: one)
            try home.sync("one")
            try home.sync("two")
            if round % 11 == 5 { try home.sync("three") }
            most = max(most, try files(one).count)
            if try files(one).filter({ !$0.isSegment }) == whole { kept += 1 }
            #expect(try files(home["two"]).allSatisfy { !$0.isSegment })
        }
        #expect(most < 24 && kept > 30, "\(most) files, \(kept) times the same whole")
        for name in ["two", "three", "four", "one"] { try home.sync(name) }
        try expectSame(home, "in the end")
        // What no head names is gone.
        let names = try home.files(of: one).keys.filter { $0 != "head.age" }
        #expect(names.count <= 2 * most)
    }

    /// Machines of which "two" has told three changes since its whole, and the names of those segments, the oldest first.
    private func withSegments() throws -> (home: SyncHome, two: SyncMachine, segments: [String]) {
        let home = try home()
        let two = try home["two"]
        for number in 0..<3 {
            try label("default-\(number)", "first", on: two)
            try home.sync("two")
        }
        let segments = try files(two).filter(\.isSegment).sorted().map(\.name)
        try #require(segments.count == 3)
        return (home, two, segments)
    }

    @Test("a segment that a place loses, cuts or swaps stops its group, and all comes once it is back")
    func places() throws {
        let (home, two, segments) = try withSegments()
        let all = try home.files(of: two)
        func show(_ change: (inout [String: Data]) -> Void, _ finding: String) throws {
            let before = try home["one"].shared()
            var changed = all
            change(&changed)
            try home.replace(changed, of: two)
            #expect(try home.sync("one").changed == 0)
            #expect(try home["one"].shared() == before && home.findings("one") == [finding])
        }
        try show({ $0[segments[0]] = nil }, "incomplete")
        try show({ $0[segments[0]] = $0[segments[0]]?.dropLast(1) }, "incomplete")
        try show({ files in files[segments[0]]?[40] ^= 1 }, "replaced")
        try show({ ($0[segments[0]], $0[segments[2]]) = ($0[segments[2]], $0[segments[0]]) }, "replaced")
        _ = try home["one"].keyring.sync.acceptFindings(of: "two")
        try home.replace(all, of: two)
        #expect(try home.sync("one").changed > 0)
        try expectSame(home, "in the end")
    }

    @Test("where the second of three segments is missing the first counts, and the third has to wait")
    func missing() throws {
        let (home, two, segments) = try withSegments()
        let all = try home.files(of: two)
        var lacking = all
        lacking[segments[1]] = nil
        try home.replace(lacking, of: two)
        #expect(try home.sync("one").changed == 1)
        #expect(try home.findings("one") == ["incomplete"])
        try home.replace(all, of: two)
        #expect(try home.sync("one").changed == 2)
        #expect(try home.findings("one").isEmpty)
        try expectSame(home, "in the end")
    }

    @Test("an older listing is told of, and what it hides comes from nobody else")
    func listing() throws {
        let home = try home(["three"])
        let two = try home["two"]
        let early = try home.files(of: two)
        try label("default-1", "new", on: two)
        try home.sync("two")
        let late = try home.files(of: two)
        try home.sync("three")
        try label("default-2", "of three", on: home["three"])
        try home.sync("three")
        try home.replace(early, of: two)
        try home.sync("one")
        #expect(try home.findings("one") == ["withheld"])
        #expect(try home["one"].accounts().contains { $0.label == "of three" })
        #expect(try !home["one"].accounts().contains { $0.label == "new" })
        try home.replace(late, of: two)
        try home.settle()
        #expect(try home.findings("one").isEmpty)
        try home.replace(early, of: two)
        try home.sync("one")
        #expect(try home.findings("one").contains("rolledBack"))
        try expectSame(home, "in the end")
    }

    @Test("a member that forges the author or the order of what it tells is stopped, and nothing of it counts")
    func forgeries() throws {
        for kind in ["author", "gap", "early", "twice", "whole", "setting"] {
            let home = try home()
            let (one, gamma) = (try home["one"], try HostileDevice(in: home))
            _ = try one.keyring.sync.approve(gamma.id.words, through: home.remote)
            try gamma.write()
            try home.settle()
            let number = gamma.identity.device.number
            let victim = try HostileDevice.session(home["two"]) { session, _, _ in session.identity.device.number }
            func item(_ name: String, by device: UInt64) throws -> ItemRecord {
                let stamp = Stamp(milliseconds: home.clock.clock.milliseconds(), after: nil)
                return ItemRecord(
                    group: .default, content: .account(try .contoso(name)),
                    version: ItemVersion(stamp: stamp, device: device))
            }
            let eve = try item("eve", by: number)
            let whole = try gamma.file([], at: 1)
            switch kind {
            case "author": try gamma.write([whole, try gamma.file([eve], at: 2, after: 1, number: victim)])
            case "gap":
                try gamma.write([whole])
                try gamma.write([whole, try gamma.file([eve], at: 3, after: 2)])
            case "early": try gamma.write([whole, try gamma.file([eve], at: 9, after: 1)])
            case "twice": try gamma.write([whole, try gamma.file([eve], at: 2)])
            case "whole": try gamma.write([try gamma.file([eve], at: 2, after: 1)])
            default:
                let stamp = Stamp(milliseconds: home.clock.clock.milliseconds(), after: nil)
                let setting = ItemRecord(
                    group: .default, content: .setting(name: "binding:tool:old:", value: "eve"),
                    version: ItemVersion(stamp: stamp, device: victim))
                try gamma.write([whole, try gamma.file([setting], at: 2, after: 1)])
            }
            let before = try one.shared()
            _ = try home.sync("one")
            #expect(try one.shared() == before, "\(kind)")
            let findings = try home.findings("one")
            switch kind {
            case "author", "gap": #expect(findings == ["malformed"], "\(kind): \(findings)")
            case "early", "twice", "whole": #expect(findings == ["forged"], "\(kind): \(findings)")
            default: #expect(findings.isEmpty, "\(findings)")
            }
        }
    }

    @Test("a segment that a member puts in the place of one that it has told stops it")
    func swapped() throws {
        let home = try home()
        let (one, gamma) = (try home["one"], try HostileDevice(in: home))
        _ = try one.keyring.sync.approve(gamma.id.words, through: home.remote)
        try gamma.write()
        try home.settle()
        func item(_ name: String) throws -> ItemRecord {
            let stamp = Stamp(milliseconds: home.clock.clock.milliseconds(), after: nil)
            return ItemRecord(
                group: .default, content: .account(try .contoso(name)),
                version: ItemVersion(stamp: stamp, device: gamma.identity.device.number))
        }
        func has(_ name: String) throws -> Bool { try one.accounts().contains { $0.username.hasPrefix(name) } }
        let whole = try gamma.file([], at: 1)
        let told = try gamma.file([item("first")], at: 2, after: 1)
        try gamma.write([whole, told])
        _ = try home.sync("one")
        #expect(try has("first") && home.findings("one").isEmpty)
        let next = try gamma.file([item("third")], at: 3, after: 2)
        try gamma.write([whole, try gamma.file([item("second")], at: 2, after: 1), next])
        _ = try home.sync("one")
        #expect(try !has("second") && !has("third") && home.findings("one") == ["malformed"])
        // Another whole is none that was told otherwise.
        _ = try one.keyring.sync.acceptFindings(of: gamma.id.words)
        _ = try home.sync("one")
        try gamma.write([try gamma.file([item("fourth")], at: 4)])
        _ = try home.sync("one")
        #expect(try has("third") && has("fourth") && home.findings("one").isEmpty)
    }

    @Test(
        "a vault that was put back has again what it had told itself and what it had taken in",
        arguments: [false, true])
    func putBack(isWhole: Bool) throws {
        let home = try home(["three"])
        let (one, two) = (try home["one"], try home["two"])
        let saved = home.folder.path + "/saved"
        try FileManager.default.copyItem(atPath: two.location.vault, toPath: saved)
        try label("default-1", "of two", on: two)
        try two.signIn(try .google("ben"), token: "shared")
        try home.sync("two")
        try label("default-2", "of one", on: one)
        try home.settle()
        let before = try one.shared()
        if isWhole {
            try FileManager.default.removeItem(atPath: two.location.vault)
            try FileManager.default.copyItem(atPath: saved, toPath: two.location.vault)
        } else {
            for name in try FileManager.default.contentsOfDirectory(atPath: saved) where name.hasPrefix("keyring.db") {
                let data = try Data(contentsOf: URL(filePath: "\(saved)/\(name)"))
                try data.write(to: URL(filePath: "\(two.location.vault)/\(name)"))
            }
        }
        let returned = try two.reopened()
        // Somebody goes on working before it is noticed.
        home.clock.advance(by: 1)
        for number in 10..<30 {
            _ = try returned.withState { state in
                try returned.change(&state, try state.group(.default)) { writer in
                    try writer.update(try Account.contoso("default-\(number)").id) { $0.label = "later" }
                }
            }
        }
        _ = try returned.health.acceptRollback()
        home.clock.advance(by: 1)
        _ = try returned.sync.run(through: home.remote)
        try home.sync("one")
        try home.sync("three")
        _ = try returned.sync.run(through: home.remote)
        let labels = try returned.accounts.list(in: [.default]).compactMap(\.account.label)
        #expect(labels.count { $0 == "later" } == 20 && labels.contains("of two") && labels.contains("of one"))
        let after = try one.shared()
        #expect(after.count == before.count)
        #expect(try home["three"].shared() == after && home.findings("one").isEmpty)
        let shared = try #require(
            try returned.withState { state in
                try returned.change(&state, try state.group(.default)) { writer in
                    try writer.grant(GrantKey(.refresh(try .google("ben"), client: "mailer")))
                }
            })
        #expect(shared.grant?.state == .active)
    }

    @Test("what was told by one that leaves comes from who has read it")
    func leaving() throws {
        let home = try home(["three"])
        try label("default-1", "of two", on: home["two"])
        try home.sync("two")
        try home.sync("one")
        home.clock.advance(by: 1)
        _ = try home["two"].keyring.sync.leave(through: home.remote)
        try home["two"].keyring.sync.forget()
        try home.settle()
        #expect(try home["three"].accounts().contains { $0.label == "of two" })
    }

    @Test("what was removed long ago does not come to a machine that is new from what was told before")
    func oldRemovals() throws {
        let home = try home(["three"])
        try home["three"].signIn(try .contoso("carl"), token: "t")
        try home.settle()
        _ = try home["two"].keyring.accounts.removeForGood(Account.contoso("carl").id, from: .default)
        for _ in 0..<30 {
            home.clock.advance(by: 8 * 86_400)
            try home.settle()
        }
        let removals = try home.machines.map { try $0.shared().values.count { $0.hasPrefix("tombstone") } }
        #expect(removals == [0, 0, 0])
        try home.letIn(home.machine("four"), by: home["one"])
        try home.settle()
        try expectSame(home, "in the end")
        #expect(try !home["four"].accounts().contains { $0.username.hasPrefix("carl") })
    }

    @Test("nothing is numbered in a vault that is in no sync, and in one that is, what others are told")
    func numbers() throws {
        let home = try home()
        let alone = try home.machine("alone")
        func rows(_ machine: SyncMachine) throws -> Int {
            try machine.keyring.withState { state in
                let keys = try state.group(.default).keys
                return try machine.keyring.database.rowIDs(in: keys, changedSince: 0)?.count ?? -1
            }
        }
        for machine in [alone, try home["two"]] {
            try machine.signIn(try .contoso("dora"), token: "t")
            try machine.set("binding:tool:x:", to: "dora")
        }
        #expect(try rows(alone) == 0 && rows(home["two"]) == 3)
        // What came from others is not.
        #expect(try home["two"].accounts().count > Self.count)
        try label("default-1", "new", on: home["two"])
        #expect(try rows(home["two"]) == 4)
    }
}
