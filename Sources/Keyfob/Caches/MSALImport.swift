internal import KeyfobInterop
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// What an import did, or would do.
    public struct ImportReport: Hashable, Sendable {
        /// The group that the items went to.
        public internal(set) var group: AccessGroup
        /// Which libraries' cache it was.
        public internal(set) var format = CacheFormat.msal
        /// How many accounts, tokens and other entries had each outcome.
        public internal(set) var accounts: [StoreOutcome: Int] = [:]
        /// How many tokens had each outcome.
        public internal(set) var credentials: [StoreOutcome: Int] = [:]
        /// How many entries about clients, or that Keyfob does not know, had each outcome.
        public internal(set) var others: [StoreOutcome: Int] = [:]
        /// Accounts that have no entry of their own and are known from their tokens only.
        public internal(set) var accountsWithoutEntity = 0
        /// Accounts that were left out with their tokens, because they had been removed from the group.
        public internal(set) var removedAccounts: [Account] = []
        /// What was left out besides, one line each, with the reason.
        public internal(set) var skipped: [String] = []
        /// What was changed on the way in, one line each.
        public internal(set) var remarks: [String] = []
        /// The accounts that were imported beside another one of their user name.
        public internal(set) var namesakes: [Namesake] = []
        /// The accounts that were found and not left out, with the tokens of each.
        public internal(set) var found: [AccountID: FoundAccount] = [:]
        /// The clients that the file has secrets of, and whether they were taken.
        public internal(set) var clients: [FoundClient] = []
        /// Tokens that the tool keeps elsewhere; each is among ``skipped`` too.
        public internal(set) var elsewhere: [TokenElsewhere] = []
    }

    /// An account that an import has found.
    public struct FoundAccount: Hashable, Sendable {
        /// As the file has it.
        public internal(set) var account: Account
        /// Which tokens there are.
        public internal(set) var tokens: Set<Credential.Kind> = []
    }

    /// A client, with a secret, by which refresh tokens of an import are redeemed.
    public struct FoundClient: Hashable, Sendable {
        /// Its id.
        public let id: String
        /// The environment of its provider.
        public let environment: String
        /// What became of it; nil where it was left out.
        public internal(set) var outcome: StoreOutcome?
    }

    /// A token that another tool keeps where no import reaches it.
    public struct TokenElsewhere: Hashable, Sendable {
        /// Whose it is, as the tool has it.
        public let username: String
        /// The host of its provider.
        public let host: String
        /// The words of the command that prints it.
        public let command: [String]
    }
}

extension Keyring.Caches {
    /// Takes over the accounts and tokens of an MSAL token cache, all of them in one transaction.
    ///
    /// Every spelling of the MSAL libraries is understood; what Keyfob does not know is kept for the
    /// way back; entries that make no sense are left out and reported.
    ///
    /// - Parameters:
    ///   - cache: The file's bytes.
    ///   - azureProfile: The bytes of the `azureProfile.json` beside it, for nicer labels.
    ///   - groups: The first is where the items go; nil for `default`, or the only one within reach.
    ///   - bringsBackRemoved: Whether accounts come back that were removed from the group.
    ///   - isTakenOver: Whether the program that the cache came from is about to lose its refresh tokens, see
    ///     ``withoutRefreshTokens(_:)``; otherwise it shares the sign-ins from now on, which is a warning.
    ///   - isWrittenNow: Whether the program whose cache it is writes it now, so that it has the latest; else it may be a copy
    ///     from before, and of two refresh tokens of one second the one that is stored stays.
    ///   - isDryRun: Whether to find out only what would be done.
    ///   - progress: Called with the number of entries done and of all.
    /// - Throws: `damaged` when the bytes are no such cache, `limitExceeded`, and what writing can throw;
    ///   nothing is imported then.
    public func importMSAL(
        _ cache: borrowing SecretBytes, azureProfile: borrowing SecretBytes? = nil,
        in groups: [AccessGroup]? = nil, bringsBackRemoved: Bool = false, isTakenOver: Bool = false,
        isWrittenNow: Bool = false, isDryRun: Bool = false,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(KeyringError) -> Keyring.ImportReport {
        let parsed: MSALCache
        do {
            parsed = try cache.withBytes { (bytes) throws(MSALCacheError) in try MSALCache(reading: bytes) }
        } catch {
            throw KeyringError(error)
        }
        var remarks = parsed.remarks.map(\.description)
        let importer = CacheImport(
            cache: parsed, isByName: false, labels: Self.labels(azureProfile, for: parsed.accounts, &remarks),
            bringsBackRemoved: bringsBackRemoved, isWrittenNow: isWrittenNow)
        var report = try cache.withBytes { (bytes) throws(KeyringError) in
            try run(in: groups, isDryRun: isDryRun, isUndoable: !isWrittenNow) {
                try importer.run($0, bytes, &$1, progress)
            }
        }
        // What was imported stays, whether or not others have it too.
        try? cache.withBytes { (bytes) throws(KeyringError) in
            try warnOfSharing(parsed, bytes, but: report.removedAccounts, group: report.group, isTakenOver: isTakenOver)
        }
        report.skipped = parsed.skipped.map(\.description)
        report.remarks = remarks
        report.accountsWithoutEntity = parsed.accountsWithoutEntity
        return report
    }

    /// The bytes of an MSAL token cache without its refresh tokens, for the program that it came from: of two that hold
    /// one sign-in, a provider that replaces refresh tokens ends it for both.
    ///
    /// - Throws: as ``importMSAL(_:azureProfile:in:bringsBackRemoved:isTakenOver:isWrittenNow:isDryRun:progress:)``.
    public static func withoutRefreshTokens(_ cache: borrowing SecretBytes) throws(KeyringError) -> SecretBytes {
        do {
            return try cache.withBytes { (bytes) throws(MSALCacheError) in
                try MSALCache.withoutRefreshTokens(bytes)
            }
        } catch {
            throw KeyringError(error)
        }
    }

    /// What the `azureProfile.json` beside a cache calls accounts.
    static func labels(
        _ profile: borrowing SecretBytes?, for accounts: [Account], _ remarks: inout [String]
    ) -> [AccountID: String] {
        switch profile {
        case nil: return [:]
        case .some(let profile):
            do {
                return try profile.withBytes { bytes in try AzureProfile(reading: bytes).labels(for: accounts) }
            } catch {
                remarks.append("azureProfile.json could not be read, so it gave no labels")
                return [:]
            }
        }
    }

    /// Runs an import in one transaction, which is undone at the end of a dry run.
    ///
    /// - Parameter isUndoable: Whether people can undo it; not what a program writes again and again.
    func run(
        in groups: [AccessGroup]?, isDryRun: Bool, isUndoable: Bool = true,
        _ importer: (GroupWriter, inout Keyring.ImportReport) throws -> Void
    ) throws(KeyringError) -> Keyring.ImportReport {
        let group = try keyring.groups.forNewItems(groups)
        var report = Keyring.ImportReport(group: group)
        do {
            try withVault { state in
                let target = try state.group(group)
                try change(&state, target, as: isUndoable ? "import" : nil) { writer in
                    report = Keyring.ImportReport(group: group)
                    try importer(writer, &report)
                    // Leaving by an error undoes the transaction: what was found out stays.
                    if isDryRun { throw DryRunEnded() }
                }
            }
        } catch is DryRunEnded {
            return report
        } catch {
            throw KeyringError(error)
        }
        return report
    }

    private struct DryRunEnded: Error {}
}

extension KeyringError {
    init(_ error: MSALCacheError) {
        switch error {
        case .tooLarge, .tooManyEntities, .tooManyValues, .stringTooLong, .tooDeep:
            self.init(.limitExceeded, error.description)
        case .notJSON, .notACache: self.init(.damaged, error.description)
        }
    }
}
