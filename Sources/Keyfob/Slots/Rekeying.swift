internal import KeyfobAge
internal import KeyfobAgeHybrid
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

/// A vault that is about to get a new key, and each of its groups too; nothing is written before ``commit(handingOver:progress:)``.
///
/// Recipients are kept by their public keys, and the desktop's keyring where it opens the vault now. What else is to open
/// the vault has to be given again.
public struct Rekeying: ~Copyable {
    /// The slots of the whole vault that open it no more, as things are; those of recovery keys are not among them.
    public private(set) var lost: [Keyring.Slot] = []
    /// The slots of recovery keys, in whose place one new recovery key comes.
    public let replaced: [Keyring.Slot]
    /// The slots of single groups: all of them go.
    public let grants: [Keyring.Slot]
    /// Whether a slot is kept beside the recovery key's.
    public var keepsAnother: Bool { !made.isEmpty || keeper != nil }

    private let keyring: Keyring
    /// The header as it is.
    private let before: VaultHeader
    private let sequence: UInt64
    private var vault: UnlockedVault
    private let keys: [(old: GroupKeys, new: GroupKeys)]
    /// The slots that are kept, each with the place of the one that it comes from.
    private var made: [(rank: Int, slot: KeySlot)] = []
    /// Who keeps the key of a slot, where the desktop's keyring opens the vault.
    private let keeper: SecretServiceOptions?
    private let keptItems: [KeptSlotKey]

    private init(
        _ keyring: Keyring, _ current: borrowing UnlockedVault, rekeyed: consuming UnlockedVault,
        _ keys: [(old: GroupKeys, new: GroupKeys)], _ keeper: SecretServiceOptions?, opening: Set<String>
    ) {
        self.keyring = keyring
        before = current.header
        sequence = current.sequence
        let slots = current.slotSummaries.map(Keyring.Slot.init)
        grants = slots.filter { $0.group != nil }
        replaced = slots.filter(\.isRecoveryKey)
        lost = slots.filter { $0.group == nil && !$0.isRecoveryKey && !opening.contains($0.id) }
        vault = rekeyed
        self.keys = keys
        self.keeper = opening.isEmpty ? nil : keeper
        keptItems = before.secretServiceSlots.filter { opening.contains($0.short) }
            .map { KeptSlotKey(vault: current.header.vault, slot: $0) }
    }

    static func begin(
        _ keyring: Keyring, _ current: borrowing UnlockedVault, _ secretService: SecretServiceOptions?
    ) throws -> Rekeying {
        var opening: Set<String> = []
        if let secretService, !current.header.secretServiceSlots.isEmpty {
            let items = try LockedKeyring(at: keyring.location).secretServiceItems(secretService)
            opening = Set(items.filter { $0.state == .opens }.map(\.slot))
        }
        var rekeyed = current.copy()
        let keys = try rekeyed.rekey(now: keyring.clock.now)
        var rekeying = Rekeying(keyring, current, rekeyed: rekeyed, keys, secretService, opening: opening)
        for slot in current.header.slots {
            guard case .recipient(let publicKey, _, nil) = slot.lock, let recipient = AgeRecipient(publicKey: publicKey)
            else { continue }
            try rekeying.add(.recipient(recipient), inPlaceOf: slot)
        }
        return rekeying
    }

    /// Keeps the slot that a key file opens.
    ///
    /// - Throws: `wrongKey` where it opens none that is not kept already, `limitExceeded`.
    public mutating func keep(keyFile content: consuming SecretBytes) throws(KeyringError) {
        let offered = SlotKey.keyFile(content.withBytes { SecretBytes(copying: $0) })
        let opened = try KeyringError.translating { [before] in try before.slot(openedBy: offered) }
        guard let slot = opened, lost.contains(where: { $0.id == slot.id.short }) else {
            throw KeyringError(.wrongKey, "it opens no slot of the vault that is to be kept", advice: .listSlots)
        }
        try add(.keyFile(content), inPlaceOf: slot)
    }

    /// Keeps a slot that a passphrase opens, or puts another passphrase into the place of one; where there was none,
    /// makes one.
    ///
    /// - Throws: `limitExceeded`, `unavailable` where there is not enough memory.
    public mutating func keep(passphrase: consuming SecretBytes) throws(KeyringError) {
        let text = passphrase.normalizedPassphrase()
        let offered = SlotKey.passphrase(text.withBytes { SecretBytes(copying: $0) })
        let header = before
        let opened = try KeyringError.translating { try keyring.slots.inTurn { try header.slot(openedBy: offered) } }
        let isLost = { [lost] (slot: KeySlot) in lost.contains { $0.id == slot.id.short } }
        let old =
            opened.flatMap { isLost($0) ? $0 : nil } ?? before.slots.first { $0.kind == .passphrase && isLost($0) }
        var cost = Argon2id.Cost.standard
        if case .passphrase(_, let known, _)? = old?.lock { cost = known }
        try add(.passphrase(NewPassphrase(text, cost: cost)), inPlaceOf: old)
    }

    private mutating func add(_ new: borrowing NewSlot, inPlaceOf old: KeySlot?) throws(KeyringError) {
        let rank = old.flatMap { before.slots.firstIndex(of: $0) } ?? before.slots.count
        let (keyring, now) = (keyring, keyring.clock.now)
        let slot: KeySlot
        do {
            let turn = try FileLock(keyring.database.directory.lock)
            slot = try vault.sealedSlot(for: new, now: now)
            _ = consume turn
        } catch {
            throw KeyringError(error)
        }
        made.append((rank, slot))
        lost.removeAll { $0.id == old?.id.short }
    }

    /// Gives the vault its new keys: in one step, which leaves the old state or the new one whatever happens.
    ///
    /// - Parameters:
    ///   - handOver: Takes the new recovery key, the text of an age identity, before anything is written, so that it
    ///     cannot be lost with a crash. What it throws stops everything.
    ///   - progress: Called with the number of records done and of all.
    /// - Throws: `busy` where the vault has changed since this began, or a token is being refreshed for long, `damaged` when not every record opens,
    ///   `limitExceeded` for more than 16 slots, and what writing can throw; the vault is as it was then.
    public consuming func commit(
        handingOver handOver: (borrowing SecretBytes) throws(KeyringError) -> Void,
        progress: @escaping (Int, Int) -> Void = { _, _ in }
    ) throws(KeyringError) -> Rekeyed {
        // What a provider answers to the former keys' holders is to be stored with them.
        let pause = try keyring.slots.pauseOfRefreshes()
        let recovery = AgeIdentity.generateHybrid()
        let text = recovery.text()
        let new = keeper.map { _ in SecretBytes.random(count: 32) }
        var serviceSlot: SlotID?
        do {
            for (_, slot) in made.sorted(by: { $0.rank < $1.rank }) { _ = try vault.addSlot(slot) }
            switch new {
            case .some(let key):
                let copy = key.withBytes { SecretBytes(copying: $0) }
                serviceSlot = try vault.addSlot(.secretService(copy), now: keyring.clock.now)
            case .none: break
            }
            _ = try vault.addSlot(.recoveryKey(recovery), now: keyring.clock.now)
        } catch {
            throw KeyringError(error)
        }
        try handOver(text)
        let files = keyring.slots.filesOfOldState()
        let count: Int
        if let serviceSlot, let key = new, let keeper {
            let (id, folder) = (vault.header.vault, keyring.location.vault)
            let slot = SlotToMake(.secretService(key), keeper: keeper)
            count = try keyring.slots.rekey(vault, from: sequence, keys, progress) { write in
                try slot.keeping(as: serviceSlot, of: id, folder: folder, write)
            }
        } else {
            count = try keyring.slots.rekey(vault, from: sequence, keys, progress) { try $0() }
        }
        keyring.undo.note(.rekeyed, as: "rekey")
        keyring.slots.forgetOldKeys(keptItems, keeper)
        _ = consume pause
        let backup = keyring.slots.backupOfNewState()
        return Rekeyed(
            records: count, slots: try keyring.slots.list(), removed: lost, grants: grants,
            oldFiles: keyring.slots.stillOpening(before, files), backup: backup)
    }
}

/// What a vault is like that has got new keys.
public struct Rekeyed: Hashable, Sendable {
    /// How many records were sealed again.
    public let records: Int
    /// The ways to unlock it.
    public let slots: [Keyring.Slot]
    /// Those of the whole vault that are no more, without the old recovery key's.
    public let removed: [Keyring.Slot]
    /// Those of single groups, which are no more either.
    public let grants: [Keyring.Slot]
    /// Files in the vault's folder that the old keys still open: what the vault held before.
    public let oldFiles: [String]
    /// The backup that was made for the new recovery key; nil where none could be made, which is a warning.
    public let backup: String?
}
