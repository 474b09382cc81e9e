internal import KeyfobAge
internal import KeyfobAgeHybrid
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobStore
internal import KeyfobVault

/// A slot that is to be made, in the vault's terms, and who keeps its key.
struct SlotToMake: ~Copyable {
    /// For whom it is.
    let slot: NewSlot
    /// The Secret Service that keeps its key; nil where that is no affair of Keyfob's.
    let keeper: SecretServiceOptions?

    init(_ slot: consuming NewSlot, keeper: SecretServiceOptions? = nil) {
        self.slot = slot
        self.keeper = keeper
    }

    /// A slot whose key, 32 random bytes, a Secret Service keeps.
    init(keptBy options: SecretServiceOptions) {
        self.init(.secretService(.random(count: 32)), keeper: options)
    }

    /// Whether it is for an age recipient, who opens backups too.
    var isForRecipient: Bool {
        switch slot {
        case .recipient: true
        case .recoveryKey: true
        default: false
        }
    }

    /// Whether it is a recovery key's.
    var isRecoveryKey: Bool {
        switch slot {
        case .recoveryKey: true
        default: false
        }
    }

    /// Has the slot's key kept, and takes it back where `body`, which writes the header, fails and the slot is not in it.
    ///
    /// - Parameters:
    ///   - folder: The vault's folder, by whose name people tell the item from others.
    ///   - place: Where the header is written; nil where that is `folder`.
    func keeping<Result>(
        as slot: SlotID, of vault: VaultID, folder: String, in place: String? = nil, _ body: () throws -> Result
    ) throws -> Result {
        guard let keeper else { return try body() }
        let kept = KeptSlotKey(vault: vault, slot: slot)
        switch self.slot {
        case .secretService(let key): try kept.store(key, folder: folder, keeper)
        default: preconditionFailure("only what the Secret Service keeps has a keeper")
        }
        do {
            return try body()
        } catch {
            // Without its slot it opens nothing.
            if Self.isMissing(slot, in: VaultDirectory(path: place ?? folder)) { try? kept.remove(keeper) }
            throw error
        }
    }

    /// Whether the vault is known not to have the slot: a change can be made and fail afterwards.
    ///
    /// A key that is kept in vain opens nothing; one that is removed in error is gone for good.
    private static func isMissing(_ slot: SlotID, in directory: VaultDirectory) -> Bool {
        do {
            let header = try VaultDatabase.open(directory).storedHeader()
            // The copy is written after the database, and may be older.
            guard !header.isFromCopy else { return false }
            return !(try VaultHeader(encoded: header.bytes).slots.contains { $0.id == slot })
        } catch StoreError.noVault {
            return true
        } catch {
            return false
        }
    }
}

extension Keyring.NewSlot {
    /// The same in the vault's terms.
    consuming func forVault() throws(KeyringError) -> SlotToMake {
        switch consume self {
        case .passphrase(let text, let memory):
            let cost = Argon2id.Cost(operations: Argon2id.Cost.standard.operations, memory: memory)
            return SlotToMake(.passphrase(NewPassphrase(text.normalizedPassphrase(), cost: cost)))
        case .keyFile(let content): return SlotToMake(.keyFile(content))
        case .recipient(let text):
            guard let recipient = AgeRecipient(parsing: text) else {
                throw KeyringError(
                    .usage, "that is not an age recipient", advice: .giveRecipient)
            }
            return SlotToMake(.recipient(recipient))
        case .recoveryKey(let text):
            guard let identity = try AgeIdentityFile.usable(in: text).only(hybrid: .swiftCrypto) else {
                throw KeyringError(.usage, "the file holds several identities, and the recovery key is one")
            }
            return SlotToMake(.recoveryKey(identity))
        case .secretService(let options): return SlotToMake(keptBy: options)
        }
    }
}
