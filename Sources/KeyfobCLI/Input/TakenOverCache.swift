internal import Keyfob
internal import KeyfobFiles

/// A token cache that is to lose its refresh tokens, because the vault has them now.
struct TakenOverCache {
    private let path: String
    private let mode: UInt32

    /// The cache at `path`, which holds `cache`.
    ///
    /// - Throws: `usage` for what is no file of the caller's own, or no cache of MSAL.
    init(_ path: String, _ cache: borrowing SecretBytes) throws(KeyringError) {
        guard Keyring.CacheFormat(recognizing: cache) == .msal else {
            throw KeyringError(.usage, "--take-over is for caches of MSAL: others are not written")
        }
        guard path != "-", let status = FileAccess.status(path, following: false), status.isRegularFile, status.isOwn
        else {
            throw KeyringError(.usage, "--take-over needs the name of the cache: a file of yours, and no link to one")
        }
        self.path = path
        mode = status.permissions
    }

    /// Makes sure that every entry of the cache is taken in.
    static func requireWhole(_ report: Keyring.ImportReport) throws(KeyringError) {
        guard report.removedAccounts.isEmpty else {
            throw KeyringError(
                .usage,
                "accounts of the cache were removed from group '\(report.group)'; nothing was imported or changed",
                hint: "--bring-back takes them in")
        }
        guard report.skipped.isEmpty else {
            throw KeyringError(
                .usage, "entries of the cache would be left out; nothing was imported or changed",
                hint: "import it without --take-over, which lists them")
        }
    }

    /// Puts the same without its refresh tokens in place of `cache`.
    ///
    /// - Throws: `busy` where the program has written it since.
    func remove(_ cache: borrowing SecretBytes) throws(KeyringError) {
        let rest = try Keyring.Caches.withoutRefreshTokens(cache)
        let file = try OutputFile(path, replacing: true)
        try rest.withBytes { (bytes) throws(KeyringError) in try file.write(bytes) }
        guard try SecretInput.cache(path).isEqual(to: cache) else {
            throw KeyringError(
                .busy,
                "everything was imported, but another program has changed \(path) meanwhile, which stays as it is",
                hint: "close that program and run this again")
        }
        try file.commit(mode: mode)
    }
}
