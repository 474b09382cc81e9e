package import KeyfobKernelKeyring
package import KeyfobModel
internal import KeyfobSodium
package import KeyfobVault

/// The unlocking key of a vault in the session's kernel keyring.
///
///     slot id 16 (zeros: the vault key) ‖ key 32
package enum SessionCache {
    /// Keeps a key for so many seconds.
    package static func store(
        _ unlocking: borrowing UnlockingKey, vault: VaultID, seconds: UInt32
    ) throws(SessionKeyring.Failure) {
        let slot = unlocking.slot?.bytes ?? [UInt8](repeating: 0, count: 16)
        let payload = SecretBytes(count: 48) { span in
            slot.withBytes { span.copy(from: $0) }
            unlocking.key.withBytes { span.copy(from: $0, at: 16) }
        }
        try SessionKeyring.store(payload, name: name(vault), seconds: seconds)
    }

    /// The key, or nil when there is none, including where the session has no keyring.
    package static func read(vault: VaultID) -> UnlockingKey? {
        guard let payload = try? SessionKeyring.read(name: name(vault)), payload.count == 48 else { return nil }
        let slot = payload.withBytes { [UInt8]($0.extracting(0..<16)) }
        let isVaultKey = slot.allSatisfy { $0 == 0 }
        return UnlockingKey(slot: isVaultKey ? nil : SlotID(slot), key: payload.extracting(16..<48))
    }

    /// Forgets the key.
    ///
    /// - Returns: Whether there was one.
    package static func remove(vault: VaultID) throws(SessionKeyring.Failure) -> Bool {
        do {
            return try SessionKeyring.remove(name: name(vault))
        } catch .noSessionKeyring {
            return false
        } catch {
            throw error
        }
    }

    private static func name(_ vault: VaultID) -> String { "keyfob:\(vault)" }
}

extension LockedVault {
    /// Unlocks with what an earlier unlock left in the session's kernel keyring.
    ///
    /// - Throws: `noSuchSlot`, `corrupted`, `wrongKey`.
    package consuming func unlock(with cached: borrowing UnlockingKey) throws(VaultError) -> UnlockedVault {
        if let slot = cached.slot { return try unlock(slot: slot, ownKey: cached.key) }
        return try unlock(vaultKey: cached.key)
    }
}
