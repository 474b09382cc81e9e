import Foundation
import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import Keyfob

@Suite("Leaving a sync")
struct SyncLeavingTests {
    private func leave(_ name: String, _ home: SyncHome) throws {
        home.clock.advance(by: 1)
        _ = try home[name].keyring.sync.leave(through: home.remote)
        try home[name].keyring.sync.forget()
    }

    @Test("who leaves keeps what it has, the others are told, and whom it let in stays")
    func leaving() throws {
        let home = try SyncHome("one", "two")
        try home.letIn(home.machine("three"), by: home["two"])
        try home["two"].signIn(try .contoso("ada"), token: "t")
        try home["two"].set("binding:tool:gh:", to: "ada")
        try home.settle()
        let folder = home.remote + "/" + (try home["two"].keyring.sync.status().ownFolder)
        try leave("two", home)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["head.age"])
        let two = try home["two"]
        #expect(!two.keyring.sync.isSetUp)
        #expect(throws: KeyringError.self) { try two.keyring.sync.status() }
        #expect(try two.accounts().count == 1 && two.setting("binding:tool:gh:") == "ada")
        let report = try home.sync("one")
        #expect(report.left == ["two"] && report.removedDecisions.count == 1 && report.warnings.isEmpty)
        #expect(report.status.findings.isEmpty)
        let device = try #require(report.status.devices.first { $0.name == "two" })
        #expect(device.hasLeft && device.isRevoked && !device.sharesAll)
        #expect(try home.sync("one").left.isEmpty)
        try home["one"].signIn(try .contoso("ben"), token: "t")
        try home.settle()
        #expect(try home["three"].accounts().count == 2)
        #expect(try two.accounts().count == 1)
        // It may come back, as another device.
        try home.letIn(two, by: home["three"])
        try home.settle()
        #expect(try two.accounts().count == 2)
        for machine in home.machines { #expect(try machine.keyring.sync.status().findings.isEmpty) }
    }

    @Test("what others had decided in a sync that was left is nobody's word in the next")
    func nextSync() throws {
        let home = try SyncHome("one", "two")
        try home["one"].set("binding:tool:gh:", to: "ada")
        try home["two"].set("binding:tool:az:", to: "ben")
        try home.settle()
        try leave("two", home)
        let (two, three) = (try home["two"], try home.machine("three"))
        // Also where the vault has got new keys in between.
        var rekeying = try two.keyring.slots.beginRekey()
        try rekeying.keep(keyFile: keyFile(1))
        _ = try rekeying.commit(handingOver: { _ in })
        let remote = home.remote + "-next"
        try FileManager.default.createDirectory(atPath: remote, withIntermediateDirectories: true)
        try two.keyring.sync.begin(at: remote, named: "two")
        let words = try two.keyring.sync.status().own.words
        try three.keyring.sync.join(at: remote, named: "three", trusting: words, through: remote)
        _ = try two.keyring.sync.approve(try three.keyring.sync.status().own.words, through: remote)
        for machine in [two, three, two, three] { _ = try machine.keyring.sync.run(through: remote) }
        #expect(try two.setting("binding:tool:gh:") == "ada" && two.setting("binding:tool:az:") == "ben")
        #expect(try three.setting("binding:tool:gh:") == nil && three.setting("binding:tool:az:") == "ben")
    }

    @Test("the first one may leave, and one that nobody has let in yet")
    func others() throws {
        let home = try SyncHome("one", "two")
        let words = try home["two"].keyring.sync.status().own.words
        let three = try home.machine("three")
        try three.keyring.sync.join(at: home.remote, named: "three", trusting: words, through: home.remote)
        try leave("three", home)
        #expect(try home["two"].keyring.sync.status(through: home.remote).requests.isEmpty)
        try leave("one", home)
        try home.letIn(three, by: home["two"])
        try home["three"].signIn(try .contoso("ada"), token: "t")
        try home.settle()
        #expect(try home["two"].accounts().count == 1)
        // Before it was over, and again: the same.
        _ = try three.keyring.sync.leave(through: home.remote)
        try leave("three", home)
        #expect(try home.sync("two").left == ["three"])
    }
}
