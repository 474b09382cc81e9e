import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("A header in the open")
struct OpenHeaderTests {
    private let header: [UInt8]
    private let bytes: [UInt8]

    init() throws {
        let vault = try UnlockedVault.opened(try UnlockedVault.sampleHeader(), keyFile: 1)
        let open = try OpenHeader(vault, device: 0x0102_0304_0506_0708, mark: 9)
        header = open.header
        bytes = contents(of: open.encoded())
    }

    private func refusal(_ bytes: [UInt8]) -> VaultError? {
        failure { _ = try OpenHeader(secret(bytes)) }
    }

    private func checked(_ bytes: [UInt8]) -> [UInt8] {
        let content = Array(bytes.dropLast(16))
        return content + BLAKE2b.hash(content, count: 16)
    }

    @Test("the key that comes back opens the vault")
    func roundTrip() throws {
        let open = try OpenHeader(secret(bytes))
        let (device, mark, header) = (open.device, open.mark, open.header)
        #expect(device == 0x0102_0304_0506_0708 && mark == 9 && header == self.header)
        let vault = try LockedVault(headerBytes: header).unlock(vaultKey: open.vaultKey)
        let (isWhole, names) = (vault.opensWholeVault, vault.groups.map(\.name.name))
        #expect(isWhole && names == ["default", "work"])
        #expect(contents(of: open.encoded()) == bytes)
    }

    @Test("the key of one group makes none")
    func limited() throws {
        let vault = try UnlockedVault.opened(try UnlockedVault.sampleHeader(), keyFile: 2)
        #expect(failure { _ = try OpenHeader(vault, device: 1) } == VaultError.needsVaultKey)
    }

    @Test("every truncation is noticed")
    func truncations() {
        for count in 0..<bytes.count { #expect(refusal(Array(bytes.prefix(count))) == .corrupted(.header)) }
        for count in 1..<bytes.count { #expect(refusal(Array(bytes.dropFirst(count))) == .corrupted(.header)) }
    }

    @Test("every flipped bit is noticed")
    func flips() {
        for offset in bytes.indices {
            for bit in 0..<8 {
                #expect(refusal(bytes.flipping(1 << UInt8(bit), at: offset)) == .corrupted(.header))
            }
        }
    }

    @Test(
        "every flipped byte with a right checksum is refused by then or when the vault is unlocked, but in device and mark"
    )
    func checkedFlips() {
        for offset in 0..<bytes.count - 16 {
            let changed = checked(bytes.flipping(0x10, at: offset))
            let error: VaultError? = failure {
                let open = try OpenHeader(secret(changed))
                _ = try LockedVault(headerBytes: open.header).unlock(vaultKey: open.vaultKey)
            }
            #expect((error == nil) == (4..<20 ~= offset), "\(offset)")
        }
    }
}
