package import KeyfobSodium

// What a vault knows of the sync that it is part of belongs to no group: the vault key alone seals and opens it.

extension UnlockedVault {
    /// Seals what the vault knows of its sync.
    ///
    /// - Throws: `needsVaultKey`.
    package func seal(sync content: borrowing SecretBytes) throws(VaultError) -> [UInt8] {
        let key = try vaultKeys().syncKey()
        let context = SealingContext.sync(header.vault)
        return key.withBytes { key in
            content.withBytes { CommittingAEAD.seal($0, key: key, context: context).stored }
        }
    }

    /// Opens what ``seal(sync:)`` gave; nil for what is damaged, another vault's, or sealed before the vault got new keys.
    ///
    /// - Throws: `needsVaultKey`.
    package func open(sync bytes: [UInt8]) throws(VaultError) -> SecretBytes? {
        let key = try vaultKeys().syncKey()
        guard let box = CommittingAEAD.Box(stored: bytes) else { return nil }
        let context = SealingContext.sync(header.vault)
        return try? key.withBytes { (key) throws(SodiumError) in
            try CommittingAEAD.open(box, key: key, context: context, placement: .recycled)
        }
    }
}
