package import KeyfobModel
package import KeyfobSodium

/// A vault, or one group of it, whose keys are at hand.
package struct UnlockedVault: ~Copyable {
    /// The header, authenticated where the vault key is held.
    package internal(set) var header: VaultHeader
    /// What the key held may open.
    private(set) var authority: Authority
    /// The groups that can be opened, in the order they were made.
    package internal(set) var groups: [Group] = []
    /// Whether what unlocked the vault shows that whoever wrote it knew a secret of the owner's.
    ///
    /// False for a recipient's slot that was made with nothing but the public key: anybody who can write files can put a
    /// vault of their own there that such an identity opens.
    package let isProven: Bool
    /// The MAC of the header that was read last, and that header's sequence.
    private var lastRead: (sequence: UInt64, mac: [UInt8])?

    /// A group that can be opened.
    package struct Group: Sendable {
        package let keys: GroupKeys
        package let name: AccessGroup
    }

    /// Whose key unlocked the vault.
    enum Authority {
        /// The whole vault's.
        case vault(VaultKeys)
        /// One group's, by one of its slots.
        case group(GroupID, SlotID, GrantKey)
    }

    /// The own key of a group slot.
    final class GrantKey: Sendable {
        let key: SecretBytes

        init(copying key: borrowing SecretBytes) {
            self.key = key.extracting(0..<key.count)
        }
    }

    init(_ header: VaultHeader, _ authority: Authority, isProven: Bool = true) {
        self.header = header
        self.authority = authority
        self.isProven = isProven
    }

    /// Opens every group with the vault key.
    static func opening(
        _ header: VaultHeader, _ headerBytes: [UInt8], vaultKey: borrowing SecretBytes, isProven: Bool = true
    ) throws(VaultError) -> UnlockedVault {
        let keys = VaultKeys(vaultKey: vaultKey)
        guard VaultHeader.isAuthentic(headerBytes, keys) else { throw .corrupted(.headerAuthentication) }
        var vault = UnlockedVault(header, .vault(keys), isProven: isProven)
        vault.lastRead = (header.sequence, VaultHeader.mac(of: headerBytes))
        try vault.openGroups()
        return vault
    }

    /// Opens one group with a group slot's own key.
    static func opening(
        _ header: VaultHeader, group: GroupID, slot: SlotID, ownKey: borrowing SecretBytes, isProven: Bool = true
    ) throws(VaultError) -> UnlockedVault {
        var vault = UnlockedVault(header, .group(group, slot, GrantKey(copying: ownKey)), isProven: isProven)
        try vault.openGroups()
        return vault
    }

    /// Whether the key held is the whole vault's.
    package var opensWholeVault: Bool {
        if case .vault = authority { true } else { false }
    }

    /// How often the header has changed; another number on disk means another process changed it.
    package var sequence: UInt64 { header.sequence }

    /// Whether the vault has a group that the key held does not open.
    package var hasGroupsBeyondReach: Bool { groups.count < header.groups.count }

    /// Takes over a header that another process wrote.
    ///
    /// - Throws: `corrupted`, `noSuchSlot` when the group slot that was used is gone,
    ///   `notGranted` when its group is.
    package mutating func refresh(headerBytes: [UInt8]) throws(VaultError) {
        let newer = try VaultHeader(encoded: headerBytes)
        if case .vault(let keys) = authority {
            guard VaultHeader.isAuthentic(headerBytes, keys) else { throw .corrupted(.headerAuthentication) }
            lastRead = (newer.sequence, VaultHeader.mac(of: headerBytes))
        }
        header = newer
        try openGroups()
    }

    /// The header's bytes with a MAC; what a change of the header is followed by.
    ///
    /// - Throws: `needsVaultKey`.
    package func encodedHeader() throws(VaultError) -> [UInt8] {
        header.encoded(try vaultKeys())
    }

    /// How far the header has come, for whoever holds the vault key: to others it is not authentic.
    ///
    /// - Throws: `needsVaultKey`.
    package func milestone() throws(VaultError) -> Milestone {
        let keys = try vaultKeys()
        let mac =
            if let lastRead, lastRead.sequence == sequence { lastRead.mac } else {
                VaultHeader.mac(of: header.encoded(keys))
            }
        return Milestone(group: nil, sequence: sequence, digest: BLAKE2b.hash(mac, count: Milestone.digestCount))
    }

    /// Begins a new version of the header that differs in nothing else.
    ///
    /// - Parameter seen: What came last of it, where this one is an earlier copy; what no header can have come to does
    ///   not count.
    package mutating func advance(beyond seen: UInt64 = 0) {
        let isPossible = seen > header.sequence && seen - header.sequence < 1 << 32
        header.sequence = (isPossible ? seen : header.sequence) + 1
    }

    /// The header for a backup: nothing but the slots of recovery keys, by which they show whose backup it is.
    ///
    /// Its sequence is none that the vault ever had, so that it cannot take the place of the vault's own header.
    ///
    /// - Throws: `needsVaultKey`.
    package func headerForBackup() throws(VaultError) -> [UInt8] {
        let slots = header.slots.filter { slot in
            if case .recipient(_, _, .some) = slot.lock { true } else { false }
        }
        return VaultHeader(vault: header.vault, sequence: 0, slots: slots, groups: []).encoded(try vaultKeys())
    }

    /// The MAC of a backup's digest under a key of the vault's: nobody else can make one.
    ///
    /// - Throws: `needsVaultKey`.
    package func authentication(ofBackup digest: [UInt8]) throws(VaultError) -> [UInt8] {
        try vaultKeys().authenticate(backup: digest)
    }

    /// The same vault with the same keys, for a change that may come to nothing.
    package func copy() -> UnlockedVault {
        var copy = UnlockedVault(header, authority, isProven: isProven)
        copy.groups = groups
        return copy
    }

    /// Replaces the vault key and the key of every group.
    ///
    /// No slot is left: what opened the old keys opens nothing any more. The caller adds slots, and seals every record
    /// again, in the transaction that writes the header.
    ///
    /// - Throws: `needsVaultKey`, `corrupted(.groupKey)`.
    /// - Returns: The keys of every group, before and after.
    package mutating func rekey() throws(VaultError) -> [(old: GroupKeys, new: GroupKeys)] {
        _ = try vaultKeys()
        authority = .vault(VaultKeys(vaultKey: .random(count: VaultKeys.count)))
        lastRead = nil
        header.slots = []
        for index in header.groups.indices { header.groups[index].grants = [] }
        var keys: [(old: GroupKeys, new: GroupKeys)] = []
        for group in groups { keys.append(try rotateKey(of: group.keys.group)) }
        return keys
    }

    /// A copy of the key that unlocked: the vault key, or a group slot's own key with the slot's id.
    package func unlockingKey() -> UnlockingKey {
        switch authority {
        case .vault(let keys): UnlockingKey(slot: nil, key: keys.vaultKey())
        case .group(_, let slot, let own): UnlockingKey(slot: slot, key: own.key.extracting(0..<own.key.count))
        }
    }

    func vaultKeys() throws(VaultError) -> VaultKeys {
        guard case .vault(let keys) = authority else { throw .needsVaultKey }
        return keys
    }

    /// Opens the key and the name of every group within reach.
    private mutating func openGroups() throws(VaultError) {
        groups = []
        switch authority {
        case .vault(let keys):
            for entry in header.groups {
                let context = SealingContext.groupKey(header.vault, entry.id, epoch: entry.epoch)
                try open(entry, groupKey: try keys.unwrap(entry.wrappedKey, context: context))
            }
        case .group(let id, let slot, let own):
            guard let entry = header.groups.first(where: { $0.id == id }) else { throw .notGranted }
            guard let grant = entry.grants.first(where: { $0.slot.id == slot }) else { throw .noSuchSlot }
            let context = SealingContext.grantedGroupKey(header.vault, id, epoch: entry.epoch, slot)
            let groupKey: SecretBytes
            do {
                groupKey = try own.key.withBytes { (key) throws(SodiumError) in
                    try CommittingAEAD.open(grant.groupKey, key: key, context: context, placement: .recycled)
                }
            } catch {
                throw .corrupted(.groupKey)
            }
            try open(entry, groupKey: groupKey)
        }
    }

    private mutating func open(_ entry: GroupEntry, groupKey: consuming SecretBytes) throws(VaultError) {
        let keys = GroupKeys(
            vault: header.vault, group: entry.id, epoch: entry.epoch, groupKey: groupKey, owner: try? vaultKeys())
        groups.append(Group(keys: keys, name: try keys.openName(entry.sealedName)))
    }
}

/// The key that unlocked a vault, to be cached for the session.
package struct UnlockingKey: ~Copyable {
    /// The group slot whose own key this is; nil for the vault key.
    package let slot: SlotID?
    /// 32 bytes.
    package let key: SecretBytes

    package init(slot: SlotID?, key: consuming SecretBytes) {
        self.slot = slot
        self.key = key
    }
}

extension GroupKeys {
    func seal(name: AccessGroup) -> CommittingAEAD.Box {
        var padded = Array(name.name.utf8) + [0x80]
        padded += [UInt8](repeating: 0, count: GroupEntry.paddedNameCount - padded.count)
        return withNameKey {
            CommittingAEAD.seal(padded, key: $0, context: SealingContext.groupName(vault, group))
        }
    }

    func openName(_ box: CommittingAEAD.Box) throws(VaultError) -> AccessGroup {
        let padded = try? withNameKey { (key) throws(SodiumError) in
            try CommittingAEAD.openAttributes(box, key: key, context: SealingContext.groupName(vault, group))
        }
        guard let padded, let count = try? Padding.unpaddedCount(padded),
            let text = String(validating: padded[..<count], as: UTF8.self), let name = try? AccessGroup(text)
        else { throw .corrupted(.groupName) }
        return name
    }
}
