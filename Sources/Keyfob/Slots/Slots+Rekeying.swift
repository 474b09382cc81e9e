internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobVault
internal import Synchronization

extension Keyring.Slots {
    /// Begins to give the vault a new key, and every group too, so that whoever has kept the old ones, or a way to unlock
    /// that is no more, opens nothing of it from then on.
    ///
    /// - Parameter secretService: How to reach the Secret Service, for a slot whose key it keeps.
    /// - Throws: `needsVaultKey`, `notOffered`, `newerVersion`, `damaged` when records are missing or do not belong.
    public func beginRekey(secretService: SecretServiceOptions? = nil) throws(KeyringError) -> Rekeying {
        guard !keyring.isReadOnly else {
            throw KeyringError(
                .newerVersion, "a newer Keyfob wrote the vault, so that this one only reads it",
                advice: .update(isReadable: true))
        }
        var rekeying: Rekeying?
        do {
            try keyring.state.withLock { state in
                guard state.vault.opensWholeVault else { throw VaultError.needsVaultKey }
                try requireEmbedded("keys open nothing")
                try database.refresh(&state.vault)
                for group in state.vault.groups { try database.requireComplete(group.keys) }
                rekeying = try Rekeying.begin(keyring, state.vault, secretService)
            }
        } catch {
            throw KeyringError(error)
        }
        guard let rekeying = rekeying.take() else { throw KeyringError(.fault, "nothing was begun") }
        return rekeying
    }

    /// Waits until no token is being refreshed.
    ///
    /// - Throws: `busy`, and what opening the file of locks can throw.
    func pauseOfRefreshes() throws(KeyringError) -> RefreshPause {
        do {
            return try RefreshPause(database.directory)
        } catch StoreError.busy {
            throw KeyringError(.busy, "a token is being refreshed", advice: .tryAgain(.nothingChanged))
        } catch {
            throw KeyringError(error)
        }
    }

    /// Writes a vault with new keys.
    ///
    /// - Parameter around: Calls what writes it, and does what belongs before and after.
    func rekey(
        _ rekeyed: borrowing UnlockedVault, from sequence: UInt64, _ keys: [(old: GroupKeys, new: GroupKeys)],
        _ progress: @escaping (Int, Int) -> Void, around: (() throws -> Int) throws -> Int
    ) throws(KeyringError) -> Int {
        // Of the keys that seal it the new vault knows nothing.
        let known = keyring.sync.knownState()
        let count: Int
        do {
            count = try keyring.state.withLock { state in
                let count = try around {
                    try database.rekey(rekeyed, from: sequence, keys: keys, progress: progress)
                }
                state.vault = rekeyed.copy()
                noteVault(&state)
                return count
            }
        } catch StoreError.staleKeys {
            throw KeyringError(
                .busy, "the vault's groups or ways to unlock have changed meanwhile", advice: .tryAgain(.nothingChanged)
            )
        } catch {
            throw KeyringError(error, hasChanged: database.hasChanged, in: database.directory)
        }
        if let known { try? keyring.sync.keepLeft(known) }
        return count
    }

    /// Forgets what kernel keyrings and the desktop's keyring have of the old keys, as far as that is in reach.
    func forgetOldKeys(_ items: [KeptSlotKey], _ keeper: SecretServiceOptions?) {
        let vault = keyring.state.withLock { $0.vault.header.vault }
        keyring.uses.forgetOldKeys()
        _ = try? SessionCache(vault: vault, runtime: location.runtime).remove()
        KeptSlotKeys(keys: items, keeper: keeper).forget()
    }

    /// A backup of the vault as it is now, for the new recovery key; where none can be made, a warning.
    func backupOfNewState() -> String? {
        keyring.state.withLock { state in
            do {
                return try keyring.bundles.makeBackup(&state, .afterRekey).path
            } catch {
                state.warn(
                    Warning(.noBackup, "no backup with the new keys was made: \(KeyringError(error).message)"))
                return nil
            }
        }
    }

    /// The files in the vault's folder that hold its present state, or an earlier one, beside the database.
    func filesOfOldState() -> [String] {
        let directory = database.directory
        let live = [directory.database, directory.database + "-journal", directory.headerCopy]
        func files(in folder: String) -> [String] {
            ((try? POSIXFile.names(in: folder)) ?? []).sorted().map { "\(folder)/\($0)" }
        }
        let copies = files(in: directory.path).filter { file in
            !live.contains(file) && live.contains { file.hasPrefix($0) }
        }
        return copies + files(in: directory.backups) + files(in: directory.quarantine) + keyring.uses.files
    }

    /// Those of `files` that are still there, and the copy of the header where it is still the one of `before`.
    func stillOpening(_ before: VaultHeader, _ files: [String]) -> [String] {
        let copy = database.directory.headerCopy
        let bytes = try? POSIXFile.read(copy, limit: VaultHeader.maximumCount)
        let isOld = (bytes ?? nil).flatMap { try? VaultHeader(encoded: $0) } == before
        return (isOld ? [copy] : []) + files.filter { (try? POSIXFile.status($0)) != nil }
    }
}
