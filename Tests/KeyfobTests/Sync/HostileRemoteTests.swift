import Foundation
import KeyfobAge
import KeyfobModel
import KeyfobRecords
import KeyfobSync
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import Keyfob

@Suite("A remote that cannot be trusted")
struct HostileRemoteTests {
    /// Two machines at rest, and what the second had at the remote before it had an account.
    private func home() throws -> (home: SyncHome, early: [String: Data]) {
        let home = try SyncHome("one", "two")
        let two = try home["two"]
        let early = try home.files(of: two)
        try two.signIn(try .contoso("ada"), token: "t")
        try home.settle()
        return (home, early)
    }

    /// Expects that a machine says this of the others and that its vault has not changed.
    private func expect(_ kinds: Set<String>, _ home: SyncHome, _ body: () throws -> Void) throws {
        let before = try home["one"].items().mapValues { "\($0.item) \($0.secret ?? [])" }
        try body()
        let report = try home.sync("one")
        #expect(report.changed == 0)
        #expect(try home["one"].items().mapValues { "\($0.item) \($0.secret ?? [])" } == before)
        #expect(try home.findings("one") == kinds)
    }

    @Test("one that shows an old state is told of, until its owner accepts it")
    func rollback() throws {
        let (home, early) = try home()
        let two = try home["two"]
        let late = try home.files(of: two)
        try expect(["rolledBack"], home) { try home.replace(early, of: two) }
        // It stays told when the remote behaves again, and what is new is taken in.
        try home.replace(late, of: two)
        try two.change { try $0.update(try Account.contoso("ada").id) { $0.label = "new" } }
        try home.settle()
        #expect(try home["one"].accounts().first?.label == "new")
        #expect(try home.findings("one") == ["rolledBack"])
        #expect(try home["one"].keyring.sync.acceptFindings(of: "two").count == 1)
        try home.settle()
        #expect(try home.findings("one").isEmpty)
    }

    @Test("a file of this device that was replaced by one of the same size is written again")
    func replacedOwn() throws {
        let (home, _) = try home()
        let two = try home["two"]
        var files = try home.files(of: two)
        let name = try #require(two.keyring.sync.openSession().state.own?.files.first?.name)
        let size = files[name]?.count ?? 0
        files[name] = Data(repeating: 7, count: size)
        try home.replace(files, of: two)
        #expect(try home.sync("two").hasPublished)
        try home["one"].signIn(try .contoso("ben"), token: "t")
        try home.settle()
        #expect(try !home.files(of: two).values.contains(Data(repeating: 7, count: size)))
        #expect(try !home.sync("two").hasPublished)
    }

    @Test("a file that changes between being checked and being read is not believed")
    func changedBetween() throws {
        let (home, _) = try home()
        let file = try #require(home["two"].keyring.sync.openSession().state.own?.files.first)
        let path = home.remote + "/" + (try home["two"].keyring.sync.status().ownFolder) + "/" + file.name
        let session = try home["one"].keyring.sync.openSession()
        guard let age = session.identity.age() else {
            Issue.record("the device has no keys")
            return
        }
        let bundle = try BundleFile(path: path)
        let known = try bundle.verify(.identities(age.text()), hash: file.hash, size: file.size)
        guard let verified = known else {
            Issue.record("it is not the file")
            return
        }
        var count = 0
        try bundle.read(verified) { _, _ in count += 1 }
        #expect(count > 0)
        let output = try FileHandle(forUpdating: URL(filePath: path))
        try output.seek(toOffset: file.size - 20)
        try output.write(contentsOf: Data(repeating: 7, count: 20))
        try output.close()
        #expect(throws: KeyringError.self) { try bundle.read(verified) { _, _ in } }
        // Nor is one that lies there instead.
        let other = try BundleFile(path: path)
        if try other.verify(.identities(age.text()), hash: file.hash, size: file.size) != nil {
            Issue.record("it is not the file")
        }
    }

    @Test("one that withholds a device is told of as long as it does")
    func withholding() throws {
        let (home, _) = try home()
        let two = try home["two"]
        let files = try home.files(of: two)
        try expect(["missing"], home) { try home.replace([:], of: two) }
        try home.replace(files, of: two)
        try home.sync("one")
        #expect(try home.findings("one").isEmpty)
    }

    @Test("one that withholds what a third has seen is told of")
    func gossip() throws {
        let home = try SyncHome("one", "two", "three")
        let two = try home["two"]
        let early = try home.files(of: two)
        try two.signIn(try .contoso("ada"), token: "t")
        try home.sync("two")
        try home.sync("three")
        try home["three"].signIn(try .contoso("ben"), token: "t")
        try home.sync("three")
        try home.replace(early, of: two)
        try home.sync("one")
        #expect(try home.findings("one") == ["withheld"])
        #expect(try home["one"].accounts().count == 2)
    }

    @Test("a file that is cut short is awaited, and one that was replaced is told of")
    func files() throws {
        let (home, _) = try home()
        let two = try home["two"]
        try two.signIn(try .contoso("ben"), token: "t")
        try home.sync("two")
        let files = try home.files(of: two)
        func sequence(_ name: String) -> UInt64 { UInt64(name.prefix { $0 != "-" }) ?? 0 }
        let newest = try #require(
            files.keys.filter { $0 != "head.age" }.max { sequence($0) < sequence($1) })
        let whole = try #require(files[newest])
        var changed = files
        for (kind, data) in [("incomplete", whole.dropLast(9)), ("incomplete", Data())] {
            changed[newest] = Data(data)
            try expect([kind], home) { try home.replace(changed, of: two) }
        }
        changed[newest] = nil
        try expect(["incomplete"], home) { try home.replace(changed, of: two) }
        for flipped in [0, whole.count / 2, whole.count - 1] {
            var data = whole
            data[data.startIndex + flipped] ^= 1
            changed[newest] = data
            try expect(["replaced"], home) { try home.replace(changed, of: two) }
        }
        changed[newest] = whole + [0]
        try expect(["replaced"], home) { try home.replace(changed, of: two) }
        try home.replace(files, of: two)
        #expect(try home.sync("one").changed > 0)
    }

    @Test("a head that is damaged is awaited; a good copy beside it counts")
    func heads() throws {
        let (home, _) = try home()
        let two = try home["two"]
        let files = try home.files(of: two)
        let head = try #require(files["head.age"])
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<12 {
            var data = head
            data[data.startIndex + Int.random(in: 0..<data.count, using: &generator)] ^= 1
            var changed = files
            changed["head.age"] = data
            try home.replace(changed, of: two)
            #expect(try home.sync("one").changed == 0)
            #expect(try home.findings("one").isSubset(of: ["incomplete", "closed"]))
        }
        // What stays as it is will never be whole: it was altered, which is told until it is accepted.
        var altered = files
        altered["head.age"] = Data(head.dropLast() + [head[head.index(before: head.endIndex)] ^ 1])
        try home.replace(altered, of: two)
        try home.sync("one")
        #expect(try home.findings("one") == ["incomplete"])
        home.clock.advance(by: 600)
        try home.sync("one")
        #expect(try home.findings("one").isSuperset(of: ["altered"]))
        try home.replace(files, of: two)
        try home.sync("one")
        #expect(try home.findings("one") == ["altered"])
        #expect(try home["one"].keyring.sync.acceptFindings(of: "two").count == 1)
        try two.signIn(try .contoso("ben"), token: "t")
        try home.sync("two")
        var copied = try home.files(of: two)
        copied["head.sync-conflict-20261123-010101-ABCDEFG.age"] = copied["head.age"]
        copied["head.age"] = head
        try home.replace(copied, of: two)
        try home.sync("one")
        #expect(try home["one"].accounts().count == 2)
        #expect(try home.findings("one").isEmpty)
    }

    @Test("what one device has written does not pass for another's, and a stranger's for nobody's")
    func swapped() throws {
        let home = try SyncHome("one", "two", "three")
        let (two, three) = (try home["two"], try home["three"])
        let (of2, of3) = (try home.files(of: two), try home.files(of: three))
        try expect(["forged"], home) { try home.replace(of3, of: two) }
        try home.replace(of2, of: two)
        // Somebody who knows a public key can encrypt to it, and sign with his own.
        let stranger = SyncIdentity.generate(number: 4)
        let victim = try #require(try Self.device(of: home["one"]))
        let sync = SyncID.random()
        let head = SyncHead(
            device: stranger.device, sequence: 99, previous: [], time: noon, name: "x", files: [], seen: [:],
            statements: [])
        let sealed = try SyncEnvelope.seal(head.signed(by: stranger, in: sync), for: [victim])
        var forged = of3
        forged["head.age"] = Data(sealed)
        #expect(try home["one"].keyring.sync.acceptFindings(of: "two").count == 1)
        try home.settle()
        try expect(["forged"], home) { try home.replace(forged, of: three) }
    }

    @Test("a member that the remote adds is none, and what it writes is not read")
    func added() throws {
        let home = try SyncHome("one", "two")
        let stranger = try SyncMachine("stranger", in: home.folder)
        // It begins a sync of its own in the same place, and asks for nothing.
        try stranger.keyring.sync.begin(at: home.remote, named: "stranger")
        try stranger.signIn(try .contoso("eve"), token: "t")
        _ = try stranger.keyring.sync.run(through: home.remote)
        try expect([], home) {}
        #expect(try home["one"].keyring.sync.status(through: home.remote).devices.count == 1)
        // It asks, and nobody says yes.
        let asking = try SyncMachine("asking", in: home.folder)
        let words = try home["one"].keyring.sync.status().own.words
        try asking.keyring.sync.join(at: home.remote, named: "asking", trusting: words, through: home.remote)
        try expect([], home) {}
        #expect(try asking.keyring.sync.run(through: home.remote).status.state == .waiting)
        #expect(try home["one"].keyring.sync.status(through: home.remote).requests.count == 1)
    }

    @Test("a request whose keys do not fit its words lets nobody in")
    func request() throws {
        let home = try SyncHome("one")
        let first = SyncIdentity.generate(number: 1)
        let second = SyncIdentity.generate(number: 2)
        let folder = home.remote + "/devices/" + first.device.id.hexadecimal
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let signed = second.sign(second.device.list.encoded(), as: .request, in: nil)
        let mixed = second.sign(first.device.list.encoded(), as: .request, in: nil)
        for request in [signed, mixed] {
            try Data(request.list.encoded()).write(to: URL(filePath: folder + "/request"))
            let error = failure(of: KeyringError.self) {
                _ = try home["one"].keyring.sync.approve(first.device.id.words, through: home.remote)
            }
            #expect(error?.code == .usage)
        }
    }

    @Test("two machines with one device's keys are told apart, by themselves and by others")
    func clone() throws {
        let (home, _) = try home()
        let two = try home["two"]
        // A snapshot of the machine, put back later: its path and its machine are the same.
        let saved = home.folder.path + "/saved"
        try FileManager.default.copyItem(atPath: two.location.vault, toPath: saved)
        try two.signIn(try .contoso("ben"), token: "t")
        try home.sync("two")
        try home.sync("one")
        func putBack() throws -> Keyring {
            try FileManager.default.removeItem(atPath: two.location.vault)
            try FileManager.default.copyItem(atPath: saved, toPath: two.location.vault)
            let returned = try two.reopened()
            let old = failure(of: KeyringError.self) { _ = try returned.sync.run(through: home.remote) }
            #expect(old?.code == .rolledBack && old?.advice == .acceptRollback(first: false))
            return returned
        }
        // Whoever accepts it goes on from what the machine is seen to have written.
        let accepted = try putBack()
        _ = try accepted.health.acceptRollback()
        home.clock.advance(by: 1)
        _ = try accepted.sync.run(through: home.remote)
        #expect(try accepted.accounts.list().contains { $0.account.username.hasPrefix("ben") })
        try home.sync("one")
        #expect(try home.findings("one").isEmpty)
        // Where the remote hides what was written meanwhile, the others see two histories.
        let returned = try putBack()
        _ = try returned.health.acceptRollback()
        let one = try home["one"]
        let ofOne = try home.files(of: one)
        for machine in [one, two] { try home.replace([:], of: machine) }
        _ = try returned.withState { state in
            try returned.change(&state, try state.group(.default)) { writer in
                _ = try writer.save(try Account.contoso("eve"), from: .signIn)
            }
        }
        _ = try returned.sync.run(through: home.remote)
        try home.replace(ofOne, of: one)
        try home.sync("one")
        #expect(try home.findings("one").contains("forked"))
        #expect(try !home["one"].accounts().contains { $0.username.hasPrefix("eve") })
    }

    @Test("a million foreign files are passed over")
    func foreignFiles() throws {
        let (home, _) = try home()
        let folder = home.remote + "/devices"
        for number in 0..<TestLength.rounds(5_000, full: 100_000) {
            try Data([1]).write(to: URL(filePath: "\(folder)/foreign-\(number)"))
        }
        try expect([], home) {}
        try home["two"].signIn(try .contoso("ben"), token: "t")
        try home.settle()
        #expect(try home["one"].accounts().count == 2)
    }

    private static func device(of machine: SyncMachine) throws -> SyncDevice? {
        try machine.keyring.sync.openSession().identity.device
    }
}
