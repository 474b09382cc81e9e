internal import KeyfobModel
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

/// Looks in the Secret Service for the keys of a vault's slots.
struct SlotKeySearch {
    /// The header that the slots are in; nothing in it is authentic yet.
    let headerBytes: [UInt8]
    let vault: VaultID
    let service: SecretService

    /// What was found for one slot.
    enum Outcome: ~Copyable {
        /// One of the items opens the vault.
        case opened(UnlockedVault, items: Int)
        /// None of the items does.
        case foreign(items: Int, VaultError)
        /// There was nothing to look at.
        case failed(SecretServiceError)
    }

    /// Tries the items of a slot until one opens the vault, and counts them all.
    func outcome(of slot: SlotID) -> Outcome {
        var opened: UnlockedVault?
        var refusal = VaultError.wrongKey
        var found: Int?
        do {
            found = try service.slotKeys(vault: vault.description, slot: slot.description) { key in
                do throws(VaultError) {
                    let copy = key.withBytes { SecretBytes(copying: $0) }
                    opened = try LockedVault(headerBytes: headerBytes).unlock(with: .secretService(copy))
                    return true
                } catch .wrongKey {
                    // Somebody else's item; another may be the right one.
                } catch {
                    refusal = error
                }
                return false
            }
        } catch SecretServiceError.damaged {
            // Nothing like a key is in any of them.
        } catch let error as SecretServiceError {
            return .failed(error)
        } catch {
            return .failed(.refused("\(type(of: error))"))
        }
        let items = found ?? count(slot)
        if let opened { return .opened(opened, items: items) }
        return .foreign(items: items, refusal)
    }

    private func count(_ slot: SlotID) -> Int {
        let item = SlotItem(vault: vault.description, slot: slot.description)
        return (try? service.search(item.attributes, in: nil).items.count) ?? 1
    }
}

extension KeyringError {
    /// The Secret Service has an item for the slot, and it is not the slot's key.
    init(foreignItemOf slot: SlotID, _ error: VaultError) {
        guard error == .wrongKey else {
            self.init(error)
            return
        }
        self.init(
            .wrongKey,
            "the item that the desktop's keyring (Secret Service) holds for slot \(slot.short) does not open the vault: "
                + "it was changed, or is not Keyfob's",
            advice: .unlockOtherwise)
    }
}
