package import KeyfobSodium

extension SecretService {
    /// Stores a slot's key as a new item of the default collection, which is unlocked first, and reads it back.
    ///
    /// Where that fails, the item is deleted again, as far as that is possible.
    ///
    /// - Throws: as ``defaultCollection()``, ``unlock(_:)-(String)`` and ``create(label:attributes:secret:in:)``;
    ///   `damaged` when another key came back.
    package func storeSlotKey(
        _ key: borrowing SecretBytes, vault: String, slot: String, label: String
    ) throws(SecretServiceError) {
        precondition(key.count == SlotItem.keyLength, "a slot's key has 32 bytes")
        let collection = try defaultCollection()
        try unlock(collection)
        let attributes = SlotItem(vault: vault, slot: slot).attributes
        let item = try create(label: label, attributes: attributes, secret: key, in: collection.path)
        do throws(SecretServiceError) {
            guard try secret(of: item).isEqual(to: key) else { throw .damaged }
        } catch {
            try? delete(item)
            throw error
        }
    }

    /// Hands over every key that is stored for a slot, until `body` says that it was the right one.
    ///
    /// Several items can have the same attributes: copies, or what another program put there.
    ///
    /// - Returns: How many items there are.
    /// - Throws: `noItem` when there is none; `locked`, `promptDismissed` when one cannot be read, which may
    ///   have been the right one; `damaged` when none is a slot's key; what `body` throws.
    @discardableResult
    package func slotKeys(
        vault: String, slot: String, _ body: (borrowing SecretBytes) throws -> Bool
    ) throws -> Int {
        let items = try slotItems(SlotItem(vault: vault, slot: slot))
        var failure: SecretServiceError?
        var hasKey = false
        for item in items {
            switch slotKey(of: item) {
            case .success(let key):
                hasKey = true
                if try body(key) { return items.count }
            case .failure(let error):
                // The others may do; what is said in the end is the first that was more than a stray item.
                if failure.map(Self.isOfStrayItem) ?? true { failure = error }
            }
        }
        if let failure, !Self.isOfStrayItem(failure) { throw failure }
        if !hasKey { throw failure ?? .noItem }
        return items.count
    }

    /// Deletes every item that is stored for a slot.
    ///
    /// - Throws: `noItem` when there is none; `locked`; `needsPrompt` and `promptDismissed` where the service asks first.
    package func removeSlotKey(vault: String, slot: String) throws(SecretServiceError) {
        for item in try slotItems(SlotItem(vault: vault, slot: slot)) { try delete(item) }
    }

    /// The collections in which a slot has items that are unlocked.
    package func openCollections(ofSlot slot: String, vault: String) throws(SecretServiceError) -> Set<String> {
        try openCollections(with: SlotItem(vault: vault, slot: slot).attributes)
    }

    /// Whether an item that fails so cannot be the right one.
    private static func isOfStrayItem(_ error: SecretServiceError) -> Bool { error == .damaged || error == .noItem }

    private func slotKey(of item: ItemPath) -> Result<SecretBytes, SecretServiceError> {
        do throws(SecretServiceError) {
            let key = try secret(of: item)
            return key.count == SlotItem.keyLength ? .success(key) : .failure(.damaged)
        } catch {
            return .failure(error)
        }
    }

    /// The items of a slot, unlocked.
    private func slotItems(_ slot: SlotItem) throws(SecretServiceError) -> [ItemPath] {
        try unlockDefault()
        let (unlocked, locked) = try searchByLock(slot.attributes, in: nil)
        if unlocked.isEmpty { try unlock(locked) }
        guard !unlocked.isEmpty || !locked.isEmpty else { throw .noItem }
        return unlocked + locked
    }
}
