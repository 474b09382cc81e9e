import Foundation
@testable import Keyfob
import KeyfobLookup
import KeyfobModel
import KeyfobRecords
import KeyfobSodium
import KeyfobTestSupport
import KeyfobVault
import Synchronization
import Testing

/// A vault that a restore has put in the place of one that programs have open.
@Suite("A vault in the place of another")
struct SucceedingVaultTests {
    private let home: KeyringHome
    private let ada: Account
    private let request = TokenRequest(account: "ada@contoso.example")

    init() throws {
        home = try KeyringHome()
        ada = try Account.contoso("ada")
        try home.keyring.store(.access(ada), "first", for: ada)
    }

    /// Puts the vault aside and makes another of a backup, which key file 3 opens.
    private func restore(succeeding former: Keyring?) throws -> Keyring {
        let backup = try home.keyring.bundles.backUp(to: home.folder.path + "/backup.age")
        let recovery = try BundleKeys(home)
        let restored = try Keyring.restore(
            BundleFile(path: backup.path), with: recovery.opener, at: home.location, puttingAside: .vault,
            succeeding: former, slot: .keyFile(keyFile(3)), clock: .standing(at: noon))
        return restored.keyring
    }

    private func header() throws -> [UInt8] { try home.opened(keyFile: 3).database.storedHeader().bytes }

    @Test(
        "where whoever restored had opened the former one, its keys are told to have given way",
        arguments: [false, true])
    func succeeding(isSaid: Bool) throws {
        let (open, late) = (try home.opened(), try home.opened())
        #expect(open.refusalOfHeader() == nil)
        let former = late.state.withLock { $0.vault.unlockingKey().key.withBytes { [UInt8]($0) } }
        let new = try restore(succeeding: isSaid ? home.keyring : nil)
        #expect(new.refusalOfHeader() == nil && new.vaultID != home.keyring.vaultID)
        let refusal = try #require(open.refusalOfHeader())
        #expect(refusal.code == .locked && refusal.message.contains("were replaced at") == isSaid, "\(refusal)")
        #expect(!refusal.message.contains("alter") && refusal.advice == .unlock, "\(refusal)")
        let bytes = try header()
        let withOldKey = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: bytes).unlock(vaultKey: secret(former))
        }
        #expect(withOldKey == (isSaid ? .keysReplaced(noon) : .corrupted(.headerAuthentication)))
        // Keys that the new one gets later are told as well.
        if isSaid {
            var rekeying = try new.slots.beginRekey()
            try rekeying.keep(keyFile: keyFile(3))
            _ = try rekeying.commit(handingOver: { _ in })
            #expect(open.refusalOfHeader()?.message.contains("were replaced at") == true)
        }
        #expect(try home.opened(keyFile: 3).health.verify().isSound)
    }

    @Test("is what a session goes on with, and of the files that lie aside nobody gets a token")
    func followed() throws {
        let open = try home.opened()
        let opened = Mutex(0)
        let session = KeyringSession(open) { [home] () throws(KeyringError) in
            opened.withLock { $0 += 1 }
            return try LockedKeyring(at: home.location, clock: .standing(at: noon)).unlock(with: .keyFile(keyFile(3)))
        }
        func token() throws -> String { text(of: try session.keyring().tokens.stored(for: request).secret) }
        #expect(try token() == "first" && session.keyring() === open)
        let new = try restore(succeeding: home.keyring)
        try new.store(.access(ada), "second", for: ada)
        let refusal = failure(of: KeyringError.self) { _ = try open.tokens.stored(for: request) }
        #expect(refusal?.code == .locked && refusal?.message.contains("were replaced at") == true, "\(refusal as Any)")
        #expect(try token() == "second" && token() == "second" && opened.withLock { $0 } == 1)
        #expect(try session.keyring().vaultID == new.vaultID)
    }

    @Test("what a session opens while its keys are taken away is not kept")
    func takenMeanwhile() throws {
        let itself = Mutex<KeyringSession?>(nil)
        let opened = Mutex(0)
        let session = KeyringSession { [home] () throws(KeyringError) in
            let isFirst = opened.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { throw KeyringError(.locked, "nothing opens it any more") }
            let keyring = try LockedKeyring(at: home.location, clock: .standing(at: noon)).unlock(
                with: .keyFile(keyFile(1)))
            _ = itself.withLock { $0?.take() }
            return keyring
        }
        itself.withLock { $0 = session }
        #expect(throws: KeyringError(.locked, "")) { try session.keyring() }
        #expect(!session.isOpen && opened.withLock { $0 } == 2)
        itself.withLock { $0 = nil }
    }

    @Test("what a session has begun with the former keys, it begins anew", arguments: [true, false])
    func begunAnew(opens: Bool) async throws {
        let session = KeyringSession(try home.opened()) { [home] () throws(KeyringError) in
            try LockedKeyring(at: home.location, clock: .standing(at: noon)).unlock(
                with: .keyFile(keyFile(opens ? 3 : 9)))
        }
        var (uses, given) = (0, "")
        var refusal: KeyringError?
        do throws(KeyringError) {
            given = try await session.use { (keyring) async throws(KeyringError) in
                uses += 1
                if uses == 1 {
                    #expect(throws: Never.self) {
                        try restore(succeeding: home.keyring).store(.access(ada), "second", for: ada)
                    }
                }
                return text(of: try keyring.tokens.stored(for: request).secret)
            }
        } catch {
            refusal = error
        }
        #expect(uses == (opens ? 2 : 1) && given == (opens ? "second" : ""))
        #expect(
            opens == (refusal == nil) && refusal?.message.contains("were replaced at") != false, "\(refusal as Any)")
        // What has nothing to do with keys is no reason to begin anew.
        guard opens else { return }
        await #expect(throws: KeyringError(.locked, "")) {
            try await session.use { (_) async throws(KeyringError) -> Void in
                uses += 1
                throw KeyringError(.locked, "")
            }
        }
        #expect(uses == 3)
    }

    @Test("who has found the former one and unlocks it a moment later has the new one")
    func foundBefore() throws {
        let found = try LockedKeyring(at: home.location, clock: .standing(at: noon))
        let new = try restore(succeeding: home.keyring)
        #expect(try found.unlock(with: .keyFile(keyFile(3))).vaultID == new.vaultID)
    }

    @Test("a session that opens nothing of it says why, and opens it once it can")
    func lost() throws {
        let number = Mutex(UInt8(9))
        let session = KeyringSession(try home.opened()) { [home] () throws(KeyringError) in
            try LockedKeyring(at: home.location, clock: .standing(at: noon)).unlock(
                with: .keyFile(keyFile(number.withLock { $0 })))
        }
        let new = try restore(succeeding: home.keyring)
        for _ in 1...2 {
            let refusal = failure(of: KeyringError.self) { _ = try session.keyring() }
            #expect(refusal?.message.contains("were replaced at") == true, "\(refusal as Any)")
        }
        number.withLock { $0 = 3 }
        #expect(try session.keyring().vaultID == new.vaultID)
    }

    @Test("a key of one group says nothing of the vault's")
    func ofAGroup() throws {
        _ = try home.keyring.slots.grant(.default, to: .keyFile(keyFile(2)))
        let (open, holder) = (try home.opened(), try home.opened(keyFile: 2))
        _ = try restore(succeeding: holder)
        #expect(open.refusalOfHeader()?.message.contains("were replaced at") == false)
    }

    @Test("what nobody signed with the former key is nobody's word")
    func forged() throws {
        let open = try home.opened()
        _ = try restore(succeeding: home.keyring)
        let bytes = try header()
        #expect(open.state.withLock { $0.vault.timeOfSuccession(to: bytes) } == noon)
        // Behind the content are a checksum, which anybody can make anew, a signature and a MAC.
        let end = bytes.count - 112
        for index in stride(from: 36, to: end, by: 7) {
            var altered = Array(bytes[..<end])
            altered[index] ^= 1
            altered += BLAKE2b.hash(altered, count: 16) + bytes.suffix(96)
            #expect(open.state.withLock { $0.vault.timeOfSuccession(to: altered) } == nil, "byte \(index)")
        }
    }
}
