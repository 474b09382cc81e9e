package import KeyfobModel
internal import KeyfobSodium

extension UnlockedVault {
    /// A new vault, with one slot and the group `default`.
    ///
    /// - Throws: `costRefused`, `outOfMemory`, `unsuitableKeyFile`.
    package static func create(slot new: borrowing NewSlot, now: Timestamp) throws(VaultError) -> UnlockedVault {
        let vaultKey = SecretBytes.random(count: VaultKeys.count)
        let id = VaultID.random()
        let slot = try KeySlot.seal(vaultKey, for: new, vault: id, now: now.seconds)
        let keys = VaultKeys(vaultKey: vaultKey)
        let header = VaultHeader(vault: id, sequence: 1, signer: keys.signer(), slots: [slot], groups: [])
        var vault = UnlockedVault(header, .vault(keys))
        _ = try vault.createGroup(.default)
        return vault
    }

    /// A vault made again from what is known of it: its id and its groups.
    ///
    /// It has new keys and no slot, which suits a vault whose records are not sealed.
    ///
    /// - Parameter sequence: A number that no header of the vault has had.
    /// - Throws: `tooManySlots` for more than 4,096 groups.
    package static func rebuilt(
        _ id: VaultID, groups: [(id: GroupID, name: AccessGroup)], sequence: UInt64
    ) throws(VaultError) -> UnlockedVault {
        let keys = VaultKeys(vaultKey: .random(count: VaultKeys.count))
        let header = VaultHeader(vault: id, sequence: sequence, signer: keys.signer(), slots: [], groups: [])
        var vault = UnlockedVault(header, .vault(keys))
        for group in groups { _ = try vault.createGroup(group.name, id: group.id) }
        return vault
    }

    /// Adds a slot for the whole vault.
    ///
    /// - Throws: `needsVaultKey`, `tooManySlots`, `costRefused`, `outOfMemory`, `unsuitableKeyFile`.
    package mutating func addSlot(_ new: borrowing NewSlot, now: Timestamp) throws(VaultError) -> SlotID {
        try addSlot(try sealedSlot(for: new, now: now))
    }

    /// A slot for the whole vault that is not in the header yet: what takes time when one is added.
    ///
    /// - Parameter inPlace: Whether it comes into the place of another, by ``replaceSlot(_:with:)``.
    /// - Throws: as ``addSlot(_:now:)``.
    package func sealedSlot(
        for new: borrowing NewSlot, now: Timestamp, inPlace: Bool = false
    ) throws(VaultError) -> KeySlot {
        let keys = try vaultKeys()
        if !inPlace { try requireRoomForSlot() }
        return try KeySlot.seal(keys.vaultKey(), for: new, vault: header.vault, now: now.seconds)
    }

    /// Puts a slot that ``sealedSlot(for:now:)`` made into the header.
    ///
    /// - Throws: `needsVaultKey`, `tooManySlots`.
    package mutating func addSlot(_ slot: KeySlot) throws(VaultError) -> SlotID {
        _ = try vaultKeys()
        try requireRoomForSlot()
        header.slots.append(slot)
        header.sequence += 1
        return slot.id
    }

    /// Puts a slot that ``sealedSlot(for:now:inPlace:)`` made into the place of one of the whole vault, also where all places
    /// are taken.
    ///
    /// - Throws: `needsVaultKey`, `noSuchSlot`.
    package mutating func replaceSlot(_ id: SlotID, with slot: KeySlot) throws(VaultError) {
        _ = try vaultKeys()
        guard let index = header.slots.firstIndex(where: { $0.id == id }) else { throw .noSuchSlot }
        header.slots[index] = slot
        header.sequence += 1
    }

    private func requireRoomForSlot() throws(VaultError) {
        guard header.slots.count < VaultHeader.maximumSlots else {
            throw .tooManySlots(limit: VaultHeader.maximumSlots)
        }
    }

    /// Removes a slot of the whole vault, or of one group.
    ///
    /// Whoever used the slot may have kept the key it opened: for a group, rotate its key as well.
    ///
    /// - Throws: `needsVaultKey`, `noSuchSlot`, `lastSlot`.
    package mutating func removeSlot(_ id: SlotID) throws(VaultError) {
        _ = try vaultKeys()
        if let index = header.slots.firstIndex(where: { $0.id == id }) {
            guard header.slots.count > 1 else { throw .lastSlot }
            header.slots.remove(at: index)
            header.sequence += 1
            return
        }
        for group in header.groups.indices {
            if let index = header.groups[group].grants.firstIndex(where: { $0.slot.id == id }) {
                header.groups[group].grants.remove(at: index)
                header.sequence += 1
                return
            }
        }
        throw .noSuchSlot
    }

    /// The slots of the whole vault and of the groups within reach, for people to see.
    package var slotSummaries: [SlotSummary] {
        var summaries: [SlotSummary] = []
        if opensWholeVault {
            summaries = header.slots.map { SlotSummary($0, group: nil) }
        }
        for group in groups {
            let entry = header.groups.first { $0.id == group.keys.group }
            summaries += entry?.grants.map { SlotSummary($0.slot, group: group.name) } ?? []
        }
        return summaries
    }

    /// The public keys of the recipients that can open the whole vault.
    package var recipients: [[UInt8]] {
        header.slots.compactMap {
            if case .recipient(let publicKey, _, _) = $0.lock { publicKey } else { nil }
        }
    }
}

/// A slot as people see it.
package struct SlotSummary: Equatable, Sendable {
    package let id: SlotID
    package let kind: KeySlot.Kind
    package let created: Timestamp
    /// The one group it opens; nil when it opens the whole vault.
    package let group: AccessGroup?
    /// What a derivation costs, for passphrases.
    package let cost: (operations: UInt32, memory: UInt64)?
    /// The public key of a recipient.
    package let recipient: [UInt8]?
    /// Whether it is a recovery key's: a recipient's that was made with the identity.
    package let isRecoveryKey: Bool

    init(_ slot: KeySlot, group: AccessGroup?) {
        id = slot.id
        kind = slot.kind
        created = Timestamp(seconds: slot.created)
        self.group = group
        if case .passphrase(_, let cost, _) = slot.lock {
            self.cost = (cost.operations, cost.memory)
        } else {
            self.cost = nil
        }
        if case .recipient(let publicKey, _, let proof) = slot.lock {
            (recipient, isRecoveryKey) = (publicKey, proof != nil)
        } else {
            (recipient, isRecoveryKey) = (nil, false)
        }
    }

    package static func == (left: SlotSummary, right: SlotSummary) -> Bool {
        left.id == right.id && left.kind == right.kind && left.created == right.created && left.group == right.group
    }
}
