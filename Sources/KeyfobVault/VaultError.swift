internal import KeyfobAge
package import KeyfobModel
internal import KeyfobSodium

/// What can go wrong with keys and sealed bytes.
///
/// Each case is one cause; none stands for another.
package enum VaultError: Error, Equatable, Sendable {
    /// These bytes are not a Keyfob vault's.
    case notAVault
    /// The vault was written by a newer Keyfob.
    case unsupportedVersion(found: UInt16, supported: UInt16)
    /// The vault was written with another set of primitives, as only a newer Keyfob knows.
    case unsupportedSuite(found: UInt16)
    /// The key, passphrase or identity opens no slot of its kind.
    case wrongKey
    /// The vault has no slot of the kind that was offered.
    case noSuchKindOfSlot
    /// Bytes that should open do not: altered, truncated or mixed up.
    case corrupted(Part)
    /// The key held was the vault's, which has got others since, as that key itself says.
    case keysReplaced(Timestamp)
    /// A KDF cost outside what is accepted; nothing was computed.
    case costRefused(operations: UInt32, memory: UInt64)
    /// The memory that a KDF needs cannot be had.
    case outOfMemory
    /// The key held opens other groups, not this one.
    case notGranted
    /// Only a key of the whole vault may do this; the key held is one group's.
    case needsVaultKey
    /// No group has this id.
    case noSuchGroup
    /// No slot has this id.
    case noSuchSlot
    /// Removing it would leave no way to unlock the vault.
    case lastSlot
    /// There is no room for another slot.
    case tooManySlots(limit: Int)
    /// The item is larger than a record may be.
    case tooLarge(limit: Int)
    /// A key file holds fewer than 32 bytes, or more than 64 KiB.
    case unsuitableKeyFile

    /// Which bytes did not open.
    package enum Part: Equatable, Sendable {
        /// The header as a whole: its structure or its checksum.
        case header
        /// The header's authentication under the vault key.
        case headerAuthentication
        /// A group's key.
        case groupKey
        /// A group's name.
        case groupName
        /// A group's manifest.
        case manifest
        /// A record's attributes or secret.
        case record
    }
}
