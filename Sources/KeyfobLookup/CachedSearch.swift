internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobVault

/// A vault that was opened for one question, by a program that ends then.
struct CachedSearch: ~Copyable {
    let search: TokenSearch
    var lookup: LookupState

    /// Opens the vault; the parameters are those of ``CachedToken/answer(_:in:vault:state:key:now:projectFiles:isLast:)``.
    init(
        in vault: String, state: String, key: consuming CachedToken.Key, now: Timestamp,
        projectFiles: ProjectFileAccess, isLast: Bool
    ) throws(CachedToken.Miss) {
        let directory = VaultDirectory(path: vault)
        let found: FoundVault
        do {
            try KnownPlaces(state: state).requireOwn()
            found = try FoundVault(in: directory) { directory throws(StorageFailure) in
                try VaultDatabaseReader(plain: directory)
            }
        } catch {
            throw .unopened(error)
        }
        guard case .embedded(let storage, let stored) = found else { throw .keptElsewhere }
        guard !stored.isFromCopy else { throw .warnings([]) }
        if isLast { _ = unsafe Unmanaged.passRetained(storage) }
        let unlocked = try Self.unlock(stored, in: vault, state: state, with: key)
        // Where nothing was ever chosen, that is all there is to look at.
        let isUsed = FileAccess.status(directory.usage, following: false) != nil
        search = TokenSearch(
            storage: storage, history: isUsed ? nil : TokenSearch.PastEvents.none,
            mark: HighWaterMark(state: state, vault: unlocked.header.vault), projectFiles: projectFiles,
            providerHosts: nil, time: { now })
        lookup = LookupState(opening: unlocked, in: storage, search.mark, warnings: [], now: now)
    }

    private static func unlock(
        _ stored: StoredHeader, in vault: String, state: String, with key: consuming CachedToken.Key
    ) throws(CachedToken.Miss) -> UnlockedVault {
        let locked: LockedVault
        do { locked = try stored.locked() } catch { throw .unopened(error.onTheWay) }
        let known = try? KnownPlaces(state: state).vault(in: vault)
        guard let known else { throw .unknown }
        guard known == locked.header.vault else { throw .replaced }
        switch consume key {
        case .keyFile(let content):
            do { return try locked.unlock(with: .keyFile(content)) } catch { throw .unopened(error.onTheWay) }
        case .session(let runtime):
            let cache = SessionCache(vault: locked.header.vault, runtime: runtime)
            guard let cached = cache.read() else {
                throw .locked(isOpenedByDesktop: locked.header.slots.contains { $0.kind == .secretService })
            }
            do { return try locked.unlock(with: cached) } catch { throw .unopened(error.onTheWay) }
        }
    }
}
