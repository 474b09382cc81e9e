package import KeyfobModel
package import KeyfobSodium

/// The key that unlocked a vault, wrapped so that it can be kept where others may see it.
///
///     version 1 ‖ slot id 16 (zeros: the vault key) ‖ until 8 ‖ box around the 32 bytes of the key
///
/// The box is bound to the vault, the user and all that stands before it.
package struct KeptKey: Sendable {
    private static let count =
        prefixCount + CommittingAEAD.nonceCount + CommittingAEAD.commitmentCount + keyCount
        + CommittingAEAD.tagCount
    private static let version: UInt8 = 1
    private static let prefixCount = 25
    private static let keyCount = 32

    /// The wrapped key.
    package let bytes: [UInt8]
    /// Until when it is to be kept, in seconds since 1970; authentic once the key was opened.
    package let until: Int64

    /// Wraps a key under `secret` (32 bytes), for one user of the system.
    package init(
        _ unlocking: borrowing UnlockingKey, vault: VaultID, user: UInt32, until: Int64,
        secret: borrowing SecretBytes
    ) {
        var writer = ByteWriter()
        writer.write(Self.version)
        writer.write(unlocking.slot?.bytes ?? [UInt8](repeating: 0, count: 16))
        writer.write(until)
        let context = SealingContext.keptKey(vault, user: user, prefix: writer.bytes)
        let box = unlocking.key.withBytes { key in
            secret.withBytes { CommittingAEAD.seal(key, key: $0, context: context) }
        }
        box.write(to: &writer)
        bytes = writer.bytes
        self.until = until
    }

    /// What was kept, as it was found; nil where it is no wrapped key of this version.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.count, bytes[0] == Self.version else { return nil }
        var reader = ByteReader(bytes[17...])
        guard let until = try? reader.read(Int64.self) else { return nil }
        self.bytes = bytes
        self.until = until
    }

    /// The key.
    ///
    /// - Returns: Nil for anything else than this vault's key, wrapped for this user under this secret.
    package func open(vault: VaultID, user: UInt32, secret: borrowing SecretBytes) -> UnlockingKey? {
        let id = bytes[1..<17]
        var reader = ByteReader(bytes[Self.prefixCount...])
        guard let box = try? CommittingAEAD.Box(from: &reader, messageCount: Self.keyCount) else { return nil }
        let context = SealingContext.keptKey(vault, user: user, prefix: Array(bytes[..<Self.prefixCount]))
        let key = try? secret.withBytes { (secret) throws(SodiumError) in
            try CommittingAEAD.open(box, key: secret, context: context)
        }
        guard let key else { return nil }
        return UnlockingKey(slot: id.allSatisfy { $0 == 0 } ? nil : SlotID(id), key: key)
    }
}
