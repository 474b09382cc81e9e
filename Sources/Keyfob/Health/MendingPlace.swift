internal import KeyfobDesktop
internal import KeyfobFiles
internal import KeyfobVault

extension Keyring.Health {
    /// Whether the file in the vault's folder that says where the records lie is damaged.
    public static func hasDamagedPlace(at location: KeyringLocation) -> Bool {
        do {
            _ = try StoragePlaceFile.read(VaultDirectory(path: location.vault))
            return false
        } catch StoreError.damaged {
            return true
        } catch {
            return false
        }
    }

    /// Writes the file anew that says that the Secret Service keeps the records, where it is damaged: for the vault that was
    /// unlocked in this folder last, and only where the service has it.
    ///
    /// - Returns: Where the damaged file is now; nil where nothing is wrong with it.
    /// - Throws: `noVault` where nobody knows which vault it was, or the service has none of it; `locked`, `unavailable`,
    ///   `busy`, `inputOutput`. Nothing has changed then.
    public static func mendPlace(
        at location: KeyringLocation, secretService: SecretServiceOptions
    ) throws(KeyringError) -> String? {
        guard hasDamagedPlace(at: location) else { return nil }
        return try KeyringError.translating {
            let directory = VaultDirectory(path: location.vault)
            guard let vault = try KnownPlaces(state: location.state).vault(in: location.vault) else {
                throw StoreError.noVault(path: location.vault)
            }
            let place = try SecretServiceStorage.find(vault, secretService.access)
            let turn = try FileLock(directory.recordsLock, orBusyAfter: .seconds(5))
            try POSIXFile.createDirectories(directory.quarantine)
            // It is never away, or nobody would know of the vault.
            let aside = try POSIXFile.unusedName(directory.quarantine + "/storage")
            try POSIXFile.replace(aside, with: try POSIXFile.read(directory.storage, limit: 1 << 20) ?? [])
            try place.write(directory)
            _ = consume turn
            return aside
        }
    }
}

extension Keyring.Health {
    /// Puts the item aside that lists the groups of a vault which the Secret Service keeps, where it cannot be read.
    ///
    /// It is made again when the vault is opened. What was put aside is there still, under a label that says so.
    ///
    /// - Returns: What the owner can find it by; empty where nothing had to be done, or the records lie elsewhere.
    /// - Throws: as opening does.
    public static func putDamagedHeaderAside(
        at location: KeyringLocation, secretService: SecretServiceOptions
    ) throws(KeyringError) -> [String] {
        try KeyringError.translating {
            let directory = VaultDirectory(path: location.vault)
            guard let place = try StoragePlaceFile.read(directory) else { return [] }
            return try SecretServiceStorage.putDamagedHeaderAside(place, in: directory, secretService.access)
        }
    }
}
