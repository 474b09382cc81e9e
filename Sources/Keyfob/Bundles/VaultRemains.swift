internal import KeyfobFiles

/// What is where a vault is to be made of a backup.
public enum VaultRemains: Hashable, Sendable {
    /// Nothing of a vault.
    case none
    /// A vault that can be unlocked, as far as it shows without a key.
    case vault
    /// What is left of a vault, which no key opens.
    case damaged

    /// What is at `location`.
    ///
    /// - Parameter isAnything: Whether all that cannot be opened counts as damaged, for whoever wants it put aside.
    /// - Throws: as ``LockedKeyring/init(at:clock:)``, but where what is there can neither be opened nor mended: `damaged`
    ///   for a database that is another program's, or holds what can be taken away again.
    public init(at location: KeyringLocation, anything isAnything: Bool = false) throws(KeyringError) {
        do throws(KeyringError) {
            _ = try LockedKeyring(at: location)
            self = .vault
        } catch  where error.code == .noVault {
            let directory = VaultDirectory(path: location.vault)
            self = try KeyringError.translating { try directory.hasRemains } ? .damaged : .none
        } catch  where error.code == .damaged {
            let isMendable = error.advice == .mendSchema || error.advice == .nameVault
            guard isAnything || !isMendable else { throw error }
            self = .damaged
        }
    }
}

extension BackupFile {
    /// The newest backup of the vault at `location` that looks like a good one: a file that begins as backups do, and does
    /// not say that it is incomplete, or was made before another one was restored, unless all do.
    ///
    /// Who made it, and whether it is whole, only a recovery key shows.
    public static func newest(at location: KeyringLocation) -> BackupFile? {
        newest(at: location) { backup in
            (try? BundleFile(path: backup.path).start()).map { BundleFile.isBundle($0) } ?? false
        }
    }

    /// The newest backup of the vault at `location` that opens to its end, that the owner of its vault made, and that does
    /// not say that it is incomplete, or was made before another one was restored, unless all do.
    public static func newest(
        at location: KeyringLocation, openedBy opener: borrowing BundleOpener
    ) -> BackupFile? {
        newest(at: location) { backup in
            guard let file = try? BundleFile(path: backup.path) else { return false }
            return (try? Keyring.Bundles.verifyBackup(file, with: opener))?.isOwners ?? false
        }
    }

    /// The last backup of a vault that was made on this machine, wherever it went, if it is there.
    package static func last(of vault: String, at location: KeyringLocation) -> BackupFile? {
        guard let last = Keyring.Bundles.lastBackup(of: vault, at: location), let slash = last.path.lastIndex(of: "/")
        else { return nil }
        let name = String(last.path[last.path.index(after: slash)...])
        guard FileAccess.status(last.path, following: true)?.isRegularFile == true else { return nil }
        return BackupFile(named: name, in: String(last.path[...slash]))
    }

    private static func newest(at location: KeyringLocation, where isGood: (BackupFile) -> Bool) -> BackupFile? {
        var all = (try? all(at: location)) ?? []
        // Which vault it was is noted elsewhere, for it may be one that does not open.
        let vault = (try? KnownPlaces(state: location.state).vault(in: location.vault)) ?? nil
        if let other = vault.flatMap({ last(of: $0.description, at: location) }),
            !all.contains(where: { $0.path == other.path })
        {
            all.insert(other, at: all.firstIndex { $0.time < other.time } ?? all.endIndex)
        }
        let whole = all.filter { $0.claim?.isComplete != false }
        // What somebody went back from is not what is missed.
        return whole.filter { $0.claim?.reason != .beforeRestore }.first(where: isGood)
            ?? whole.first(where: isGood) ?? all.first(where: isGood)
    }
}

extension KeyringError {
    /// That there is no vault, with what can be made of what is left of one.
    static func noVault(at location: KeyringLocation) -> KeyringError {
        if let message = Keyring.Health.lostPlace(at: location) {
            return KeyringError(.noVault, message, advice: .repair)
        }
        let hasRemains = (try? VaultDirectory(path: location.vault).hasRemains) ?? false
        let backup = BackupFile.newest(at: location)
        guard hasRemains || backup != nil else { return KeyringError(StoreError.noVault(path: location.vault)) }
        return KeyringError(
            .noVault, "there is no vault at \(location.vault) any more, only what is left of one",
            advice: .restoreBackup(path: backup?.path, putsAside: false))
    }
}
