internal import Glibc
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobVault
internal import Synchronization

// Which vault a folder had is kept outside the vault: the file alone says nothing of who put it there.

extension LockedKeyring {
    /// Makes sure that the folder has the vault that it had when it was last unlocked on this machine.
    ///
    /// - Throws: `unknownVault`.
    func requireSamePlace() throws(KeyringError) {
        let known = try? KnownPlaces(state: location.state).vault(in: location.vault)
        guard let known, known != header.vault else { return }
        throw KeyringError(
            .unknownVault, "the vault in \(location.vault) is not the one that was there before (\(known))",
            advice: .acceptVault(isReplaced: true))
    }

    /// What lies in the folder by now, where the owner has put another vault in the place of the one that was found here; nil where
    /// it is the one that was there before.
    ///
    /// - Throws: `unknownVault` where it is neither.
    func successor() throws(KeyringError) -> LockedKeyring? {
        do throws(KeyringError) {
            try requireSamePlace()
            return nil
        } catch {
            // For a moment there is none, until the new one is in its place.
            for _ in 0..<50 {
                if let newer = try? LockedKeyring(at: location, clock: clock) {
                    guard newer.header.vault != header.vault else { throw error }
                    return newer
                }
                usleep(10_000)
            }
            throw error
        }
    }

    /// Makes sure that a vault is the owner's, which a slot for a public key does not show.
    ///
    /// - Throws: `unknownVault`.
    static func requireProof(_ vault: borrowing UnlockedVault, _ location: KeyringLocation) throws(KeyringError) {
        guard !vault.isProven, !HighWaterMark(state: location.state, vault: vault.header.vault).isKnown else { return }
        throw KeyringError(
            .unknownVault,
            "nothing shows that the vault in \(location.vault) is yours: anybody can write one for a public key",
            advice: .acceptVault(isReplaced: false))
    }
}

extension Keyring {
    /// Makes sure that nobody else writes where it is remembered what was seen of a vault, and where git works.
    ///
    /// - Throws: `configuration`.
    static func requireOwnState(_ location: KeyringLocation) throws(KeyringError) {
        do {
            try KnownPlaces(state: location.state).requireOwn()
        } catch {
            throw KeyringError(error)
        }
    }

    /// Takes the vault at `location` for the owner's from now on, because they say so.
    ///
    /// - Throws: as ``LockedKeyring/init(at:clock:)``, and what writing can throw.
    public static func acceptVault(at location: KeyringLocation) throws(KeyringError) {
        let vault = try LockedKeyring(at: location).header.vault
        try KeyringError.translating {
            try KnownPlaces(state: location.state).note(vault, in: location.vault)
            let mark = HighWaterMark(state: location.state, vault: vault)
            if !mark.isKnown {
                let nothing = Milestone(group: nil, sequence: 0, digest: nil)
                _ = try mark.accept([nothing], isAll: false, now: WallClock.system.now)
            }
        }
    }

    /// Where else on this machine this vault was unlocked, and is there still: copies of it.
    public var otherPlaces: [String] {
        let vault = state.withLock { $0.vault.header.vault }
        let folders = (try? KnownPlaces(state: location.state).folders(of: vault)) ?? []
        let own = FileAccess.realPath(location.vault)
        return folders.filter { folder in
            let found = FileAccess.realPath(VaultDirectory(path: folder).database) != nil
            return folder.hasPrefix("/") && found && FileAccess.realPath(folder) != own
        }.sorted()
    }

    /// Takes note of which vault the folder has; where that fails, another one in its place would go unnoticed.
    func notePlace() {
        do {
            try KnownPlaces(state: location.state).note(state.withLock { $0.vault.header.vault }, in: location.vault)
        } catch {
            state.withLock {
                $0.warn(
                    Warning(.notNoted, "which vault is in \(location.vault) could not be noted in \(location.state)"))
            }
        }
    }
}
