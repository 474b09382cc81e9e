internal import KeyfobModel

/// What a sealed box is bound to: a label that is used for one purpose only, then fixed-size fields.
enum SealingContext {
    /// The key in a slot: of `group`, or of the whole vault.
    static func slotKey(_ vault: VaultID, _ group: GroupID?, _ slot: SlotID, parameters: [UInt8]) -> [UInt8] {
        Array("keyfob slot v2".utf8) + vault.bytes + owner(group) + slot.bytes + parameters
    }

    /// What a recovery key's proof begins with; the slot's age file follows.
    static func slotProof(_ vault: VaultID, _ group: GroupID?, _ slot: SlotID, created: Int64) -> [UInt8] {
        Array("keyfob slot proof v2".utf8) + vault.bytes + owner(group) + slot.bytes + littleEndian(created)
    }

    /// Whose key a slot holds: a group's id, or zeros for the whole vault.
    private static func owner(_ group: GroupID?) -> [UInt8] { group?.bytes ?? [UInt8](repeating: 0, count: 16) }

    /// A header, which follows, for its signature.
    static let header = Array("keyfob header v1".utf8)

    /// That a vault's key of signatures was replaced.
    static func succession(
        _ vault: VaultID, _ former: [UInt8], _ signer: [UInt8], sequence: UInt64, time: Int64
    ) -> [UInt8] {
        Array("keyfob succession v1".utf8) + vault.bytes + former + signer + littleEndian(sequence)
            + littleEndian(time)
    }

    static func groupKey(_ vault: VaultID, _ group: GroupID, epoch: UInt32) -> [UInt8] {
        Array("keyfob group key v1".utf8) + vault.bytes + group.bytes + littleEndian(epoch)
    }

    static func groupName(_ vault: VaultID, _ group: GroupID) -> [UInt8] {
        Array("keyfob group name v1".utf8) + vault.bytes + group.bytes
    }

    /// A group slot's own key, kept for the holder of the vault key.
    static func grantKey(_ vault: VaultID, _ group: GroupID, _ slot: SlotID) -> [UInt8] {
        Array("keyfob grant key v1".utf8) + vault.bytes + group.bytes + slot.bytes
    }

    /// A group's key and the vault's public key, kept for the holder of a group slot's own key.
    static func grantedGroupKey(_ vault: VaultID, _ group: GroupID, epoch: UInt32, _ slot: SlotID) -> [UInt8] {
        Array("keyfob granted key v2".utf8) + vault.bytes + group.bytes + littleEndian(epoch) + slot.bytes
    }

    static func manifest(_ vault: VaultID, _ group: GroupID, epoch: UInt32) -> [UInt8] {
        Array("keyfob manifest v1".utf8) + vault.bytes + group.bytes + littleEndian(epoch)
    }

    /// A block of the history whose first event has the number `first`.
    static func usage(_ vault: VaultID, _ group: GroupID, epoch: UInt32, first: UInt64) -> [UInt8] {
        Array("keyfob usage v2".utf8) + vault.bytes + group.bytes + littleEndian(epoch) + littleEndian(first)
    }

    /// A record of the history of token uses.
    static func tokenUse(_ vault: VaultID, _ group: GroupID, epoch: UInt32) -> [UInt8] {
        Array("keyfob token use v1".utf8) + vault.bytes + group.bytes + littleEndian(epoch)
    }

    /// A key that is kept outside the vault for one user, behind a prefix of fixed size.
    static func keptKey(_ vault: VaultID, user: UInt32, prefix: [UInt8]) -> [UInt8] {
        Array("keyfob kept key v1".utf8) + vault.bytes + littleEndian(user) + prefix
    }

    /// What the owner decided: a setting of a group.
    static func decision(_ vault: VaultID, _ group: GroupID, name: String, value: String) -> [UInt8] {
        var writer = ByteWriter()
        writer.writeCounted(Array(name.utf8))
        writer.writeCounted(Array(value.utf8))
        return Array("keyfob decision v1".utf8) + vault.bytes + group.bytes + writer.bytes
    }

    /// What a vault knows of the sync that it is part of.
    static func sync(_ vault: VaultID) -> [UInt8] {
        Array("keyfob sync state v1".utf8) + vault.bytes
    }

    private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(value)
        return writer.bytes
    }
}
