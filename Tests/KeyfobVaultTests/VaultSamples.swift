import KeyfobAge
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

let noon = Timestamp(seconds: 1_700_000_000)

extension AccessGroup {
    static func named(_ name: String) throws -> AccessGroup { try AccessGroup(name) }
}

extension UnlockedVault {
    /// A vault with one slot, for key file 1.
    static func sample() throws -> UnlockedVault {
        try UnlockedVault.create(slot: .keyFile(keyFile(1)), now: noon)
    }

    /// The header's bytes of a vault that has something of everything but a passphrase: key file 1, a recipient and
    /// 32 bytes of the Secret Service (each a 3) for the whole vault, groups `default` and `work`, key file 2 for `work`.
    static func sampleHeader() throws -> [UInt8] {
        var vault = try UnlockedVault.sample()
        _ = try vault.addSlot(.recipient(AgeIdentitySample.one().recipient), now: noon)
        _ = try vault.addSlot(.secretService(keyFile(3)), now: noon)
        let work = try vault.createGroup(.named("work"))
        _ = try vault.grant(work.keys.group, to: .keyFile(keyFile(2)), now: noon)
        return try vault.encodedHeader()
    }

    /// The vault that a header's bytes describe, unlocked with a key file.
    static func opened(_ header: [UInt8], keyFile number: UInt8) throws -> UnlockedVault {
        try LockedVault(headerBytes: header).unlock(with: .keyFile(keyFile(number)))
    }
}

extension GroupKeys {
    /// A group's keys, another group's for each number.
    static func sample(_ number: UInt8 = 1, group: UInt8 = 1, epoch: UInt32 = 1) throws -> GroupKeys {
        let vault = try #require(VaultID([UInt8](repeating: 0xAA, count: 16)))
        let group = try #require(GroupID([UInt8](repeating: group, count: 16)))
        return GroupKeys(vault: vault, group: group, epoch: epoch, groupKey: keyFile(number))
    }

    /// What is equal for two values exactly when they hold the same keys.
    var fingerprint: BlindValue { blind(setting: "fingerprint").value }

    /// The clear header of a record of this group.
    func header(
        _ kind: RecordHeader.Kind = .accessToken, record: UInt8 = 1, index: RecordIndex = RecordIndex()
    ) throws -> RecordHeader {
        let record = try #require(RecordID([UInt8](repeating: record, count: 16)))
        return RecordHeader(
            vault: vault, group: group, epoch: epoch, record: record, kind: kind,
            stamp: Stamp(milliseconds: 1_700_000_000_000, after: nil), device: 7, index: index)
    }
}

extension [UInt8] {
    /// The header with the checksum that its content should have; the MAC stays what it was.
    func withChecksumRecomputed() -> [UInt8] {
        // Checksum, signature and MAC.
        let end = count - 112
        return Array(self[..<end]) + BLAKE2b.hash(Array(self[..<end]), count: 16) + Array(self[(end + 16)...])
    }

    /// The same bytes with some of them replaced.
    func replacing(at offset: Int, with bytes: [UInt8]) -> [UInt8] {
        Array(self[..<offset]) + bytes + Array(self[(offset + bytes.count)...])
    }

    func flipping(_ mask: UInt8, at offset: Int) -> [UInt8] {
        var copy = self
        copy[offset] ^= mask
        return copy
    }
}
