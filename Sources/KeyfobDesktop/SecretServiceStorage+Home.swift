internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSecretService
internal import KeyfobVault

// In which collection a vault is.

extension SecretServiceStorage {
    /// The collection that holds a vault, unlocked: the one that it was made in, wherever else items of it turn up.
    ///
    /// A keyring that was never unlocked finds nothing and tells of nothing locked, so that "there is no header" is said
    /// only when nothing is locked.
    ///
    /// - Parameter known: The collection's path, as far as the vault's folder tells.
    /// - Returns: Its path, and the items with the header where they were found on the way.
    /// - Throws: ``DesktopError``, with `noItem` where the service has nothing of the vault, `damaged` where several
    ///   collections have it and nobody knows which is meant.
    static func home(of vault: VaultID, known: String? = nil, _ service: SecretService) throws -> Home {
        do {
            return try search(vault, known, service)
        } catch let error as SecretServiceError {
            throw DesktopError.service(error, partly: false)
        }
    }

    typealias Home = (collection: String, headers: [SecretService.ItemPath]?)

    private static func search(_ vault: VaultID, _ known: String?, _ service: SecretService) throws -> Home {
        let header = ItemAttributes.header(of: vault)
        if let known, let place = try? service.collection(at: known) {
            try service.unlock(place)
            let items = try service.items(header, in: known)
            if !items.isEmpty { return (known, items) }
        } else if let usual = try? service.defaultCollection(), try service.collections().allSatisfy(\.isLocked) {
            try service.unlock(usual)
        } else {
            try service.requireOpenCollection()
        }
        var found = try service.search(header, in: nil)
        let isAtHome = known.map { known in found.items.contains { $0.collection == known } } ?? !found.items.isEmpty
        if !isAtHome {
            let usual = try? known.map { path throws(SecretServiceError) in try service.collection(at: path) }
            let place = if let usual { usual } else { try service.defaultCollection() }
            if place.isLocked {
                try service.unlock(place)
                found = try service.search(header, in: nil)
            }
        }
        if found.items.isEmpty {
            guard try !service.collections().contains(where: \.isLocked) else { throw SecretServiceError.locked }
            // The header can be made again from the items of the records.
            found = try service.search(ItemAttributes.every(vault), in: nil)
            if found.items.isEmpty { found = try service.search(ItemAttributes.everyEarlier(vault), in: nil) }
        }
        guard let first = found.items.first?.collection else { throw SecretServiceError.noItem }
        let collections = Set(found.items.map(\.collection))
        let home: String
        if let known, collections.contains(known) {
            home = known
        } else if collections.count == 1 {
            home = first
        } else {
            throw StoreError.damaged(what: "the vault (several collections of the Secret Service hold it)")
        }
        if found.lockedCount > 0 { try service.unlock(home) }
        return (home, nil)
    }

    /// Makes sure that finding nothing means that there is nothing.
    ///
    /// - Throws: `locked` where the collection has been locked meanwhile, when some services find nothing.
    static func requireUnlocked(
        _ collection: String, _ service: SecretService
    ) throws(SecretServiceError) {
        if try service.collection(at: collection).isLocked { throw .locked }
    }
}

extension SecretServiceStorage {
    /// How long a process waits for another's change: the service takes long for many items.
    static var patience: Duration { .seconds(60) }

    /// Makes sure that the folder still says that the service keeps this vault.
    ///
    /// - Throws: `movedAway`.
    func requireHere() throws {
        guard try StoragePlaceFile.read(directory)?.vault == vault else { throw StoreError.movedAway }
    }
}
