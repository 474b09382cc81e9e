package import KeyfobModel
package import KeyfobSodium

/// A vault whose header has been read and not yet unlocked.
///
/// Nothing in it is authenticated: only structure, sizes and the checksum have been looked at.
package struct LockedVault: ~Copyable {
    /// The header.
    package let header: VaultHeader
    private let headerBytes: [UInt8]

    /// How often the header has changed.
    package var sequence: UInt64 { header.sequence }

    /// Parses a header.
    ///
    /// - Throws: `notAVault`, `unsupportedVersion`, `unsupportedSuite`, `corrupted(.header)`.
    package init(headerBytes: [UInt8]) throws(VaultError) {
        self.header = try VaultHeader(encoded: headerBytes)
        self.headerBytes = headerBytes
    }

    /// The vault whose header has been parsed from these bytes.
    package init(_ header: VaultHeader, _ headerBytes: [UInt8]) {
        self.header = header
        self.headerBytes = headerBytes
    }

    /// A vault of which only the id is known: its header lies where it takes unlocking to read it.
    package init(delegated vault: VaultID) {
        header = VaultHeader(vault: vault, sequence: 0, signer: [], slots: [], groups: [])
        headerBytes = []
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
        var work = Self.maximumWork
        for slot in header.slots {
            let key: SecretBytes
            do {
                key = try Self.open(slot, with: offered, header.vault, nil, &work)
            } catch {
                failure = Self.graver(failure, error)
                continue
            }
            let isProven = try Self.isProven(slot, by: offered, header.vault)
            return try UnlockedVault.opening(header, headerBytes, vaultKey: key, isProven: isProven)
        }
        for group in header.groups {
            for grant in group.grants {
                let key: SecretBytes
                do {
                    key = try Self.open(grant.slot, with: offered, header.vault, group.id, &work)
                } catch {
                    failure = Self.graver(failure, error)
                    continue
                }
                let isProven = try Self.isProven(grant.slot, by: offered, header.vault, group.id)
                return try UnlockedVault.opening(
                    header, headerBytes, group: group.id, slot: grant.slot.id, ownKey: key, isProven: isProven)
            }
        }
        throw failure
    }

    /// Whether what opened a slot shows that whoever made the slot knew a secret: everything does but a public key.
    private static func isProven(
        _ slot: KeySlot, by offered: borrowing SlotKey, _ vault: VaultID, _ group: GroupID? = nil
    ) throws(VaultError) -> Bool {
        switch offered {
        case .identities(let identities): try slot.isProven(by: identities, vault: vault, group: group)
        case .passphrase: true
        case .keyFile: true
        case .secretService: true
        }
    }

    /// How much deriving may cost one attempt to unlock, in bytes times passes: enough for every slot of the
    /// vault at twice the usual cost.
    ///
    /// Nothing says yet that the header is not a stranger's.
    private static let maximumWork: UInt64 = 24 << 30

    /// Opens a slot, unless deriving its key would cost more than is left of `work`.
    private static func open(
        _ slot: KeySlot, with offered: borrowing SlotKey, _ vault: VaultID, _ group: GroupID?, _ work: inout UInt64
    ) throws(VaultError) -> SecretBytes {
        if case .passphrase(_, let cost, _) = slot.lock, cost.isAcceptable {
            let wanted = UInt64(cost.operations) * cost.memory
            switch offered {
            case .passphrase:
                guard wanted <= work else { throw .costRefused(operations: cost.operations, memory: cost.memory) }
                work -= wanted
            case .keyFile: break
            case .identities: break
            case .secretService: break
            }
        }
        return try slot.open(with: offered, vault: vault, group: group)
    }

    /// Unlocks the whole vault with the vault key itself.
    ///
    /// - Throws: `wrongKey` when it has not 32 bytes, `corrupted(.headerAuthentication)` when it is not this
    ///   vault's, `keysReplaced` when it was, `corrupted`.
    package consuming func unlock(vaultKey: borrowing SecretBytes) throws(VaultError) -> UnlockedVault {
        guard vaultKey.count == VaultKeys.count else { throw .wrongKey }
        return try UnlockedVault.opening(header, headerBytes, vaultKey: vaultKey)
    }

    /// Unlocks one group with a group slot's own key.
    ///
    /// - Throws: `noSuchSlot` when the slot is gone, `corrupted(.headerAuthentication)` for a header that the vault's owner
    ///   did not sign, `corrupted`.
    package consuming func unlock(slot: SlotID, ownKey: borrowing SecretBytes) throws(VaultError) -> UnlockedVault {
        for group in header.groups where group.grants.contains(where: { $0.slot.id == slot }) {
            return try UnlockedVault.opening(header, headerBytes, group: group.id, slot: slot, ownKey: ownKey)
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
