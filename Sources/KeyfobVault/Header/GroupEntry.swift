internal import KeyfobModel
internal import KeyfobSodium

/// A group in the header: its sealed name, its wrapped key, and the slots that open it alone.
struct GroupEntry: Equatable, Sendable {
    /// Names are padded to this length, so that they do not differ on disk.
    static let paddedNameCount = 512

    let id: GroupID
    /// How often the group's key has been replaced, from 1.
    var epoch: UInt32
    /// The group's key under the vault's wrap key.
    var wrappedKey: CommittingAEAD.Box
    /// The group's name under the group's name key.
    var sealedName: CommittingAEAD.Box
    /// The slots for this group alone.
    var grants: [Grant]

    /// A slot for one group.
    ///
    /// The slot opens a key of its own, and that key opens the group's. The holder of the vault key
    /// has the slot's own key too, so that a new group key can be handed on to every slot that stays.
    struct Grant: Equatable, Sendable {
        let slot: KeySlot
        /// The slot's own key under the vault's wrap key.
        let ownKey: CommittingAEAD.Box
        /// The group's key, and the public key of the vault's signatures, under the slot's own key.
        var groupKey: CommittingAEAD.Box

        /// How many bytes are in ``groupKey``.
        static let keyCount = 64
    }

    func write(to writer: inout ByteWriter) {
        writer.write(id)
        writer.write(epoch)
        wrappedKey.write(to: &writer)
        sealedName.write(to: &writer)
        writer.write(UInt16(grants.count))
        for grant in grants {
            grant.slot.write(to: &writer)
            grant.ownKey.write(to: &writer)
            grant.groupKey.write(to: &writer)
        }
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        id = try reader.readID()
        epoch = try reader.read()
        wrappedKey = try CommittingAEAD.Box(from: &reader, messageCount: 32)
        sealedName = try CommittingAEAD.Box(from: &reader, messageCount: Self.paddedNameCount)
        grants = []
        let count = try reader.read(UInt16.self)
        guard count <= VaultHeader.maximumGrants else { throw ByteReader.Malformed() }
        for _ in 0..<count {
            grants.append(
                Grant(
                    slot: try KeySlot(from: &reader),
                    ownKey: try CommittingAEAD.Box(from: &reader, messageCount: 32),
                    groupKey: try CommittingAEAD.Box(from: &reader, messageCount: Grant.keyCount)))
        }
    }

    init(
        id: GroupID, epoch: UInt32, wrappedKey: CommittingAEAD.Box, sealedName: CommittingAEAD.Box,
        grants: [Grant] = []
    ) {
        self.id = id
        self.epoch = epoch
        self.wrappedKey = wrappedKey
        self.sealedName = sealedName
        self.grants = grants
    }
}
