internal import KeyfobModel
package import KeyfobSodium

/// A vault whose header has been read and not yet unlocked.
///
/// Nothing in it is authenticated: only structure, sizes and the checksum have been looked at.
package struct LockedVault: ~Copyable {
    /// The header.
    package let header: VaultHeader
    private let headerBytes: [UInt8]

    /// Parses a header.
    ///
    /// - Throws: `notAVault`, `unsupportedVersion`, `unsupportedSuite`, `corrupted(.header)`.
    package init(headerBytes: [UInt8]) throws(VaultError) {
        self.header = try VaultHeader(encoded: headerBytes)
        self.headerBytes = headerBytes
    }

    /// Unlocks with what a person or a file offers.
    ///
    /// The slots of the whole vault are tried first, then those of single groups; what opens one of
    /// those opens that group alone.
    ///
    /// - Throws: `noSuchKindOfSlot`, `wrongKey`, `costRefused`, `outOfMemory`, `unsuitableKeyFile`,
    ///   or `corrupted` with the part that does not open.
    package consuming func unlock(with offered: borrowing SlotKey) throws(VaultError) -> UnlockedVault {
        var failure = VaultError.noSuchKindOfSlot
        for slot in header.slots {
            let key: SecretBytes
            do {
                key = try slot.open(with: offered, vault: header.vault)
            } catch {
                failure = Self.graver(failure, error)
                continue
            }
            return try UnlockedVault.opening(header, headerBytes, vaultKey: key)
        }
        for group in header.groups {
            for grant in group.grants {
                let key: SecretBytes
                do {
                    key = try grant.slot.open(with: offered, vault: header.vault)
                } catch {
                    failure = Self.graver(failure, error)
                    continue
                }
                return try UnlockedVault.opening(header, group: group.id, slot: grant.slot.id, ownKey: key)
            }
        }
        throw failure
    }

    /// Unlocks the whole vault with the vault key itself.
    ///
    /// - Throws: `wrongKey` when it has not 32 bytes, `corrupted(.headerAuthentication)` when it is not this
    ///   vault's, `corrupted`.
    package consuming func unlock(vaultKey: borrowing SecretBytes) throws(VaultError) -> UnlockedVault {
        guard vaultKey.count == VaultKeys.count else { throw .wrongKey }
        return try UnlockedVault.opening(header, headerBytes, vaultKey: vaultKey)
    }

    /// Unlocks one group with a group slot's own key.
    ///
    /// - Throws: `noSuchSlot` when the slot is gone, `corrupted`.
    package consuming func unlock(slot: SlotID, ownKey: borrowing SecretBytes) throws(VaultError) -> UnlockedVault {
        for group in header.groups where group.grants.contains(where: { $0.slot.id == slot }) {
            return try UnlockedVault.opening(header, group: group.id, slot: slot, ownKey: ownKey)
        }
        throw .noSuchSlot
    }

    /// Of two failures the one that tells more: a refused cost or damage over a wrong key, and any of
    /// them over "no slot of that kind".
    private static func graver(_ left: VaultError, _ right: VaultError) -> VaultError {
        func gravity(_ error: VaultError) -> Int {
            switch error {
            case .noSuchKindOfSlot: 0
            case .wrongKey: 1
            default: 2
            }
        }
        return gravity(right) >= gravity(left) ? right : left
    }
}
