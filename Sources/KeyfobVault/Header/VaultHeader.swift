package import KeyfobModel
internal import KeyfobSodium

/// The header of a vault: who can unlock it and which groups it has.
///
///     magic "KEYFOBV1" ‖ version u16 ‖ suite u16 ‖ vault id 16 ‖ sequence u64
///     ‖ public key 32 ‖ succession count u8 ‖ successions of 112 bytes
///     ‖ slot count u16 ‖ slots ‖ group count u16 ‖ groups
///     ‖ checksum 16 (BLAKE2b-128 of everything before)
///     ‖ signature 64 (Ed25519, of "keyfob header v1" and everything before)
///     ‖ MAC 32 (BLAKE2b-256 under the header key, of everything before)
///
/// The checksum tells damage from a wrong key before anything is unlocked. Evidence against an attacker is the MAC for
/// whoever holds the vault key, and the signature for whoever holds a group's key: the public key is in what their slot
/// holds for them.
package struct VaultHeader: Equatable, Sendable {
    /// The most slots for the whole vault.
    package static let maximumSlots = 16
    /// The most slots for one group.
    package static let maximumGrants = 8
    /// The most groups.
    package static let maximumGroups = 4_096
    /// The most replacements of the key that a header tells of; before it tells of another, it forgets the oldest.
    package static let maximumSuccessions = 16
    /// The most bytes of a header that are read.
    package static let maximumCount = 16 << 20

    private static let checksumCount = 16
    private static let macCount = 32
    /// Signature and MAC.
    private static let proofCount = macCount + Ed25519.signatureCount

    /// Names the vault.
    package let vault: VaultID
    /// Grows with every change.
    package internal(set) var sequence: UInt64
    /// The public key of the vault's signatures, 32 bytes.
    package internal(set) var signer: [UInt8]
    /// That each key gave way to the next, the oldest first, and the last one to that of ``signer``.
    package internal(set) var successions: [KeySuccession] = []
    /// The slots that open the whole vault.
    package internal(set) var slots: [KeySlot]
    /// The groups, in the order they were made.
    var groups: [GroupEntry]

    init(vault: VaultID, sequence: UInt64, signer: [UInt8], slots: [KeySlot], groups: [GroupEntry]) {
        self.vault = vault
        self.sequence = sequence
        self.signer = signer
        self.slots = slots
        self.groups = groups
    }

    /// The slot of the whole vault that `offered` opens; nil for none.
    ///
    /// Each slot for a passphrase costs a derivation.
    ///
    /// - Throws: `outOfMemory`, where a slot could not be tried.
    package func slot(openedBy offered: borrowing SlotKey) throws(VaultError) -> KeySlot? {
        for slot in slots where try slot.opens(with: offered, vault: vault) { return slot }
        return nil
    }

    /// The first slot that `offered` opens, of the whole vault or of one group; nil for none.
    ///
    /// Each slot for a passphrase costs a derivation.
    ///
    /// - Parameter isMeant: Which slots are tried.
    /// - Throws: `outOfMemory`, where a slot could not be tried.
    package func anySlot(
        openedBy offered: borrowing SlotKey, where isMeant: (KeySlot) -> Bool = { _ in true }
    ) throws(VaultError) -> KeySlot? {
        for slot in slots where isMeant(slot) {
            if try slot.opens(with: offered, vault: vault) { return slot }
        }
        for group in groups {
            for grant in group.grants where isMeant(grant.slot) {
                if try grant.slot.opens(with: offered, vault: vault, group: group.id) { return grant.slot }
            }
        }
        return nil
    }

    /// The slots that open one group each.
    package var grantedSlots: [KeySlot] { groups.flatMap { group in group.grants.map { $0.slot } } }

    /// Whether a slot of the vault, or of one of its groups, is of a kind.
    package func hasSlot(_ kind: KeySlot.Kind) -> Bool {
        slots.contains { $0.kind == kind } || groups.contains { $0.grants.contains { $0.slot.kind == kind } }
    }

    /// The header's bytes, with checksum, signature and MAC.
    func encoded(_ keys: VaultKeys) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(FormatVersion.magic)
        writer.write(FormatVersion.current)
        writer.write(FormatVersion.suite)
        writer.write(vault)
        writer.write(sequence)
        writer.write(signer)
        writer.write(UInt8(successions.count))
        for succession in successions { succession.write(to: &writer) }
        writer.write(UInt16(slots.count))
        for slot in slots { slot.write(to: &writer) }
        writer.write(UInt16(groups.count))
        for group in groups { group.write(to: &writer) }
        writer.write(BLAKE2b.hash(writer.bytes, count: Self.checksumCount))
        writer.write(keys.sign(SealingContext.header + writer.bytes))
        writer.write(keys.authenticate(writer.bytes))
        return writer.bytes
    }

    /// Parses a header and checks its checksum; its MAC can be checked only once it is unlocked.
    ///
    /// - Throws: `notAVault`, `unsupportedVersion`, `unsupportedSuite`, `corrupted(.header)`.
    package init(encoded bytes: [UInt8]) throws(VaultError) {
        guard bytes.starts(with: FormatVersion.magic) else { throw .notAVault }
        guard bytes.count <= Self.maximumCount else { throw .corrupted(.header) }
        var reader = ByteReader(bytes)
        guard (try? reader.slice(FormatVersion.magic.count)) != nil, let version = try? reader.read(UInt16.self),
            let suite = try? reader.read(UInt16.self)
        else { throw .corrupted(.header) }
        // A damaged version number must not be taken for a newer vault.
        try Self.checkChecksum(bytes)
        guard version == FormatVersion.current else {
            throw .unsupportedVersion(found: version, supported: FormatVersion.current)
        }
        guard suite == FormatVersion.suite else { throw .unsupportedSuite(found: suite) }
        do throws(ByteReader.Malformed) {
            vault = try reader.readID()
            sequence = try reader.read()
            signer = try reader.read(Ed25519.keyCount)
            let successionCount = try reader.read(UInt8.self)
            guard successionCount <= Self.maximumSuccessions else { throw ByteReader.Malformed() }
            for _ in 0..<successionCount { successions.append(try KeySuccession(from: &reader)) }
            slots = []
            groups = []
            let slotCount = try reader.read(UInt16.self)
            guard slotCount <= Self.maximumSlots else { throw ByteReader.Malformed() }
            for _ in 0..<slotCount { slots.append(try KeySlot(from: &reader)) }
            let groupCount = try reader.read(UInt16.self)
            guard groupCount <= Self.maximumGroups else { throw ByteReader.Malformed() }
            for _ in 0..<groupCount { groups.append(try GroupEntry(from: &reader)) }
            _ = try reader.slice(Self.checksumCount + Self.proofCount)
            guard reader.isAtEnd else { throw ByteReader.Malformed() }
        } catch {
            throw .corrupted(.header)
        }
    }

    private static func checkChecksum(_ bytes: [UInt8]) throws(VaultError) {
        let end = bytes.count - checksumCount - proofCount
        guard end > 0 else { throw .corrupted(.header) }
        let content = Array(bytes[..<end])
        let expected = BLAKE2b.hash(content, count: checksumCount)
        guard bytes[end..<end + checksumCount].elementsEqual(expected) else { throw .corrupted(.header) }
    }

    /// What tells a header's bytes from all others: BLAKE2b-256 of checksum, signature and MAC.
    static func digest(of bytes: [UInt8]) -> [UInt8] {
        BLAKE2b.hash(Array(bytes.suffix(checksumCount + proofCount)), count: Milestone.digestCount)
    }

    /// When the key of the signatures became the present one, where the key of `former` gave way to it, in one step or several.
    ///
    /// - Parameter bytes: The header's own, which the present key must have signed.
    /// - Returns: nil where nothing shows that it did. Whoever has held the former key can make such a header.
    func timeOfSuccession(from former: [UInt8], _ bytes: [UInt8]) -> Timestamp? {
        guard let first = successions.firstIndex(where: { $0.former == former }), Self.isSigned(bytes, by: signer)
        else {
            return nil
        }
        for index in first..<successions.count {
            let next = index + 1 < successions.count ? successions[index + 1].former : signer
            guard successions[index].isValid(for: next, of: vault) else { return nil }
        }
        return successions.last?.time
    }

    /// Whether the MAC of `bytes` is the one under `keys`.
    static func isAuthentic(_ bytes: [UInt8], _ keys: VaultKeys) -> Bool {
        let end = bytes.count - macCount
        guard end > 0 else { return false }
        let expected = keys.authenticate(Array(bytes[..<end]))
        return ConstantTime.areEqual(expected, Array(bytes[end...]))
    }

    /// Whether the signature of `bytes` is one of the vault that has this public key.
    static func isSigned(_ bytes: [UInt8], by signer: [UInt8]) -> Bool {
        let end = bytes.count - proofCount
        guard end > 0 else { return false }
        return (SealingContext.header + bytes[..<end]).withBytes {
            Ed25519.isValid(Array(bytes[end..<end + Ed25519.signatureCount]), of: $0, publicKey: signer)
        }
    }
}
