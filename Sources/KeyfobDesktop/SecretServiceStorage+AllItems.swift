package import KeyfobModel
package import KeyfobSecretService
internal import KeyfobVault

// Every item of a vault, in whatever collection: what nobody asks for but to be rid of it.

extension SecretServiceStorage {
    /// The collections that have a vault's header and are unlocked.
    package static func openCollections(
        of vault: VaultID, _ service: SecretService
    ) throws(SecretServiceError) -> Set<String> {
        try service.openCollections(with: ItemAttributes.header(of: vault))
    }

    /// Every item of a vault, in whatever collection, the header's first.
    static func items(
        of vault: VaultID, _ service: SecretService
    ) throws(SecretServiceError) -> [SecretService.ItemPath] {
        try service.search(ItemAttributes.header(of: vault), in: nil).items + records(of: vault, service)
    }

    /// The items with a vault's records, in whatever collection, those of earlier versions too.
    static func records(
        of vault: VaultID, _ service: SecretService
    ) throws(SecretServiceError) -> [SecretService.ItemPath] {
        try service.search(ItemAttributes.every(vault), in: nil).items
            + service.search(ItemAttributes.everyEarlier(vault), in: nil).items
    }

    /// The same, in the vault's collection.
    func recordItems() throws -> [SecretService.ItemPath] {
        try search(ItemAttributes.every(vault)) + search(ItemAttributes.everyEarlier(vault))
    }

    func allItems() throws -> [SecretService.ItemPath] {
        try withService { service, _ in try Self.items(of: vault, service) }
    }

    /// How many items the vault has, in whatever collection.
    package func itemCount() throws -> Int { try allItems().count }

    /// Removes every item of the vault, in whatever collection, the header's first.
    ///
    /// - Returns: How many items went.
    package func removeEverything(progress: (Int, Int) -> Void = { _, _ in }) throws -> Int {
        let items = try allItems()
        for (done, item) in items.enumerated() {
            MigrationObservation.willTake(.item)
            try remove(item)
            progress(done + 1, items.count)
        }
        return items.count
    }
}
