import KeyfobAge
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("The slots of a vault")
struct KeySlotTests {
    /// Where the first slot's cost lies, when it is a passphrase's.
    private static let operationsOffset = 8 + 2 + 2 + 16 + 8 + 32 + 1 + 2 + 1 + 16 + 8 + 16

    private static func passphraseHeader() throws -> [UInt8] {
        let vault = try UnlockedVault.create(
            slot: .passphrase(NewPassphrase(secret("correct"), cost: .floor)), now: noon)
        return try vault.encodedHeader()
    }

    @Test("a passphrase opens its slot, and another one is a wrong key")
    func passphrase() throws {
        let header = try Self.passphraseHeader()
        let vault = try LockedVault(headerBytes: header).unlock(with: .passphrase(secret("correct")))
        let opensWholeVault = vault.opensWholeVault
        #expect(opensWholeVault)
        let error = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: header).unlock(with: .passphrase(secret("Correct")))
        }
        #expect(error == .wrongKey)
    }

    struct Tampered: Sendable, CustomTestStringConvertible {
        let operations: UInt32
        let memory: UInt64
        var testDescription: String { "\(operations) passes over \(memory) bytes" }
    }

    @Test(
        "a cost outside what is accepted is refused before anything is computed",
        arguments: [
            Tampered(operations: 1, memory: 64 << 20), Tampered(operations: 11, memory: 64 << 20),
            Tampered(operations: 2, memory: 64 << 20 - 1), Tampered(operations: 2, memory: 1 << 30 + 1),
            Tampered(operations: 0, memory: 0), Tampered(operations: .max, memory: .max),
        ])
    func tamperedCost(tampered: Tampered) throws {
        let box = [UInt8](repeating: 9, count: 32).withBytes { key in
            CommittingAEAD.seal([UInt8](repeating: 0, count: 32), key: key, context: [])
        }
        let cost = Argon2id.Cost(operations: tampered.operations, memory: tampered.memory)
        let lock = KeySlot.Lock.passphrase(salt: [UInt8](repeating: 1, count: 16), cost: cost, box: box)
        var vault = try UnlockedVault.sample()
        vault.header.slots.append(KeySlot(id: .random(), created: 0, lock: lock))
        let header = try vault.encodedHeader()
        let error = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: header).unlock(with: .passphrase(secret("anything")))
        }
        #expect(error == .costRefused(operations: cost.operations, memory: cost.memory))
        // Another slot still opens the vault.
        let opened = try UnlockedVault.opened(header, keyFile: 1).opensWholeVault
        #expect(opened)
    }

    @Test("a cost that was altered in the file is refused, although the checksum fits")
    func alteredCost() throws {
        let header = try Self.passphraseHeader()
            .replacing(at: Self.operationsOffset, with: [255, 255, 0, 0]).withChecksumRecomputed()
        let error = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: header).unlock(with: .passphrase(secret("correct")))
        }
        #expect(error == .costRefused(operations: 65_535, memory: 64 << 20))
    }

    @Test("a passphrase slot that is too cheap or too dear is not made", arguments: [1, 11] as [UInt32])
    func refusedCost(operations: UInt32) throws {
        let error = failure(of: VaultError.self) {
            let cost = Argon2id.Cost(operations: operations, memory: 64 << 20)
            _ = try UnlockedVault.create(slot: .passphrase(NewPassphrase(secret("x"), cost: cost)), now: noon)
        }
        #expect(error == .costRefused(operations: operations, memory: 64 << 20))
    }

    @Test("a key file opens its slot, and another one is a wrong key")
    func keyFiles() throws {
        let header = try UnlockedVault.sample().encodedHeader()
        let opensWholeVault = try UnlockedVault.opened(header, keyFile: 1).opensWholeVault
        #expect(opensWholeVault)
        let error = failure(of: VaultError.self) { _ = try UnlockedVault.opened(header, keyFile: 3) }
        #expect(error == .wrongKey)
    }

    @Test("a key file has 32 bytes to 64 KiB", arguments: [0, 31, 65_537])
    func unsuitableKeyFiles(count: Int) throws {
        let made = failure(of: VaultError.self) {
            _ = try UnlockedVault.create(slot: .keyFile(.random(count: count)), now: noon)
        }
        #expect(made == .unsuitableKeyFile)
        let header = try UnlockedVault.sample().encodedHeader()
        let offered = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: header).unlock(with: .keyFile(.random(count: count)))
        }
        #expect(offered == .unsuitableKeyFile)
    }

    @Test("the shortest and the longest key file are taken", arguments: [32, 65_536])
    func suitableKeyFiles(count: Int) throws {
        let content = [UInt8](repeating: 5, count: count)
        let header = try UnlockedVault.create(slot: .keyFile(secret(content)), now: noon).encodedHeader()
        let vault = try LockedVault(headerBytes: header).unlock(with: .keyFile(secret(content)))
        let opensWholeVault = vault.opensWholeVault
        #expect(opensWholeVault)
    }

    /// A header whose only slots are key file 1 and the Secret Service's 32 bytes, each a 3.
    private static func secretServiceHeader() throws -> [UInt8] {
        var vault = try UnlockedVault.sample()
        _ = try vault.addSlot(.secretService(keyFile(3)), now: noon)
        return try vault.encodedHeader()
    }

    @Test("what the Secret Service keeps opens its slot, and something else is a wrong key")
    func secretService() throws {
        let header = try Self.secretServiceHeader()
        let opened = try LockedVault(headerBytes: header).unlock(with: .secretService(keyFile(3)))
        let (opensWholeVault, summary) = (opened.opensWholeVault, try #require(opened.slotSummaries.last))
        #expect(opensWholeVault)
        #expect(summary.kind == .secretService && summary.kind.name == "secret-service" && summary.cost == nil)
        let error = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: header).unlock(with: .secretService(keyFile(1)))
        }
        #expect(error == .wrongKey)
    }

    @Test("an item of any other length is a wrong key", arguments: [0, 1, 31, 33, 64, 65_537])
    func foreignItems(count: Int) throws {
        let header = try Self.secretServiceHeader()
        let error = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: header)
                .unlock(with: .secretService(secret([UInt8](repeating: 3, count: count))))
        }
        #expect(error == .wrongKey)
    }

    @Test("an item with any bit flipped is a wrong key", arguments: 0..<256)
    func alteredItem(bit: Int) throws {
        let header = try Self.secretServiceHeader()
        let altered = [UInt8](repeating: 3, count: 32).flipping(1 << UInt8(bit % 8), at: bit / 8)
        let error = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: header).unlock(with: .secretService(secret(altered)))
        }
        #expect(error == .wrongKey)
    }

    @Test("the bytes of the Secret Service are no key file, nor the other way round")
    func kindsApart() throws {
        let header = try Self.secretServiceHeader()
        let asFile = failure(of: VaultError.self) { _ = try UnlockedVault.opened(header, keyFile: 3) }
        #expect(asFile == .wrongKey)
        let fileOnly = try UnlockedVault.sample().encodedHeader()
        let asItem = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: fileOnly).unlock(with: .secretService(keyFile(1)))
        }
        #expect(asItem == .noSuchKindOfSlot)
    }

    @Test("a header says which kinds of slots it has, those of groups too")
    func kinds() throws {
        let header = try VaultHeader(encoded: Self.secretServiceHeader())
        #expect(header.hasSlot(.secretService) && header.hasSlot(.keyFile))
        #expect(!header.hasSlot(.passphrase) && !header.hasSlot(.recipient))
        var vault = try UnlockedVault.sample()
        let group = try #require(vault.groups.first).keys.group
        _ = try vault.grant(group, to: .recipient(AgeIdentitySample.one().recipient), now: noon)
        #expect(try VaultHeader(encoded: vault.encodedHeader()).hasSlot(.recipient))
    }

    @Test("a slot for the Secret Service that was changed in any byte opens nothing, or the right key")
    func alteredSlot() throws {
        let vault = VaultID.random()
        let slot = try KeySlot.seal(secret("the vault key"), for: .secretService(keyFile(3)), vault: vault, now: 0)
        var writer = ByteWriter()
        slot.write(to: &writer)
        for offset in writer.bytes.indices {
            for mask in [0x01, 0x80] as [UInt8] {
                var reader = ByteReader(writer.bytes.flipping(mask, at: offset))
                guard let altered = try? KeySlot(from: &reader), altered.kind == .secretService else { continue }
                let error = failure(of: VaultError.self) {
                    _ = try altered.open(with: .secretService(keyFile(3)), vault: vault)
                }
                // When it was made is bound by the header's MAC alone.
                let isTime = (17..<25).contains(offset)
                #expect(isTime ? error == nil : [.wrongKey, .corrupted(.header)].contains(error), "offset \(offset)")
            }
        }
    }

    @Test("every truncation of a slot for the Secret Service is refused")
    func truncatedSlot() throws {
        let slot = try KeySlot.seal(keyFile(9), for: .secretService(keyFile(3)), vault: .random(), now: 0)
        var writer = ByteWriter()
        slot.write(to: &writer)
        for count in 0..<writer.bytes.count {
            var reader = ByteReader(writer.bytes[..<count])
            #expect(throws: ByteReader.Malformed.self, "\(count) bytes") { try KeySlot(from: &reader) }
        }
        var reader = ByteReader(writer.bytes)
        let again = try KeySlot(from: &reader)
        #expect(again == slot && reader.isAtEnd)
    }

    @Test("an age identity opens its recipient's slot, and another one is a wrong key")
    func recipients() throws {
        var vault = try UnlockedVault.sample()
        let identity = AgeIdentitySample.one()
        _ = try vault.addSlot(.recipient(identity.recipient), now: noon)
        let recipients = vault.recipients
        #expect(recipients == [identity.recipient.publicKey])
        let header = try vault.encodedHeader()
        let opened = try LockedVault(headerBytes: header).unlock(with: .identities(AgeIdentitySample.file(identity)))
        let opensWholeVault = opened.opensWholeVault
        #expect(opensWholeVault)
        let error = failure(of: VaultError.self) {
            let file = try AgeIdentitySample.file(AgeIdentitySample.another())
            _ = try LockedVault(headerBytes: header).unlock(with: .identities(file))
        }
        #expect(error == .wrongKey)
    }

    @Test("an offer for which there is no slot is told from a wrong key")
    func otherKinds() throws {
        let header = try UnlockedVault.sample().encodedHeader()
        let passphrase = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: header).unlock(with: .passphrase(secret("correct")))
        }
        #expect(passphrase == .noSuchKindOfSlot)
        let identity = failure(of: VaultError.self) {
            let file = try AgeIdentitySample.file(AgeIdentitySample.one())
            _ = try LockedVault(headerBytes: header).unlock(with: .identities(file))
        }
        #expect(identity == .noSuchKindOfSlot)
    }

    @Test("a slot can be added and removed, but not the last one")
    func lastSlot() throws {
        var vault = try UnlockedVault.sample()
        let first = try #require(vault.slotSummaries.first).id
        let refused = failure(of: VaultError.self) { try vault.removeSlot(first) }
        #expect(refused == .lastSlot)
        _ = try vault.addSlot(.keyFile(keyFile(2)), now: noon)
        try vault.removeSlot(first)
        let header = try vault.encodedHeader()
        let opensWithSecond = try UnlockedVault.opened(header, keyFile: 2).opensWholeVault
        #expect(opensWithSecond)
        let error = failure(of: VaultError.self) { _ = try UnlockedVault.opened(header, keyFile: 1) }
        #expect(error == .wrongKey)
        let unknown = failure(of: VaultError.self) { try vault.removeSlot(first) }
        #expect(unknown == .noSuchSlot)
    }

    @Test("a group slot does not count as a way to unlock the vault")
    func lastSlotBesideGrants() throws {
        var vault = try UnlockedVault.sample()
        let group = try #require(vault.groups.first).keys.group
        _ = try vault.grant(group, to: .keyFile(keyFile(2)), now: noon)
        let first = try #require(vault.slotSummaries.first { $0.group == nil }).id
        let refused = failure(of: VaultError.self) { try vault.removeSlot(first) }
        #expect(refused == .lastSlot)
    }

    @Test("there are at most 16 slots, and 8 for one group")
    func limits() throws {
        var vault = try UnlockedVault.sample()
        for number in 2...16 { _ = try vault.addSlot(.keyFile(keyFile(UInt8(number))), now: noon) }
        let slots = failure(of: VaultError.self) { _ = try vault.addSlot(.keyFile(keyFile(17)), now: noon) }
        #expect(slots == .tooManySlots(limit: 16))
        let group = try #require(vault.groups.first).keys.group
        for number in 1...8 { _ = try vault.grant(group, to: .keyFile(keyFile(UInt8(100 + number))), now: noon) }
        let grants = failure(of: VaultError.self) { _ = try vault.grant(group, to: .keyFile(keyFile(109)), now: noon) }
        #expect(grants == .tooManySlots(limit: 8))
        let header = try vault.encodedHeader()
        let opensWithLast = try UnlockedVault.opened(header, keyFile: 16).opensWholeVault
        #expect(opensWithLast)
    }

    @Test("a summary tells a passphrase's cost and nobody's key")
    func summaries() throws {
        let vault = try LockedVault(headerBytes: Self.passphraseHeader()).unlock(with: .passphrase(secret("correct")))
        let summary = try #require(vault.slotSummaries.first)
        #expect(summary.kind == .passphrase)
        #expect(summary.created == noon)
        #expect(summary.cost?.operations == 2)
        #expect(summary.cost?.memory == 64 << 20)
    }
}
