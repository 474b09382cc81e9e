package import KeyfobModel
internal import KeyfobSodium

extension UnlockedVault {
    /// The keys of the group called `name`.
    ///
    /// - Throws: `notGranted` when the key held may not tell whether there is such a group,
    ///   `noSuchGroup` when there is none.
    package func group(_ name: AccessGroup) throws(VaultError) -> Group {
        if let group = groups.first(where: { $0.name == name }) { return group }
        throw opensWholeVault ? .noSuchGroup : .notGranted
    }

    /// The group with this id.
    ///
    /// - Throws: `notGranted`, `noSuchGroup`.
    package func group(_ id: GroupID) throws(VaultError) -> Group {
        if let group = groups.first(where: { $0.keys.group == id }) { return group }
        throw opensWholeVault ? .noSuchGroup : .notGranted
    }

    /// Makes a group with a key of its own.
    ///
    /// Names are the caller's to keep apart.
    ///
    /// - Throws: `needsVaultKey`, `tooManySlots` when there are 4,096 groups.
    package mutating func createGroup(
        _ name: AccessGroup, id: GroupID = .random()
    ) throws(VaultError) -> Group {
        guard header.groups.count < VaultHeader.maximumGroups else {
            throw .tooManySlots(limit: VaultHeader.maximumGroups)
        }
        let groupKey = SecretBytes.random(count: 32)
        let keys = GroupKeys(vault: header.vault, group: id, epoch: 1, groupKey: groupKey, owner: try vaultKeys())
        let context = SealingContext.groupKey(header.vault, id, epoch: 1)
        let entry = GroupEntry(
            id: id, epoch: 1, wrappedKey: try vaultKeys().wrap(groupKey, context: context),
            sealedName: keys.seal(name: name))
        header.groups.append(entry)
        header.sequence += 1
        let group = Group(keys: keys, name: name)
        groups.append(group)
        return group
    }

    /// Gives a group another name.
    ///
    /// - Throws: `needsVaultKey`, `noSuchGroup`.
    package mutating func renameGroup(_ id: GroupID, to name: AccessGroup) throws(VaultError) {
        _ = try vaultKeys()
        let index = try entryIndex(id)
        let keys = groups[index].keys
        header.groups[index].sealedName = keys.seal(name: name)
        header.sequence += 1
        groups[index] = Group(keys: keys, name: name)
    }

    /// Removes a group's key, without which its records stay sealed for ever.
    ///
    /// - Throws: `needsVaultKey`, `noSuchGroup`.
    package mutating func removeGroup(_ id: GroupID) throws(VaultError) {
        _ = try vaultKeys()
        let index = try entryIndex(id)
        header.groups.remove(at: index)
        groups.remove(at: index)
        header.sequence += 1
    }

    /// Makes a slot that opens one group alone.
    ///
    /// - Throws: `needsVaultKey`, `noSuchGroup`, `tooManySlots`, `costRefused`, `outOfMemory`,
    ///   `unsuitableKeyFile`.
    package mutating func grant(
        _ id: GroupID, to new: borrowing NewSlot, now: Timestamp
    ) throws(VaultError) -> SlotID {
        try grant(try sealedGrant(of: id, to: new, now: now))
    }

    /// A slot for one group that is not in the header yet: what takes time when one is made.
    ///
    /// - Parameter inPlace: Whether it comes into the place of another, by ``grant(_:inPlaceOf:)``.
    /// - Throws: as ``grant(_:to:now:)``.
    package func sealedGrant(
        of id: GroupID, to new: borrowing NewSlot, now: Timestamp, inPlace: Bool = false
    ) throws(VaultError) -> SealedGrant {
        let index = try entryIndex(id)
        if !inPlace { try requireRoomForGrant(index) }
        let ownKey = SecretBytes.random(count: 32)
        let slot = try KeySlot.seal(ownKey, for: new, vault: header.vault, group: id, now: now.seconds)
        let wrapped = try vaultKeys().wrap(ownKey, context: SealingContext.grantKey(header.vault, id, slot.id))
        return SealedGrant(group: id, slot: slot, ownKey: wrapped)
    }

    /// Puts a slot that ``sealedGrant(of:to:now:inPlace:)`` made into the header, with the group's key of now.
    ///
    /// - Parameter old: The slot of the group that goes for it, also where all places are taken.
    /// - Throws: `needsVaultKey`, `noSuchGroup`, `noSuchSlot`, `tooManySlots`, `corrupted(.groupKey)`.
    package mutating func grant(_ grant: SealedGrant, inPlaceOf old: SlotID? = nil) throws(VaultError) -> SlotID {
        let index = try entryIndex(grant.group)
        var place: Int?
        if let old {
            place = header.groups[index].grants.firstIndex { $0.slot.id == old }
            if place == nil { throw .noSuchSlot }
        } else {
            try requireRoomForGrant(index)
        }
        let context = SealingContext.grantKey(header.vault, grant.group, grant.slot.id)
        let ownKey = try vaultKeys().unwrap(grant.ownKey, context: context)
        let groupKey = Self.seal(groups[index].keys, header.signer, for: grant.slot.id, ownKey: ownKey)
        let entry = GroupEntry.Grant(slot: grant.slot, ownKey: grant.ownKey, groupKey: groupKey)
        if let place {
            header.groups[index].grants[place] = entry
        } else {
            header.groups[index].grants.append(entry)
        }
        header.sequence += 1
        return grant.slot.id
    }

    /// A slot for one group that does not hold the group's key yet.
    package struct SealedGrant: Sendable {
        let group: GroupID
        let slot: KeySlot
        /// The slot's own key under the vault's wrap key.
        let ownKey: CommittingAEAD.Box

        /// Opens the slot, to see that what is to open it does.
        ///
        /// - Throws: as ``LockedVault/unlock(with:)``.
        package func tryOpening(with offered: borrowing SlotKey, vault: VaultID) throws(VaultError) {
            _ = try slot.open(with: offered, vault: vault, group: group)
        }
    }

    private func requireRoomForGrant(_ index: Int) throws(VaultError) {
        guard header.groups[index].grants.count < VaultHeader.maximumGrants else {
            throw .tooManySlots(limit: VaultHeader.maximumGrants)
        }
    }

    /// Replaces a group's key and hands the new one to every slot that is left.
    ///
    /// The caller seals every record of the group again, in the transaction that writes the header.
    ///
    /// - Throws: `needsVaultKey`, `noSuchGroup`, `corrupted(.groupKey)`.
    package mutating func rotateKey(of id: GroupID) throws(VaultError) -> (old: GroupKeys, new: GroupKeys) {
        let vaultKeys = try vaultKeys()
        let index = try entryIndex(id)
        let old = groups[index]
        let epoch = old.keys.epoch + 1
        let groupKey = SecretBytes.random(count: 32)
        let keys = GroupKeys(
            vault: header.vault, group: id, epoch: epoch, groupKey: groupKey, owner: vaultKeys)
        var entry = header.groups[index]
        entry.epoch = epoch
        entry.wrappedKey = vaultKeys.wrap(groupKey, context: SealingContext.groupKey(header.vault, id, epoch: epoch))
        entry.sealedName = keys.seal(name: old.name)
        for position in entry.grants.indices {
            let grant = entry.grants[position]
            let ownKey = try vaultKeys.unwrap(
                grant.ownKey, context: SealingContext.grantKey(header.vault, id, grant.slot.id))
            entry.grants[position].groupKey = Self.seal(keys, header.signer, for: grant.slot.id, ownKey: ownKey)
        }
        header.groups[index] = entry
        header.sequence += 1
        groups[index] = Group(keys: keys, name: old.name)
        return (old.keys, keys)
    }

    /// With the vault key held, `groups` and the header's entries stand in the same order.
    private func entryIndex(_ id: GroupID) throws(VaultError) -> Int {
        _ = try vaultKeys()
        guard let index = header.groups.firstIndex(where: { $0.id == id }) else { throw .noSuchGroup }
        return index
    }

    private static func seal(
        _ keys: GroupKeys, _ signer: [UInt8], for slot: SlotID, ownKey: borrowing SecretBytes
    ) -> CommittingAEAD.Box {
        let context = SealingContext.grantedGroupKey(keys.vault, keys.group, epoch: keys.epoch, slot)
        let groupKey = keys.groupKey()
        let held = SecretBytes(count: GroupEntry.Grant.keyCount, placement: .recycled) { span in
            groupKey.withBytes { span.copy(from: $0) }
            signer.withBytes { span.copy(from: $0, at: 32) }
        }
        return held.withBytes { held in
            ownKey.withBytes { CommittingAEAD.seal(held, key: $0, context: context) }
        }
    }
}
