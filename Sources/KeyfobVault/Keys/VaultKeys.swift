internal import KeyfobSodium

/// The vault key and what is derived from it, in one guarded region.
final class VaultKeys: Sendable {
    /// The length of the vault key in bytes.
    static let count = 32

    private static let header = Subkey.Purpose("KeyfobVK", 1)
    private static let wrap = Subkey.Purpose("KeyfobVK", 2)
    private static let backup = Subkey.Purpose("KeyfobVK", 3)
    private static let decision = Subkey.Purpose("KeyfobVK", 4)
    private static let change = Subkey.Purpose("KeyfobVK", 5)
    private static let sync = Subkey.Purpose("KeyfobVK", 6)
    private static let signing = Subkey.Purpose("KeyfobVK", 7)

    /// Vault key, header key, wrap key, backup key, decision key, change key.
    private let keys: SecretBytes

    /// The keys under `vaultKey`, which must have 32 bytes.
    init(vaultKey: borrowing SecretBytes) {
        keys = vaultKey.withBytes { key in
            SecretBytes(count: 6 * Self.count) { span in
                span.copy(from: key)
                let purposes = [Self.header, Self.wrap, Self.backup, Self.decision, Self.change]
                for (index, purpose) in purposes.enumerated() {
                    Subkey.derive(purpose, from: key, into: &span, at: (index + 1) * Self.count)
                }
            }
        }
    }

    /// The MAC of a header's bytes.
    func authenticate(_ header: [UInt8]) -> [UInt8] {
        keys.withBytes { BLAKE2b.mac(header, key: $0.extracting(32..<64), count: 32) }
    }

    /// The MAC of what is said of a backup, behind its label: what shows that the vault's owner said it.
    func authenticate(backup bytes: [UInt8]) -> [UInt8] {
        keys.withBytes { BLAKE2b.mac(bytes, key: $0.extracting(96..<128), count: 32) }
    }

    /// The MAC of a decision: what shows that the vault's owner made it.
    func authenticate(decision bytes: [UInt8]) -> [UInt8] {
        keys.withBytes { BLAKE2b.mac(bytes, key: $0.extracting(128..<160), count: 32) }
    }

    /// The MAC of a change that is written down: what shows that the vault's owner was making it.
    func authenticate(change bytes: [UInt8]) -> [UInt8] {
        keys.withBytes { BLAKE2b.mac(bytes, key: $0.extracting(160..<192), count: 32) }
    }

    /// Seals a key under the wrap key.
    func wrap(_ key: borrowing SecretBytes, context: [UInt8]) -> CommittingAEAD.Box {
        keys.withBytes { keys in
            key.withBytes { CommittingAEAD.seal($0, key: keys.extracting(64..<96), context: context) }
        }
    }

    /// Opens a key sealed by ``wrap(_:context:)``.
    func unwrap(_ box: CommittingAEAD.Box, context: [UInt8]) throws(VaultError) -> SecretBytes {
        do {
            return try keys.withBytes { (keys) throws(SodiumError) in
                try CommittingAEAD.open(box, key: keys.extracting(64..<96), context: context, placement: .recycled)
            }
        } catch {
            throw .corrupted(.groupKey)
        }
    }

    /// The key that seals what the vault knows of its sync; derived when it is asked for, since few vaults have one.
    func syncKey() -> SecretBytes { derived(Self.sync) }

    /// The public key of the vault's signatures, 32 bytes.
    func signer() -> [UInt8] { derived(Self.signing).withBytes { Ed25519.publicKey(of: $0) } }

    /// The vault's signature of bytes that begin with a label.
    func sign(_ bytes: [UInt8]) -> [UInt8] {
        derived(Self.signing).withBytes { Ed25519.signature(of: bytes, seed: $0) }
    }

    private func derived(_ purpose: Subkey.Purpose) -> SecretBytes {
        keys.withBytes { keys in
            SecretBytes(count: Self.count, placement: .recycled) { span in
                Subkey.derive(purpose, from: keys.extracting(0..<Self.count), into: &span, at: 0)
            }
        }
    }

    /// A copy of the vault key, to be put into another slot or the kernel's keyring.
    func vaultKey() -> SecretBytes {
        keys.extracting(0..<Self.count)
    }
}
