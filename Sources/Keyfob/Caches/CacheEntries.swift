internal import KeyfobInterop
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// Which entries of a token cache of MSAL's form are looked for.
    public struct EntryQuery: Hashable, Sendable {
        /// The section: `AccessToken`, `RefreshToken`, `IdToken`, `Account` or `AppMetadata`.
        public var section: String
        /// Whose; nil for everybody's, empty for those of applications themselves.
        public var homeAccountID: String?
        /// At which provider; nil for all.
        public var environment: String?
        /// Of which client; nil for all.
        public var clientID: String?

        /// A query; what is not given is not asked for.
        public init(
            section: String, homeAccountID: String? = nil, environment: String? = nil, clientID: String? = nil
        ) {
            self.section = section
            self.homeAccountID = homeAccountID
            self.environment = environment
            self.clientID = clientID
        }
    }
}

extension Keyring.Caches {
    /// Writes the entries of one section that may be those of a query, in the form of MSAL for Python.
    ///
    /// Costs the same however many accounts there are, where the query names one. What it writes may hold more than was
    /// asked for: the caller compares the fields.
    ///
    /// - Parameters:
    ///   - query: What is looked for.
    ///   - groups: The groups to look through; nil for all within reach.
    ///   - output: Takes a piece, with every token in it, and must not keep it.
    /// - Throws: `usage` for no such section, `groupNotGranted`, `noSuchGroup`, `damaged`, and what `output` throws. A record
    ///   that does not open is passed over and told by ``Keyring/takeWarnings()``.
    public func findEntries(
        _ query: Keyring.EntryQuery, in groups: [AccessGroup]? = nil,
        to output: (RawSpan) throws(KeyringError) -> Void
    ) throws(KeyringError) {
        guard let section = MSALSection(rawValue: query.section) else {
            throw KeyringError(.usage, "a cache has no such section")
        }
        let search = EntrySearch(query, in: section)
        try withState { state in
            let groups = try state.groups(groups)
            try database.withSnapshot {
                var writer = MSALCacheWriter()
                writer.begin(section)
                for group in groups {
                    try write(search, of: group, &state, &writer, output)
                    try writeForeign(search, of: group, &state, &writer, output)
                }
                try writer.finish(to: output)
            }
        }
    }

    private func write(
        _ search: EntrySearch, of group: UnlockedVault.Group, _ state: inout State,
        _ writer: inout MSALCacheWriter,
        _ output: (RawSpan) throws(KeyringError) -> Void
    ) throws {
        // Nothing that the keyring has records of is without an account, but clients.
        if search.query.homeAccountID == "", search.section != .appMetadata { return }
        switch search.section {
        case .account:
            let accounts: [Account] =
                if let id = search.account {
                    try database.account(id, in: group.keys).map { [$0] } ?? []
                } else {
                    intact(try database.accounts(in: group.keys), group, &state).map(\.value)
                }
            for account in accounts where search.mayMean(account.id) { try writer.append(account, to: output) }
        case .appMetadata:
            for item in intact(try database.appMetadata(in: group.keys), group, &state)
            where search.mayMean(item.value) {
                try writer.append(item.value, to: output)
            }
        case .accessToken, .refreshToken, .idToken:
            guard let kind = search.section.kind else { return }
            let found =
                if let id = search.account {
                    try database.credentials(kind, of: id, in: group.keys)
                } else {
                    try database.credentials(kind, in: group.keys)
                }
            for item in intact(found, group, &state)
            where search.mayMean(item.value) && item.record.secretCommitment != nil && !item.value.isKeyfobs {
                let secret = try database.secret(of: item.record, in: group.keys)
                _ = try writer.append(item.value, secret: secret, to: output)
            }
        }
    }

    private func writeForeign(
        _ search: EntrySearch, of group: UnlockedVault.Group, _ state: inout State,
        _ writer: inout MSALCacheWriter,
        _ output: (RawSpan) throws(KeyringError) -> Void
    ) throws {
        for item in intact(try database.foreignEntities(in: group.keys), group, &state)
        where item.value.first == search.section.rawValue {
            guard let key = item.value.last else { continue }
            try writer.append(
                foreignEntity: key, json: try database.secret(of: item.record, in: group.keys), to: output)
        }
    }
}

extension Keyring.Caches {
    /// What opens; of the rest there is a warning.
    private func intact<Value>(
        _ found: SearchResult<Value>, _ group: UnlockedVault.Group, _ state: inout State
    ) -> [StoredItem<Value>] {
        state.warn(ofDamage: found.damaged, in: group.name)
        return found.items
    }
}

/// A query in the keyring's own terms.
private struct EntrySearch {
    let query: Keyring.EntryQuery
    let section: MSALSection
    /// The account, where the query names it wholly.
    let account: AccountID?

    init(_ query: Keyring.EntryQuery, in section: MSALSection) {
        self.query = query
        self.section = section
        account = query.homeAccountID.flatMap { home in
            query.environment.flatMap { AccountID(homeAccountID: home, environment: $0) }
        }
    }

    func mayMean(_ id: AccountID) -> Bool {
        if let environment = query.environment, !EnvironmentAliases.areSame(environment, id.environment) {
            return false
        }
        return query.homeAccountID.map { Identifier.foldedName($0) == Identifier.foldedName(id.homeAccountID) } ?? true
    }

    func mayMean(_ token: Credential) -> Bool {
        mayMean(token.account) && query.clientID.map { $0 == token.clientID } ?? true
    }

    func mayMean(_ metadata: AppMetadata) -> Bool { query.clientID.map { $0 == metadata.clientID } ?? true }
}

extension MSALSection {
    /// The kind of the tokens that are in the section.
    fileprivate var kind: Credential.Kind? {
        switch self {
        case .accessToken: .accessToken
        case .refreshToken: .refreshToken
        case .idToken: .idToken
        case .account, .appMetadata: nil
        }
    }
}
