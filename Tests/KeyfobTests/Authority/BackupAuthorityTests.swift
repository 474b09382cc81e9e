import Foundation
import KeyfobAge
import KeyfobAgeHybrid
@testable import Keyfob
import KeyfobSodium
import KeyfobTestSupport
import KeyfobVault
import Testing

@Suite("A backup that somebody else wrote for the owner's public key")
struct BackupAuthorityTests {
    private let home: KeyringHome
    private let ada: Account
    /// What opens the true backups; its public part is known to everybody.
    private let recovery: BundleKeys
    /// The lines of a true backup but for the last, and what its last line says.
    private let lines: [String]
    private let mac: String

    init() throws {
        home = try KeyringHome()
        ada = try .contoso("ada")
        try home.keyring.store(.refresh(ada), "ada's", for: ada)
        try home.keyring.bindings.set(.tool("gh"), to: .account(ada.id), in: .default)
        recovery = try BundleKeys(home)
        let text = try recovery.opened([UInt8](Data(contentsOf: URL(filePath: home.keyring.bundles.backUp().path))))
        lines = text.split(separator: "\n").dropLast().map(String.init)
        mac = try #require(text.firstMatch(of: /"mac":"([0-9a-f]{64})"/)?.output.1).description
    }

    private static func digest(_ lines: [String]) -> [UInt8] {
        lines.reduce([UInt8](repeating: 0, count: 32)) { digest, line in
            BLAKE2b.hash(digest + BLAKE2b.hash(Array(line.utf8), count: 32), count: 32)
        }
    }

    /// A backup with these lines and a right end, for the owner's public key.
    private func sealed(_ lines: [String], mac: String?) throws -> [UInt8] {
        let mac = mac.map { ",\"mac\":\"\($0)\"" } ?? ""
        let digest = hexadecimal(Self.digest(lines))
        let end = "{\"end\":{\"records\":\(lines.count - 1),\"digest\":\"\(digest)\"\(mac)}}"
        return try recovery.sealed((lines + [end]).joined(separator: "\n") + "\n")
    }

    /// A vault of the attacker's with a slot for the owner's public key.
    private func theirs() throws -> UnlockedVault {
        let recipient = try #require(AgeRecipient(parsing: recovery.recipient))
        return try UnlockedVault.create(slot: .recipient(recipient), now: noon)
    }

    /// The manifest with another header, and another vault's id where that is asked for.
    private func manifest(_ header: [UInt8], id: String? = nil) -> String {
        let text = String(decoding: Base64.standard.encode(header), as: UTF8.self)
        let manifest = lines[0].replacing(/"header":"[^"]*"/, with: "\"header\":\"\(text)\"")
        return id.map { manifest.replacing(home.keyring.vaultID, with: $0) } ?? manifest
    }

    private func records(_ token: String) -> [String] {
        lines.dropFirst().map { $0.replacing("ada's", with: token) }
    }

    /// Expects that nothing shows whose it is, by the recovery key or the vault, and that a restore changes nothing.
    private func expectStrangers(_ bytes: [UInt8], location: SourceLocation = #_sourceLocation) throws {
        let file = try home.folder.bundle(bytes)
        let summary = try Keyring.Bundles.verifyBackup(file, with: recovery.opener, of: home.keyring)
        #expect(!summary.isOwners, sourceLocation: location)
        let before = try home.state()
        let over = failure(of: KeyringError.self) { _ = try home.keyring.bundles.restore(file, with: recovery.opener) }
        #expect(over?.code == .unknownVault, sourceLocation: location)
        let location2 = KeyringLocation(vault: home.folder.path + "/second", state: home.location.state)
        let new = failure(of: KeyringError.self) {
            _ = try Keyring.restore(file, with: recovery.opener, at: location2, slot: .keyFile(keyFile(3)))
        }
        #expect(new?.code == .unknownVault && !FileManager.default.fileExists(atPath: location2.vault))
        #expect(try home.state() == before, sourceLocation: location)
    }

    @Test("a true one is the owner's, by the recovery key or by the vault")
    func owners() throws {
        let file = try home.folder.bundle(try sealed(lines, mac: mac))
        #expect(try Keyring.Bundles.verifyBackup(file, with: recovery.opener).isOwners)
        let keys = BundleKeys()
        let elsewhere = try BundleFile(path: home.keyring.bundles.backUp(for: [keys.recipient]).path)
        #expect(try !Keyring.Bundles.verifyBackup(elsewhere, with: keys.opener).isOwners)
        #expect(try Keyring.Bundles.verifyBackup(elsewhere, with: keys.opener, of: home.keyring).isOwners)
        #expect(try home.keyring.bundles.restore(file, with: recovery.opener).leftOutDecisions.isEmpty)
        #expect(try home.keyring.bindings.list().map(\.writer) == [.owner])
    }

    @Test("a forged one, newest in the vault's folder, proves nothing with a vault of the forger's")
    func forged() throws {
        let vault = try theirs()
        let header = try vault.encodedHeader()
        for id in [nil, vault.header.vault.description] {
            let forged = [manifest(header, id: id)] + records("planted")
            let mac = hexadecimal(try vault.authentication(ofBackup: Self.digest(forged)))
            let bytes = try sealed(forged, mac: mac)
            try home.folder.write("vault/backups/keyfob-20991231T235959Z.age", bytes)
            #expect(try home.keyring.bundles.backups().first?.hasSuffix("keyfob-20991231T235959Z.age") == true)
            try expectStrangers(bytes)
        }
        try expectStrangers(try sealed(lines, mac: nil))
    }

    @Test("the header and the MAC of a true one count for its own lines alone")
    func spliced() throws {
        try expectStrangers(try sealed([lines[0]] + records("planted"), mac: mac))
        let vault = try theirs()
        let others = hexadecimal(try vault.authentication(ofBackup: Self.digest(lines)))
        try expectStrangers(try sealed(lines, mac: others))
        // Records of a true backup behind the header of another vault.
        try expectStrangers(try sealed([manifest(try vault.encodedHeader())] + records("ada's"), mac: mac))
    }

    @Test("flipped bits of header and MAC, a last line that is cut, and a header that is too long")
    func damaged() throws {
        let header = try #require(lines[0].firstMatch(of: /"header":"([^"]*)"/)?.output.1)
        let bytes = try #require(Base64.standard.decode(Array(header.utf8)))
        for position in stride(from: 0, to: bytes.count, by: 17) {
            var flipped = bytes
            flipped[position] ^= 1
            let forged = [manifest(flipped)] + lines.dropFirst()
            let summary = try Keyring.Bundles.verifyBackup(
                try home.folder.bundle(try sealed(forged, mac: mac)), with: recovery.opener, of: home.keyring)
            #expect(!summary.isOwners, "byte \(position)")
        }
        var flipped = Array(mac)
        flipped[5] = flipped[5] == "0" ? "1" : "0"
        try expectStrangers(try sealed(lines, mac: String(flipped)))
        let long = [manifest([UInt8](repeating: 7, count: 65_537))] + lines.dropFirst()
        let longer = [manifest([UInt8](repeating: 7, count: 1 << 20))] + lines.dropFirst()
        let refused = [
            try sealed(lines, mac: "abcd"), try sealed(lines, mac: ""), try sealed(long, mac: mac),
            try sealed(longer, mac: mac), try recovery.sealed(lines.joined(separator: "\n") + "\n{\"end\":{\"rec"),
        ]
        for bytes in refused {
            let error = failure(of: KeyringError.self) {
                _ = try Keyring.Bundles.verifyBackup(
                    try home.folder.bundle(bytes), with: recovery.opener, of: home.keyring)
            }
            #expect(error?.code == .damaged || error?.code == .limitExceeded)
        }
    }

    @Test("taken all the same, it decides nothing, and takes no decision of the owner's away")
    func taken() throws {
        let vault = try theirs()
        let records = records("planted")
        let decision = try #require(records.first { $0.contains("\"gh\"") || $0.contains("gh") })
        let others = records.filter { $0 != decision }
        // Another name has another place in the order.
        for place in 0...others.count {
            var forged = others
            forged.insert(decision.replacing("gh", with: "az"), at: place)
            forged.insert(manifest(try vault.encodedHeader()), at: 0)
            let file = try home.folder.bundle(try sealed(forged, mac: mac))
            if (try? Keyring.Bundles.verifyBackup(file, with: recovery.opener)) != nil { break }
        }
        let file = try BundleFile(path: home.folder.path + "/bundle.age")
        let plan = try home.keyring.bundles.restore(file, with: recovery.opener, takingStrangers: true)
        #expect(!plan.source.isOwners && !plan.leftOutDecisions.isEmpty)
        #expect(try home.keyring.bindings.list().map(\.subject) == [.tool("gh")])
        let location = KeyringLocation(vault: home.folder.path + "/second", state: home.location.state)
        let restored = try Keyring.restore(
            file, with: recovery.opener, takingStrangers: true, at: location, slot: .keyFile(keyFile(3)))
        #expect(try restored.keyring.bindings.list().isEmpty && restored.keyring.accounts.list().count == 1)
    }

    @Test("after new keys for the vault an older one is the owner's still, by the recovery key of its time")
    func beforeNewKeys() throws {
        let old = try home.folder.bundle(try sealed(lines, mac: mac))
        var rekeying = try home.keyring.slots.beginRekey()
        try rekeying.keep(keyFile: keyFile(1))
        _ = try rekeying.commit(handingOver: { _ in })
        #expect(try Keyring.Bundles.verifyBackup(old, with: recovery.opener, of: home.keyring).isOwners)
        #expect(try home.keyring.bundles.restore(old, with: recovery.opener).source.isOwners)
        #expect(try home.keyring.bindings.list().map(\.writer) == [.owner])
    }

    @Test("what a backup says of its vault opens no vault in the place of the true one")
    func headerInPlace() throws {
        let header = try #require(lines[0].firstMatch(of: /"header":"([^"]*)"/)?.output.1)
        let bytes = try #require(Base64.standard.decode(Array(header.utf8)))
        let vault = try LockedVault(headerBytes: bytes)
        let (sequence, groups, slots) = (vault.sequence, vault.header.hasSlot(.keyFile), vault.header.slots.count)
        #expect(sequence == 0 && !groups && slots == 1)
    }
}
