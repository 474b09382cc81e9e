internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault
internal import Synchronization

/// The item of the Secret Service that keeps the key of one slot.
struct KeptSlotKey {
    let vault: VaultID
    let slot: SlotID

    /// Stores the key, in the default collection.
    ///
    /// - Parameter folder: The vault's folder, by whose name people tell the item from others.
    /// - Throws: `unavailable`, `locked`, `cancelled`.
    func store(
        _ key: borrowing SecretBytes, folder: String, _ options: SecretServiceOptions
    ) throws(KeyringError) {
        let service = try options.connected()
        do {
            try service.storeSlotKey(
                key, vault: vault.description, slot: slot.description, label: Self.label(folder: folder))
        } catch .damaged {
            // Something else came back than was stored: the service is of no use for this.
            throw KeyringError(.unavailable, "the Secret Service does not keep what it is given")
        } catch {
            throw KeyringError(error)
        }
    }

    /// Removes every item of the slot; there may be none.
    ///
    /// - Throws: `unavailable`, `locked`, `cancelled`.
    func remove(_ options: SecretServiceOptions) throws(KeyringError) {
        let service = try options.connected()
        do {
            try service.removeSlotKey(vault: vault.description, slot: slot.description)
        } catch .noItem {
            return
        } catch {
            throw KeyringError(error)
        }
    }

    /// What people see in the desktop's keyring.
    static func label(folder: String) -> String {
        let name = folder.split(separator: "/").last.map(String.init) ?? folder
        return "Keyfob: unlocks \(name)"
    }
}

/// The keys that a Secret Service keeps for a vault that may yet come to nothing.
struct KeptSlotKeys {
    let keys: [KeptSlotKey]
    let keeper: SecretServiceOptions?

    /// Removes them, as far as that is possible.
    func forget() {
        guard let keeper else { return }
        for key in keys { try? key.remove(keeper) }
    }
}

extension Keyring.Slots {
    /// The keys of its slots that `keeper` keeps.
    func keptSlotKeys(by keeper: SecretServiceOptions?) -> KeptSlotKeys {
        keyring.state.withLock { state in
            let header = state.vault.header
            return KeptSlotKeys(
                keys: header.secretServiceSlots.map { KeptSlotKey(vault: header.vault, slot: $0) }, keeper: keeper)
        }
    }
}

extension Keyring.NewSlot {
    /// The Secret Service that is to keep the slot's key; nil for other slots.
    var keeper: SecretServiceOptions? {
        switch self {
        case .secretService(let options): options
        case .passphrase: nil
        case .keyFile: nil
        case .recipient: nil
        case .recoveryKey: nil
        }
    }
}
