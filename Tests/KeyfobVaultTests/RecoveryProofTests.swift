import KeyfobAge
import KeyfobAgeHybrid
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("Proof of a recovery key")
struct RecoveryProofTests {
    /// The header of a vault that opens with `identity`, and with nothing else but a key file of its maker's.
    private func header(_ slot: consuming NewSlot) throws -> [UInt8] {
        var vault = try UnlockedVault.sample()
        _ = try vault.addSlot(slot, now: noon)
        return try vault.encodedHeader()
    }

    private func isProven(_ header: [UInt8], by identity: consuming AgeIdentity) throws -> Bool {
        try LockedVault(headerBytes: header).unlock(with: .identities(AgeIdentitySample.file(identity))).isProven
    }

    @Test("a slot that was made with the identity proves it")
    func proven() throws {
        #expect(try isProven(try header(.recoveryKey(AgeIdentitySample.one())), by: AgeIdentitySample.one()))
    }

    @Test("a slot of a hybrid identity proves it too, and opens with nothing else")
    func hybrid() throws {
        let header = try header(.recoveryKey(AgeIdentitySample.hybrid()))
        #expect(try isProven(header, by: AgeIdentitySample.hybrid()))
        let unproven = try self.header(.recipient(AgeIdentitySample.hybrid().recipient))
        #expect(try !isProven(unproven, by: AgeIdentitySample.hybrid()))
        let error = failure(of: VaultError.self) { _ = try isProven(header, by: AgeIdentity.generateHybrid()) }
        #expect(error == .wrongKey)
        let other = failure(of: VaultError.self) { _ = try isProven(header, by: AgeIdentitySample.one()) }
        #expect(other == .wrongKey)
        let slots = try VaultHeader(encoded: header).slots
        #expect(slots.last?.kind == .recipient)
    }

    @Test("a slot that was made with the public key alone opens, and proves nothing")
    func unproven() throws {
        let recipient = AgeIdentitySample.one().recipient
        #expect(try !isProven(try header(.recipient(recipient)), by: AgeIdentitySample.one()))
    }

    @Test("a key file proves what it opens")
    func keyFiles() throws {
        let vault = try LockedVault(headerBytes: try header(.recoveryKey(AgeIdentitySample.one())))
            .unlock(with: .keyFile(keyFile(1)))
        let isProven = vault.isProven
        #expect(isProven)
    }

    @Test("a proof counts for its slot alone: in another vault, or beside another key, it is damage")
    func transplanted() throws {
        let ours = try VaultHeader(encoded: try header(.recoveryKey(AgeIdentitySample.one())))
        guard case .recipient(let publicKey, let file, let proof?) = try #require(ours.slots.last).lock else {
            Issue.record("the last slot is the recovery key's")
            return
        }
        let theirs = SecretBytes.random(count: 32)
        let recipient = AgeIdentitySample.one().recipient
        let forged = try KeySlot.seal(theirs, for: .recipient(recipient), vault: ours.vault, now: noon.seconds)
        guard case .recipient(_, let forgedFile, _) = forged.lock else { return }
        let slots = [
            KeySlot(
                id: forged.id, created: forged.created,
                lock: .recipient(publicKey: publicKey, file: forgedFile, proof: proof)),
            KeySlot(
                id: ours.slots[1].id, created: noon.seconds,
                lock: .recipient(publicKey: publicKey, file: forgedFile, proof: proof)),
            KeySlot(
                id: ours.slots[1].id, created: noon.seconds + 1,
                lock: .recipient(publicKey: publicKey, file: file, proof: proof)),
        ]
        for slot in slots {
            let error = failure(of: VaultError.self) {
                _ = try slot.isProven(by: AgeIdentitySample.file(AgeIdentitySample.one()), vault: ours.vault)
            }
            #expect(error == .corrupted(.header))
        }
        let elsewhere = failure(of: VaultError.self) {
            _ = try ours.slots[1].isProven(by: AgeIdentitySample.file(AgeIdentitySample.one()), vault: .random())
        }
        #expect(elsewhere == .corrupted(.header))
    }
}

@Suite("New keys for a whole vault")
struct RekeyTests {
    @Test("after it neither the old vault key nor the old slots open anything, and every group has another key")
    func rekey() throws {
        var vault = try UnlockedVault.opened(try UnlockedVault.sampleHeader(), keyFile: 1)
        let before = try vault.encodedHeader()
        let sequence = vault.sequence
        let keys = try vault.rekey(now: noon)
        let unlocked = vault.header.slots.isEmpty
        #expect(unlocked && keys.count == 2)
        for (old, new) in keys {
            #expect(old.group == new.group && new.epoch == old.epoch + 1)
            #expect(old.fingerprint != new.fingerprint)
        }
        _ = try vault.addSlot(.keyFile(keyFile(7)), now: noon)
        let after = try vault.encodedHeader()
        let later = vault.sequence
        #expect(later > sequence)
        for number in [1, 2] as [UInt8] {
            let error = failure(of: VaultError.self) { _ = try UnlockedVault.opened(after, keyFile: number) }
            #expect(error == .wrongKey)
        }
        let again = try UnlockedVault.opened(after, keyFile: 7)
        let names = again.groups.map(\.name.name)
        #expect(names == ["default", "work"])
        let oldKey = try UnlockedVault.opened(before, keyFile: 1).unlockingKey()
        let error = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: after).unlock(vaultKey: oldKey.key)
        }
        #expect(error == .keysReplaced(noon))
    }

    @Test("a backup's authentication is the vault key's alone")
    func backups() throws {
        var vault = try UnlockedVault.sample()
        let digest = [UInt8](repeating: 5, count: 32)
        let mac = try vault.authentication(ofBackup: digest)
        #expect(mac.count == 32)
        let again = try UnlockedVault.opened(try vault.encodedHeader(), keyFile: 1).authentication(ofBackup: digest)
        #expect(again == mac)
        #expect(try vault.authentication(ofBackup: [UInt8](repeating: 6, count: 32)) != mac)
        _ = try vault.rekey(now: noon)
        #expect(try vault.authentication(ofBackup: digest) != mac)
        let work = try UnlockedVault.opened(try UnlockedVault.sampleHeader(), keyFile: 2)
        #expect(failure(of: VaultError.self) { _ = try work.authentication(ofBackup: digest) } == .needsVaultKey)
    }
}
