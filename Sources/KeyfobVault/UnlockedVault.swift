package import KeyfobModel
package import KeyfobSodium

/// A vault, or one group of it, whose keys are at hand.
package struct UnlockedVault: ~Copyable {
    /// The header, which is the owner's: by its MAC where the vault key is held, else by its signature.
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
    /// The digest of the header that was read last, and that header's sequence.
    private var lastRead: (sequence: UInt64, digest: [UInt8])?

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
        guard VaultHeader.isAuthentic(headerBytes, keys) else { throw refusal(of: header, headerBytes, keys.signer()) }
        var vault = UnlockedVault(header, .vault(keys), isProven: isProven)
        vault.lastRead = (header.sequence, VaultHeader.digest(of: headerBytes))
        try vault.openGroups(headerBytes)
        return vault
    }

    /// Why a header is not that of the vault whose signatures have the public key `signer`.
    private static func refusal(of header: VaultHeader, _ bytes: [UInt8], _ signer: [UInt8]) -> VaultError {
        header.timeOfSuccession(from: signer, bytes).map { .keysReplaced($0) } ?? .corrupted(.headerAuthentication)
    }

    /// Opens one group with a group slot's own key.
    static func opening(
        _ header: VaultHeader, _ headerBytes: [UInt8], group: GroupID, slot: SlotID, ownKey: borrowing SecretBytes,
        isProven: Bool = true
    ) throws(VaultError) -> UnlockedVault {
        var vault = UnlockedVault(header, .group(group, slot, GrantKey(copying: ownKey)), isProven: isProven)
        try vault.openGroups(headerBytes)
        vault.lastRead = (header.sequence, VaultHeader.digest(of: headerBytes))
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
    /// - Throws: `corrupted`, `keysReplaced`, `noSuchSlot` when the group slot that was used is gone,
    ///   `notGranted` when its group is.
    package mutating func refresh(headerBytes: [UInt8]) throws(VaultError) {
        let newer = try VaultHeader(encoded: headerBytes)
        switch authority {
        case .vault(let keys):
            guard VaultHeader.isAuthentic(headerBytes, keys) else {
                throw Self.refusal(of: newer, headerBytes, header.signer)
            }
        case .group:
            guard newer.signer == header.signer else { throw Self.refusal(of: newer, headerBytes, header.signer) }
        }
        header = newer
        try openGroups(headerBytes)
        lastRead = (newer.sequence, VaultHeader.digest(of: headerBytes))
    }

    /// The header's bytes with a MAC; what a change of the header is followed by.
    ///
    /// - Throws: `needsVaultKey`.
    package func encodedHeader() throws(VaultError) -> [UInt8] {
        header.encoded(try vaultKeys())
    }

    /// How far the header has come.
    ///
    /// - Throws: `needsVaultKey` where it has changed since it was read.
    package func milestone() throws(VaultError) -> Milestone {
        if let lastRead, lastRead.sequence == sequence {
            return Milestone(group: nil, sequence: sequence, digest: lastRead.digest)
        }
        let bytes = header.encoded(try vaultKeys())
        return Milestone(group: nil, sequence: sequence, digest: VaultHeader.digest(of: bytes))
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
        let keys = try vaultKeys()
        return VaultHeader(vault: header.vault, sequence: 0, signer: header.signer, slots: slots, groups: [])
            .encoded(keys)
    }

    /// What is said of a backup, each with a label of its own.
    package enum BackupStatement: String, Sendable {
        /// The digest of its lines.
        case lines = "keyfob backup lines v1"
        /// The words at its beginning.
        case claim = "keyfob backup claim v1"
        /// What stands for its content.
        case content = "keyfob backup content v1"
    }

    /// The MAC of what is said of a backup under a key of the vault's: nobody else can make one.
    ///
    /// - Throws: `needsVaultKey`.
    package func authentication(
        ofBackup bytes: [UInt8], as statement: BackupStatement = .lines
    ) throws(VaultError) -> [UInt8] {
        try vaultKeys().authenticate(backup: Array(statement.rawValue.utf8) + bytes)
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
    /// again, in the transaction that writes the header. The header tells that the old key gave way to the new one.
    ///
    /// - Throws: `needsVaultKey`, `corrupted(.groupKey)`.
    /// - Returns: The keys of every group, before and after.
    package mutating func rekey(now: Timestamp) throws(VaultError) -> [(old: GroupKeys, new: GroupKeys)] {
        let (former, keys) = (try vaultKeys(), VaultKeys(vaultKey: .random(count: VaultKeys.count)))
        authority = .vault(keys)
        lastRead = nil
        header.signer = keys.signer()
        let succession = KeySuccession(
            of: header.vault, from: former, to: header.signer, sequence: header.sequence, time: now)
        header.successions = header.successions.suffix(VaultHeader.maximumSuccessions - 1) + [succession]
        header.slots = []
        for index in header.groups.indices { header.groups[index].grants = [] }
        var replaced: [(old: GroupKeys, new: GroupKeys)] = []
        for group in groups { replaced.append(try rotateKey(of: group.keys.group)) }
        return replaced
    }

    /// Notes in the header of a new vault, before it is written, that the keys of the one that it takes the place of gave way
    /// to its own: whoever holds the former key can tell that from a stranger's doing.
    ///
    /// - Throws: `needsVaultKey` where the key of either is not at hand.
    package mutating func succeed(_ former: borrowing UnlockedVault, now: Timestamp) throws(VaultError) {
        _ = try vaultKeys()
        // Those before it were said of the former vault.
        header.successions = [
            KeySuccession(
                of: header.vault, from: try former.vaultKeys(), to: header.signer, sequence: former.sequence, time: now)
        ]
    }

    /// When the keys gave way to those of a header that is in the place of this vault's own; nil where nothing shows that.
    package func timeOfSuccession(to headerBytes: [UInt8]) -> Timestamp? {
        (try? VaultHeader(encoded: headerBytes))?.timeOfSuccession(from: header.signer, headerBytes)
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
    ///
    /// - Throws: `corrupted(.headerAuthentication)` where a slot of a group knows another key than that of the header's
    ///   signature.
    private mutating func openGroups(_ headerBytes: [UInt8]) throws(VaultError) {
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
            let held: SecretBytes
            do {
                held = try own.key.withBytes { (key) throws(SodiumError) in
                    try CommittingAEAD.open(grant.groupKey, key: key, context: context, placement: .recycled)
                }
            } catch {
                throw .corrupted(.groupKey)
            }
            guard held.count == GroupEntry.Grant.keyCount else { throw .corrupted(.groupKey) }
            // Nobody but the vault's owner says which header is the vault's, whoever else has had the group's key.
            let signer = held.withBytes { [UInt8]($0.extracting(32..<GroupEntry.Grant.keyCount)) }
            guard signer == header.signer, VaultHeader.isSigned(headerBytes, by: signer) else {
                throw .corrupted(.headerAuthentication)
            }
            try open(entry, groupKey: held.extracting(0..<32, placement: .recycled))
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
