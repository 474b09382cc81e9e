package import KeyfobSodium

/// The header of a vault with the vault's key, as a store keeps them that is trusted with both.
///
///     "KFH2" ‖ device u64 ‖ mark u64 ‖ vault key 32 ‖ header ‖ checksum 16 (BLAKE2b-128 of everything before)
package struct OpenHeader: ~Copyable, Sendable {
    /// The id of this copy of the vault.
    package let device: UInt64
    /// A random number, another one whenever the header is written: so too after each change that takes something away.
    ///
    /// What was written down of an earlier change makes nothing anew then: see ``ChangeLog``.
    package let mark: UInt64
    /// The vault's key, 32 bytes.
    package let vaultKey: SecretBytes
    /// The header's bytes.
    package let header: [UInt8]

    private static let magic = Array("KFH2".utf8)
    private static let keyStart = 20
    private static let headerStart = 52
    private static let checksumCount = 16

    /// The parts of a vault that is unlocked.
    ///
    /// - Parameter mark: A new one where it is nil.
    /// - Throws: `needsVaultKey`.
    package init(_ vault: borrowing UnlockedVault, device: UInt64, mark: UInt64? = nil) throws(VaultError) {
        let keys = try vault.vaultKeys()
        header = vault.header.encoded(keys)
        vaultKey = keys.vaultKey()
        self.device = device
        self.mark = mark ?? Randomness.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The same once more.
    package borrowing func copy() -> OpenHeader {
        OpenHeader(device: device, mark: mark, vaultKey: vaultKey.extracting(0..<vaultKey.count), header: header)
    }

    private init(device: UInt64, mark: UInt64, vaultKey: consuming SecretBytes, header: [UInt8]) {
        self.device = device
        self.mark = mark
        self.vaultKey = vaultKey
        self.header = header
    }

    /// The vault, unlocked with its own key.
    ///
    /// - Throws: as ``LockedVault/unlock(vaultKey:)``.
    package borrowing func unlocked() throws(VaultError) -> UnlockedVault {
        try LockedVault(headerBytes: header).unlock(vaultKey: vaultKey)
    }

    /// The bytes to keep.
    package borrowing func encoded() -> SecretBytes {
        var writer = ByteWriter()
        writer.write(Self.magic)
        writer.write(device)
        writer.write(mark)
        let front = writer.bytes
        let header = header
        let count = Self.headerStart + header.count
        let content = SecretBytes(count: count) { span in
            front.withBytes { span.copy(from: $0) }
            vaultKey.withBytes { span.copy(from: $0, at: Self.keyStart) }
            header.withBytes { span.copy(from: $0, at: Self.headerStart) }
        }
        let checksum = content.withBytes { BLAKE2b.hash($0, count: Self.checksumCount) }
        return SecretBytes(count: count + Self.checksumCount) { span in
            content.withBytes { span.copy(from: $0) }
            checksum.withBytes { span.copy(from: $0, at: count) }
        }
    }

    /// Reads what ``encoded()`` wrote.
    ///
    /// - Throws: `corrupted(.header)`.
    package init(_ bytes: borrowing SecretBytes) throws(VaultError) {
        let (device, mark, header) = try Self.parse(bytes)
        self.device = device
        self.mark = mark
        self.header = header
        vaultKey = bytes.extracting(Self.keyStart..<Self.headerStart)
    }

    private static func parse(_ bytes: borrowing SecretBytes) throws(VaultError) -> (UInt64, UInt64, [UInt8]) {
        let end = bytes.count - checksumCount
        guard end > headerStart else { throw .corrupted(.header) }
        let (front, header, checksum, computed) = bytes.withBytes { span in
            (
                [UInt8](span.extracting(0..<keyStart)), [UInt8](span.extracting(headerStart..<end)),
                [UInt8](span.extracting(end..<span.byteCount)),
                BLAKE2b.hash(span.extracting(0..<end), count: checksumCount)
            )
        }
        guard ConstantTime.areEqual(checksum, computed), front.starts(with: magic) else {
            throw .corrupted(.header)
        }
        var reader = ByteReader(front[magic.count...])
        guard let device = try? reader.read(UInt64.self), let mark = try? reader.read(UInt64.self) else {
            throw .corrupted(.header)
        }
        return (device, mark, header)
    }
}
