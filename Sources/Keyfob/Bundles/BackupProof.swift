internal import KeyfobAge
internal import KeyfobLookup
internal import KeyfobSodium
internal import KeyfobSync
internal import KeyfobVault
internal import Synchronization

// Anybody can encrypt to a public key. That a backup is the owner's shows by the MAC of its digest, which takes the key of
// the vault: one that is open, or the one that a recovery key opens in the header that the backup carries.

extension BundleReader.Verified {
    /// Whether it is a backup that the owner of its vault made.
    func isOwners(by opener: borrowing BundleOpener, _ keyring: Keyring?) -> Bool {
        if let keyring, keyring.state.withLock({ isOwners(by: $0.vault) }) { return true }
        switch opener {
        case .passphrase: return false
        case .identities(let text):
            let identities = try? AgeIdentityFile(text)
            guard let header = manifest.header, let locked = try? LockedVault(headerBytes: header),
                locked.header.vault.bytes == manifest.vault, let identities,
                let vault = try? locked.unlock(with: .identities(identities)), vault.isProven
            else { return false }
            return isOwners(by: vault)
        }
    }

    /// Whether it was made with the key of `vault`.
    func isOwners(by vault: borrowing UnlockedVault) -> Bool {
        guard let mac, manifest.vault == vault.header.vault.bytes,
            let expected = try? vault.authentication(ofBackup: digest)
        else { return false }
        return ConstantTime.areEqual(expected, mac)
    }
}
