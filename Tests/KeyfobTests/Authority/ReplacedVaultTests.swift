import Foundation
import Keyfob
import KeyfobAge
import KeyfobAgeHybrid
import KeyfobSodium
import KeyfobTestSupport
import Testing

/// Plays somebody who may write in the vault's folder, and knows what is public of the owner's keys.
@Suite("A vault that somebody else put there")
struct ReplacedVaultTests {
    private let home: KeyringHome
    private let forger: ScratchFolder

    init() throws {
        home = try KeyringHome()
        forger = try ScratchFolder()
    }

    /// A vault of the forger's own that a public key opens, with an account in it, in place of the owner's.
    private func replace(openedBy recipient: String) throws {
        let place = KeyringLocation(vault: forger.path + "/vault", state: forger.path + "/state")
        let forged = try Keyring.create(at: place, slot: .keyFile(keyFile(1)), clock: .standing(at: noon)).keyring
        _ = try forged.slots.add(.recipient(recipient))
        let mallory = try Account.contoso("mallory")
        try forged.store(.access(mallory), "planted", for: mallory)
        try FileManager.default.removeItem(atPath: home.location.vault)
        try FileManager.default.moveItem(atPath: place.vault, toPath: home.location.vault)
    }

    /// What is public of a recovery key.
    private func recipient(of recoveryKey: [UInt8]) throws -> String {
        let file = try recoveryKey.withBytes { try AgeIdentityFile(parsing: $0) }
        return try #require(file.recipients.first).text
    }

    private func unlock(_ location: KeyringLocation) -> KeyringError.Code? {
        failure(of: KeyringError.self) {
            _ = try LockedKeyring(at: location).unlock(with: .identity(secret(home.recoveryKey)))
        }?.code
    }

    @Test("is noticed where another one was, whatever opens it")
    func elsewhereKnown() throws {
        try replace(openedBy: recipient(of: home.recoveryKey))
        #expect(unlock(home.location) == .unknownVault)
        let byFile = failure(of: KeyringError.self) { _ = try home.opened() }
        #expect(byFile?.code == .unknownVault)
        try Keyring.acceptVault(at: home.location)
        #expect(unlock(home.location) == nil)
    }

    @Test("is noticed on a machine that knows nothing: a public key proves nothing, the recovery key's slot does")
    func nothingKnown() throws {
        let fresh = KeyringLocation(vault: home.location.vault, state: forger.path + "/other-state")
        #expect(unlock(fresh) == nil)
        try replace(openedBy: recipient(of: home.recoveryKey))
        let unknown = KeyringLocation(vault: home.location.vault, state: forger.path + "/third-state")
        #expect(unlock(unknown) == .unknownVault)
        try Keyring.acceptVault(at: unknown)
        #expect(unlock(unknown) == nil)
    }
}
