internal import KeyfobLookup
internal import KeyfobModel
package import KeyfobSodium
internal import KeyfobVault

// A key that one process of a user gives to another: the 32 bytes of the unlocking key, and behind them the 16 of the slot's id
// where it is one group's.

extension Keyring {
    /// A copy of the key that unlocked it, for another process of its owner.
    ///
    /// - Throws: `notOffered` where the desktop's keyring keeps the vault.
    package func unlockingKey() throws(KeyringError) -> SecretBytes {
        guard storage == .embedded else { throw Self.keepsNothing() }
        return try withState { state in
            let unlocking = state.vault.unlockingKey()
            let slot = unlocking.slot?.bytes ?? []
            let count = unlocking.key.count
            return SecretBytes(count: count + slot.count) { span in
                unlocking.key.withBytes { span.copy(from: $0) }
                slot.withBytes { span.copy(from: $0, at: count) }
            }
        }
    }
}

extension LockedKeyring {
    /// Unlocks the keyring with a key from ``Keyring/unlockingKey()``.
    ///
    /// - Throws: `wrongKey` for one of another vault, or of a slot that is gone, and as ``unlock(with:)``.
    package consuming func unlock(withHandedOver key: borrowing SecretBytes) throws(KeyringError) -> Keyring {
        let slot: SlotID? = key.count == 48 ? SlotID(key.withBytes { [UInt8]($0.extracting(32..<48)) }) : nil
        guard key.count == 32 || slot != nil else { throw KeyringError(.wrongKey, "that is no unlocking key") }
        return try unlock(with: UnlockingKey(slot: slot, key: key.extracting(0..<32)))
    }
}
