import KeyfobModel
import KeyfobSodium
import KeyfobVault
import Testing

@Suite("A kept key")
struct KeptKeyTests {
    private let vault = VaultID.random()
    private let slot = SlotID.random()

    private func secret(_ byte: UInt8) -> SecretBytes {
        [UInt8](repeating: byte, count: 32).withBytes { SecretBytes(copying: $0) }
    }

    private func kept(slot: SlotID? = nil) -> KeptKey {
        KeptKey(UnlockingKey(slot: slot, key: secret(7)), vault: vault, user: 1_000, until: 99, secret: secret(1))
    }

    private func opens(_ kept: KeptKey, vault: VaultID? = nil, user: UInt32 = 1_000, secret byte: UInt8 = 1) -> Bool {
        let key = kept.open(vault: vault ?? self.vault, user: user, secret: secret(byte))
        return key != nil
    }

    @Test("opens for its vault, user and secret", arguments: [false, true])
    func opening(isGroup: Bool) throws {
        let wanted = isGroup ? slot : nil
        let again = try #require(KeptKey(kept(slot: wanted).bytes))
        #expect(again.until == 99)
        guard let key = again.open(vault: vault, user: 1_000, secret: secret(1)) else {
            Issue.record("it does not open")
            return
        }
        #expect(key.slot == wanted)
        let isSame = key.key.isEqual(to: secret(7))
        #expect(isSame)
    }

    @Test("opens for no other vault, user or secret")
    func others() {
        let kept = kept()
        #expect(!opens(kept, vault: .random()))
        #expect(!opens(kept, user: 1_001))
        #expect(!opens(kept, secret: 2))
    }

    @Test("does not open when a bit was flipped, or at another length")
    func damage() {
        let bytes = kept(slot: slot).bytes
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 1 << UInt8(index % 8)
            #expect(KeptKey(altered).map { opens($0) } != true, "byte \(index)")
        }
        for count in 0..<bytes.count { #expect(KeptKey(Array(bytes[..<count])) == nil) }
        #expect(KeptKey(bytes + [0]) == nil)
    }
}
