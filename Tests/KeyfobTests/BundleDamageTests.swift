import Foundation
import Keyfob
import KeyfobModel
import KeyfobSQLiteTestSupport
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("Bundles that are refused")
struct BundleDamageTests {
    private let keys = BundleKeys()

    /// Whether a full run was asked for, which takes minutes.

    /// A vault that must not change, and what its groups are at.
    private struct Target {
        let home: KeyringHome
        let state: [UInt8]

        init() throws {
            home = try KeyringHome()
            try home.fill()
            state = try home.state()
        }

        func refusal(_ bytes: [UInt8], _ keys: BundleKeys, mode: Keyring.ImportMode = .merge) throws -> KeyringError? {
            let file = try home.folder.bundle(bytes)
            return failure(of: KeyringError.self) {
                _ = try home.keyring.bundles.import(file, with: keys.opener, mode: mode)
            }
        }

        func expectUnchanged() throws {
            #expect(try home.state() == state)
            #expect(try home.keyring.health.verify().problems == [])
        }
    }

    @Test("every truncation of a small bundle", arguments: [false, true])
    func truncations(isArmored: Bool) throws {
        let (source, target) = (try KeyringHome(), try Target())
        let ada = try Account.contoso("ada")
        try source.keyring.store(.refresh(ada), "token", for: ada)
        let bundle = try source.keyring.bundle(for: keys.seal, isArmored: isArmored)
        for count in 0..<bundle.count {
            // In armor the line end behind the last line says nothing.
            if isArmored, count == bundle.count - 1 { continue }
            let error = try target.refusal(Array(bundle.prefix(count)), keys)
            #expect(
                error?.code == .damaged || error?.code == .wrongKey,
                "cut to \(count) bytes: \(String(describing: error))")
        }
        try target.expectUnchanged()
    }

    @Test("flipped bits of a larger bundle")
    func flips() throws {
        let (source, target) = (try KeyringHome(), try Target())
        for number in 0..<150 {
            let account = try Account.contoso("user\(number)")
            try source.keyring.store(.refresh(account), String(repeating: "t", count: 500), for: account)
        }
        let bundle = try source.keyring.bundle(for: keys.seal)
        var random = SeededGenerator(seed: 11)
        for _ in 0..<TestLength.rounds(150, full: 10_000) {
            var altered = bundle
            let bit = Int.random(in: 0..<8 * bundle.count, using: &random)
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            let error = try target.refusal(altered, keys)
            #expect([.damaged, .wrongKey, .limitExceeded].contains(error?.code), "bit \(bit)")
        }
        #expect(try target.refusal(bundle + [0], keys)?.code == .damaged)
        try target.expectUnchanged()
    }

    @Test("a bundle for somebody else, of another purpose, or no bundle at all")
    func others() throws {
        let (source, target) = (try KeyringHome(), try Target())
        let bundle = try source.keyring.bundle(for: BundleKeys().seal)
        #expect(try target.refusal(bundle, keys)?.code == .wrongKey)
        let backup = try source.keyring.bundles.backUp(for: [keys.recipient])
        #expect(try target.refusal([UInt8](Data(contentsOf: URL(filePath: backup.path))), keys)?.code == .usage)
        #expect(try target.refusal(Array("{}".utf8), keys)?.code == .damaged)
        #expect(try target.refusal([], keys)?.code == .damaged)
        let export = try target.home.folder.bundle(try source.keyring.bundle(for: keys.seal))
        #expect(throws: KeyringError(.usage, "")) { try target.home.keyring.bundles.restore(export, with: keys.opener) }
        try target.expectUnchanged()
    }

    @Test("a bundle that a newer Keyfob wrote")
    func newer() throws {
        let target = try Target()
        let line = #"{"formatVersion":2,"minorVersion":0,"purpose":"export"}"# + "\n"
        let error = try target.refusal(try keys.sealed(line), keys)
        #expect(error?.code == .newerVersion)
        try target.expectUnchanged()
    }

    @Test("a record of a group that the manifest does not list", arguments: Keyring.ImportMode.allCases)
    func strangeGroup(mode: Keyring.ImportMode) throws {
        let target = try Target()
        let record = ItemRecord(
            group: .default, content: .setting(name: "a", value: "b"),
            version: ItemVersion(stamp: Stamp(value: 1), device: 1))
        let bundle = try keys.crafted([.init(record: record)])
        let plain = try keys.opened(bundle).replacing(#""groups":["default"]"#, with: #""groups":["work"]"#)
        let error = try target.refusal(try keys.sealed(plain), keys, mode: mode)
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("group") == true)
        try target.expectUnchanged()
    }

    @Test("a pipe is taken in as a file is, and one without an end is not")
    func pipes() throws {
        let (source, target) = (try KeyringHome(), try KeyringHome())
        try source.fill()
        let bundle = try source.keyring.bundle(for: keys.seal)
        let pipe = Pipe()
        let writer = Thread {
            try? pipe.fileHandleForWriting.write(contentsOf: Data(bundle))
            try? pipe.fileHandleForWriting.close()
        }
        writer.start()
        let file = try BundleFile(descriptor: pipe.fileHandleForReading.fileDescriptor, name: "standard input")
        let plan = try target.keyring.bundles.import(file, with: keys.opener)
        #expect(plan.newGroups.map(\.name) == ["work"])
        let rest = Pipe()
        try rest.fileHandleForWriting.write(contentsOf: Data(bundle.dropFirst(20).prefix(30_000)))
        try rest.fileHandleForWriting.close()
        let continued = try BundleFile(
            descriptor: rest.fileHandleForReading.fileDescriptor, name: "standard input",
            after: Array(bundle.prefix(20)))
        #expect(try target.keyring.bundles.import(continued, with: keys.opener).isEmpty)
        let endless = failure(of: KeyringError.self) { _ = try BundleFile(path: "/dev/zero") }
        #expect(endless?.code == .limitExceeded)
    }

    @Test("a file that changes between the two readings")
    func changing() throws {
        let target = try Target()
        let bundle = try keys.crafted([])
        let path = target.home.folder.path + "/bundle.age"
        let file = try target.home.folder.bundle(bundle)
        // The same bytes once more: nobody can tell whether they were others in between.
        try Data(bundle).write(to: URL(filePath: path))
        let error = failure(of: KeyringError.self) {
            _ = try target.home.keyring.bundles.import(file, with: keys.opener)
        }
        #expect(error?.code == .damaged)
        try target.expectUnchanged()
        #expect(throws: KeyringError(.noSuchFile, "")) { _ = try BundleFile(path: path + "x") }
        #expect(throws: KeyringError(.configuration, "")) { _ = try BundleFile(path: target.home.folder.path) }
    }

    @Test("a vault with damaged records takes nothing in until it is repaired")
    func damagedVault() throws {
        let target = try Target()
        let account = "(SELECT min(id) FROM records WHERE kind = 1)"
        try target.home.database().run("UPDATE records SET attributes = zeroblob(600) WHERE id = \(account)")
        let state = try target.home.state()
        let keyring = try target.home.opened()
        let bundle = try keys.crafted([])
        let error = failure(of: KeyringError.self) {
            _ = try keyring.bundles.import(try target.home.folder.bundle(bundle), with: keys.opener)
        }
        #expect(error?.code == .damaged)
        #expect(try target.home.state() == state)
    }
}
