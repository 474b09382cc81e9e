import Foundation
import KeyfobModel
import KeyfobRecords
import KeyfobSync
import KeyfobTestSupport
import Testing

@testable import Keyfob

@Suite("Removals that are told no more")
struct SyncRemovalTests {
    private static let day: Int64 = 86_400

    /// Whether a machine still tells of the removal of an account.
    private func tells(_ machine: SyncMachine, _ account: Account) throws -> Bool {
        try machine.items()[.account(account.id)]?.item.isTombstone == true
    }

    /// Machines of which the first has removed what all had, so many days ago.
    private func home(
        _ names: [String] = ["two"], days: Int64, before body: (SyncMachine) throws -> Void = { _ in }
    ) throws -> (home: SyncHome, ada: Account) {
        let home = try SyncHome("one", "two")
        for name in names.dropFirst() { try home.letIn(home.machine(name), by: home["one"]) }
        let ada = try Account.contoso("ada")
        try home["one"].signIn(ada, token: "t")
        try home["one"].signIn(try .contoso("ben"), token: "t")
        try home["one"].set("binding:tool:gh:", to: "ada")
        try home.settle()
        try body(home["one"])
        try home["one"].set("binding:tool:gh:", to: nil)
        _ = try home["one"].keyring.accounts.removeForGood(ada.id, from: .default)
        try home.settle(["one"] + names.prefix(1))
        home.clock.advance(by: days * Self.day)
        return (home, ada)
    }

    @Test("all that everybody has taken in goes after half a year, everywhere, and nothing comes of it")
    func collected() throws {
        let (home, ada) = try home(days: 179)
        try home.settle()
        for machine in home.machines { #expect(try tells(machine, ada)) }
        home.clock.advance(by: 10 * Self.day)
        try home.settle()
        home.clock.advance(by: 10 * Self.day)
        try home.settle()
        for machine in home.machines {
            #expect(try !tells(machine, ada))
            #expect(try machine.accounts().map(\.username) == ["ben@contoso.example"])
            #expect(try machine.items().values.allSatisfy { !$0.item.isTombstone })
            #expect(try machine.keyring.sync.status().findings.isEmpty)
        }
        // Whoever adds it again has it.
        try home["two"].signIn(ada, token: "t")
        try home["two"].set("binding:tool:gh:", to: "ben")
        try home.settle()
        #expect(try home["one"].accounts().count == 2)
        #expect(try home["one"].setting("binding:tool:gh:") == "ben")
    }

    @Test("a machine that has not heard of it keeps it told, however long, and hears of it when it comes")
    func silent() throws {
        let (home, ada) = try home(["two", "three"], days: 400)
        for _ in 0..<3 {
            try home.settle(["one", "two"])
            home.clock.advance(by: 10 * Self.day)
        }
        for name in ["one", "two"] { #expect(try tells(home[name], ada)) }
        #expect(try home["three"].accounts().count == 2)
        try home.settle()
        for machine in home.machines { #expect(try machine.accounts().count == 1) }
        for _ in 0..<3 {
            home.clock.advance(by: 10 * Self.day)
            try home.settle()
        }
        for machine in home.machines { #expect(try !tells(machine, ada)) }
    }

    @Test("what somebody brings back who was out for long is not taken in, is told, and goes there too")
    func returning() throws {
        let (home, ada) = try home(["two", "three"], days: 30)
        let (one, three) = (try home["one"], try home["three"])
        _ = try one.keyring.sync.revoke("three")
        for _ in 0..<3 {
            try home.settle(["one", "two"])
            home.clock.advance(by: 100 * Self.day)
        }
        try home.settle(["one", "two"])
        #expect(try !tells(one, ada) && !tells(home["two"], ada))
        // With the vault as it was a year ago.
        _ = try three.keyring.sync.run(through: home.remote)
        try three.keyring.sync.forget()
        try home.letIn(three, by: one)
        let warnings = try home.sync("one").warnings
        #expect(warnings.contains { $0.contains("brings back what was removed long ago (1)") }, "\(warnings)")
        #expect(try one.accounts().count == 1)
        try home.settle()
        for machine in home.machines { #expect(try machine.accounts().map(\.username) == ["ben@contoso.example"]) }
        for machine in [one, try home["two"]] { #expect(try machine.setting("binding:tool:gh:") == nil) }
    }

    @Test("an old export brings nothing back, nor does one on a machine that does not know what was removed")
    func oldExport() throws {
        let keys = BundleKeys()
        var export: [UInt8] = []
        let (home, ada) = try home(days: 200) { export = try $0.keyring.bundle(for: keys.seal) }
        for _ in 0..<3 {
            try home.settle()
            home.clock.advance(by: 10 * Self.day)
        }
        let two = try home["two"]
        #expect(try !tells(two, ada))
        func take() throws -> ImportPlan {
            home.clock.advance(by: 1)
            return try two.keyring.bundles.import(
                try home.folder.bundle(export), with: keys.opener, taking: .all)
        }
        let lines = try take().lines.filter { $0.item.contains("ada") || $0.kind == "setting" }
        let reasons = lines.map(\.reason)
        #expect(reasons == ["deletedHere", "signedOutHere", "deletedHere"], "\(lines)")
        #expect(try two.accounts().map(\.username) == ["ben@contoso.example"])
        #expect(try two.setting("binding:tool:gh:") == nil)
        // Nor is it a dead end: whoever says so gets it back, as new.
        let returned = try two.keyring.bundles.bringBackRemoved(
            from: try home.folder.bundle(export), with: keys.opener, isDryRun: true)
        #expect(returned.counts["added"] ?? 0 > 0, "\(returned.lines)")
        for _ in 0..<3 {
            try home.settle()
            home.clock.advance(by: 10 * Self.day)
        }
        // As one that was opened with a group's key alone.
        try two.keyring.sync.withSession { $0.state.removals = SyncRemovals() }
        _ = try take()
        #expect(try two.accounts().count == 2)
        _ = try home.sync("two")
        let warnings = try home.sync("one").warnings
        #expect(warnings.contains { $0.contains("brings back what was removed long ago") }, "\(warnings)")
        try home.settle()
        for machine in home.machines {
            #expect(try machine.accounts().map(\.username) == ["ben@contoso.example"])
            #expect(try machine.keyring.sync.status().findings.isEmpty)
        }
    }
}
