import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("A change that is written down")
struct ChangeLogTests {
    private let bytes: [UInt8]
    private let steps: [ChangeLog.Step]

    init() throws {
        let vault = try UnlockedVault.opened(try UnlockedVault.sampleHeader(), keyFile: 1)
        let keys = vault.groups[0].keys
        let index = RecordIndex(account: keys.blind(setting: "a").value, label: keys.blind(setting: "b").value)
        let body = FieldList()
        let token = try keys.seal(
            keys.header(.refreshToken, index: index), attributes: body, secret: secret([1, 2, 3]))
        let account = try keys.seal(keys.header(.account, record: 2), attributes: body)
        // A catalogue's traits are not written down: no storage that has one writes changes down.
        let bare = [token, account].map {
            SealedRecord(header: $0.header, attributes: $0.attributes, secret: $0.secret)
        }
        steps = [.put(bare[0], former: bare[1]), .put(bare[1], former: nil), .delete(bare[1])]
        var log = ChangeLog(before: 3, after: 4)
        log.header = try vault.encodedHeader()
        log.steps = steps
        log.removedGroups = [keys.group]
        log.renamedGroups = [keys.group, keys.group]
        bytes = try log.encoded(vault)
    }

    private func refusal(_ bytes: [UInt8], _ vault: borrowing UnlockedVault) -> VaultError? {
        do {
            _ = try ChangeLog(bytes, vault)
            return nil
        } catch {
            return error
        }
    }

    // The sample's keys are random: what was sealed in `init` opens with the vault of its own header alone.
    private func ownVault() throws -> UnlockedVault {
        var reader = ByteReader(bytes[36...])
        return try UnlockedVault.opened(Array(try reader.readCounted(limit: .max)), keyFile: 1)
    }

    @Test("comes back as it was")
    func roundTrip() throws {
        let log = try ChangeLog(bytes, try ownVault())
        #expect((log.before, log.after) == (3, 4))
        #expect(log.steps == steps)
        #expect(log.removedGroups.count == 1 && log.renamedGroups.count == 2)
        #expect(log.latestSteps == [steps[0], steps[2]])
    }

    @Test("is nobody else's: not another vault's, and not that of the key of one group")
    func owner() throws {
        let other = try UnlockedVault.sample()
        #expect(refusal(bytes, other) == .corrupted(.record))
        let own = try ownVault()
        let limited = try UnlockedVault.opened(try own.encodedHeader(), keyFile: 2)
        #expect(refusal(bytes, limited) == .needsVaultKey)
        do {
            _ = try ChangeLog(before: 1, after: 1).encoded(limited)
            Issue.record("the key of one group made one")
        } catch {
            #expect(error == .needsVaultKey)
        }
    }

    @Test("every truncation and every flipped byte is noticed")
    func damage() throws {
        let vault = try ownVault()
        for count in bytes.indices { #expect(refusal(Array(bytes.prefix(count)), vault) == .corrupted(.record)) }
        for count in 1..<bytes.count { #expect(refusal(Array(bytes.dropFirst(count)), vault) == .corrupted(.record)) }
        for offset in bytes.indices {
            #expect(refusal(bytes.flipping(0x10, at: offset), vault) == .corrupted(.record), "\(offset)")
        }
    }

    @Test("what is malformed under a right MAC is refused too")
    func malformed() throws {
        let vault = try ownVault()
        let content = Array(bytes.dropLast(32))
        for offset in stride(from: 4, to: content.count, by: 3) {
            let changed = content.flipping(0x80, at: offset)
            let whole = changed + (try vault.vaultKeys().authenticate(change: changed))
            // It is refused, or it says something else; it never ends the process.
            _ = refusal(whole, vault)
        }
        for count in stride(from: 4, to: content.count, by: 3) {
            let cut = Array(content.prefix(count))
            let whole = cut + (try vault.vaultKeys().authenticate(change: cut))
            #expect(refusal(whole, vault) == .corrupted(.record))
        }
    }
}
