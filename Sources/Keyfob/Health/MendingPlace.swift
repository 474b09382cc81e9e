internal import KeyfobDesktop
internal import KeyfobFiles
internal import KeyfobSecretService
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

    /// Whether that file is gone: the folder has no vault, and the one that was unlocked in it last was kept by the Secret
    /// Service.
    static func lacksPlace(at location: KeyringLocation) -> Bool {
        let directory = VaultDirectory(path: location.vault)
        guard directory.lacksDatabase, (try? StoragePlaceFile.require(.embedded, directory)) != nil,
            let vault = (try? KnownPlaces(state: location.state).vault(in: location.vault)) ?? nil
        else { return false }
        return HeaderItemNote(state: location.state, vault: vault).place != nil
    }

    /// That this file is gone, for people; nil where it is not.
    static func lostPlace(at location: KeyringLocation) -> String? {
        guard lacksPlace(at: location) else { return nil }
        return "\(VaultDirectory(path: location.vault).storage) is gone, which says that the Secret Service keeps the "
            + "records of this vault"
    }

    /// What was done to the file that says where the records lie.
    public enum MendedPlace: Hashable, Sendable {
        /// It was damaged, and lies at this path now.
        case putAside(String)
        /// It was gone.
        case writtenAgain
    }

    /// Writes the file anew that says that the Secret Service keeps the records, where it is damaged or gone: for the vault
    /// that was unlocked in this folder last, and only where the service has it.
    ///
    /// Where the file is gone and the service has nothing of that vault, it is forgotten that it was kept there.
    ///
    /// - Returns: What was done; nil where nothing is wrong with the file.
    /// - Throws: `noVault` where nobody knows which vault it was, or the service has none of it; `locked`, `unavailable`,
    ///   `busy`, `inputOutput`. Nothing else has changed then.
    public static func mendPlace(
        at location: KeyringLocation, secretService: SecretServiceOptions
    ) throws(KeyringError) -> MendedPlace? {
        let isGone = lacksPlace(at: location)
        guard isGone || hasDamagedPlace(at: location) else { return nil }
        return try KeyringError.translating {
            let directory = VaultDirectory(path: location.vault)
            guard let vault = try KnownPlaces(state: location.state).vault(in: location.vault) else {
                throw StoreError.noVault(path: location.vault)
            }
            let place: StoragePlaceFile
            do {
                place = try SecretServiceStorage.find(vault, secretService.access)
            } catch DesktopError.service(.noItem, let partly) {
                if isGone { HeaderItemNote(state: location.state, vault: vault).forget() }
                throw DesktopError.service(.noItem, partly: partly)
            }
            try directory.createFolder()
            let turn = try FileLock(directory.recordsLock, orBusyAfter: .seconds(5))
            let mended: MendedPlace
            if isGone {
                // Whoever has made a vault here meanwhile keeps it.
                guard directory.lacksDatabase else { throw StoreError.alreadyThere(path: directory.database) }
                try place.writeNew(directory)
                mended = .writtenAgain
            } else {
                try POSIXFile.createDirectories(directory.quarantine)
                // It is never away, or nobody would know of the vault.
                let aside = try POSIXFile.unusedName(directory.quarantine + "/storage")
                try POSIXFile.replace(aside, with: try POSIXFile.read(directory.storage, limit: 1 << 20) ?? [])
                try place.write(directory)
                mended = .putAside(aside)
            }
            _ = consume turn
            return mended
        }
    }
}

extension Keyring.Health {
    /// Whether the item that lists the groups of a vault which the Secret Service keeps cannot be read, and a repair makes it
    /// again from the others.
    ///
    /// It never asks a person, whatever the options say.
    public static func hasDamagedHeader(
        at location: KeyringLocation, secretService: SecretServiceOptions
    ) -> Bool {
        var silent = secretService
        silent.mayPrompt = false
        let directory = VaultDirectory(path: location.vault)
        guard let place = (try? StoragePlaceFile.read(directory)) ?? nil else { return false }
        return (try? SecretServiceStorage.hasDamagedHeader(place, in: directory, silent.access)) ?? false
    }

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
