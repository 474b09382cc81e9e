internal import KeyfobFiles
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// A token, and how it was found.
    public struct TokenAnswer: ~Copyable {
        /// The token itself.
        public let secret: SecretBytes
        /// What is known of it.
        public let found: Found

        /// A token that was found.
        package init(secret: consuming SecretBytes, found: Found) {
            self.secret = secret
            self.found = found
        }
    }

    /// What is known of a token that was found.
    public struct Found: Hashable, Sendable {
        /// What is known of the token.
        public let credential: Credential
        /// Whose it is.
        public let account: Account
        /// The group it is in.
        public let group: AccessGroup
        /// Whether it should be replaced although it is still valid.
        public let isAging: Bool
        /// Why the token is this account's.
        public let reason: Verdict.Reason
        /// Where the token comes from.
        public internal(set) var origin = Origin.stored

        /// Where a token comes from.
        public enum Origin: String, Hashable, Sendable, CaseIterable {
            /// It was stored, and is valid.
            case stored
            /// It was stored, and is used in its extended lifetime because the provider is down.
            case extended
            /// The provider has just issued it.
            case provider
        }
    }

    /// Whose token it is to be, where the account is, and why.
    typealias Owner = (account: Account, group: AccessGroup, reason: Verdict.Reason)

    /// An access token for `request`, from what is stored.
    ///
    /// A request that names its account by id, user name or label costs the same however many
    /// accounts there are. "There is no such token" is said only after the manifest of every group
    /// that was looked through has been compared with what is there.
    ///
    /// - Parameters:
    ///   - request: What is asked for. Several scopes must be in one token.
    ///   - groups: The groups to look through, in order; nil for all within reach.
    /// - Throws: `signInNeeded` when there is no valid token, `ambiguous` when several accounts or
    ///   several tokens fit, `noSuchAccount`, `groupNotGranted`, `noSuchGroup`, `damaged`.
    public func token(
        for request: TokenRequest, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> TokenAnswer {
        let now = clock.now
        return try withState { state in
            let hit: TokenHits.Hit = try database.withSnapshot { try lookUp(&state, request, groups, now) }
            return TokenAnswer(secret: try hit.open(), found: hit.found)
        }
    }

    /// What was found for the same request before, unless the file has changed since; or what is found now.
    private func lookUp(
        _ state: inout State, _ request: TokenRequest, _ groups: [AccessGroup]?, _ now: Timestamp
    ) throws -> TokenHits.Hit {
        let question = TokenHits.Question(request: request, groups: groups)
        let version = try database.version()
        // Without a name, what was chosen since and files in the directory decide as well.
        if request.account != nil, let hit = state.hits.hit(question, version: version),
            hit.found.credential.freshness(now: now, minimumValidity: request.minimumValidity) == .fresh
        {
            return hit
        }
        let hit = try find(&state, request, groups, now, version)
        if request.account != nil { state.hits.remember(hit, for: question) }
        return hit
    }

    /// Finds the token for `request`, still sealed.
    private func find(
        _ state: inout State, _ request: TokenRequest, _ names: [AccessGroup]?, _ now: Timestamp,
        _ version: StorageVersion
    ) throws -> TokenHits.Hit {
        let groups = try self.groups(&state, names, version)
        let candidate = try account(&state, request, groups, now)
        let (item, group) = try accessToken(&state, of: candidate, in: groups, for: request, now: now)
        let freshness = item.value.freshness(now: now, minimumValidity: request.minimumValidity)
        let found = Found(
            credential: item.value, account: candidate.account, group: group.name, isAging: freshness == .aging,
            reason: candidate.reason)
        return TokenHits.Hit(
            found: found, header: item.record.header,
            secret: try database.sealedSecret(of: item.record, in: group.keys), keys: group.keys)
    }

    /// The access token of an account, from the first group of the list, from its own on, that has one.
    private func accessToken(
        _ state: inout State, of candidate: Owner,
        in groups: [UnlockedVault.Group], for request: TokenRequest, now: Timestamp
    ) throws -> (StoredItem<Credential>, UnlockedVault.Group) {
        guard let first = groups.firstIndex(where: { $0.name == candidate.group }) else {
            throw KeyringError(.fault, "the account chosen is in none of the groups asked for")
        }
        do {
            return (
                try accessToken(&state, of: candidate.account, in: groups[first], for: request, now: now), groups[first]
            )
        } catch let error as KeyringError where error.code == .signInNeeded {
            for group in groups[(first + 1)...] where try database.account(candidate.account.id, in: group.keys) != nil
            {
                let item = try? accessToken(&state, of: candidate.account, in: group, for: request, now: now)
                if let item { return (item, group) }
            }
            throw error
        }
    }

    /// The groups asked for, each compared with its mark unless nothing has changed since.
    func groups(
        _ state: inout State, _ names: [AccessGroup]?, _ version: StorageVersion
    ) throws -> [UnlockedVault.Group] {
        let groups = try state.groups(names)
        for group in groups {
            let id = group.keys.group
            if state.checked.contains(where: { $0.group == id && $0.version == version }) { continue }
            try checkState(&state, group)
            state.checked.removeAll { $0.group == id }
            state.checked.append((id, version))
        }
        return groups
    }

    /// The account that `request` means, and the group it is in.
    func account(
        _ state: inout State, _ request: TokenRequest, _ groups: [UnlockedVault.Group], _ now: Timestamp
    ) throws -> Owner {
        if let text = request.account, let found = try indexed(text, request, groups) {
            return (found.account, found.group, .explicit)
        }
        let (candidate, reason) = try choose(&state, request, groups, now)
        return (candidate.account, candidate.group, reason)
    }

    /// The account that `text` names exactly, when it is one: found by index, without opening any other.
    private func indexed(
        _ text: String, _ request: TokenRequest, _ groups: [UnlockedVault.Group]
    ) throws -> (account: Account, group: AccessGroup)? {
        var found: [(account: Account, group: AccessGroup)] = []
        for group in groups {
            let accounts = try database.accounts(named: text, in: group.keys)
            for account in accounts where !found.contains(where: { $0.account.id == account.id }) {
                if let environment = request.environment,
                    !EnvironmentAliases.areSame(environment, account.id.environment)
                {
                    continue
                }
                found.append((account, group.name))
            }
        }
        return found.count == 1 ? found[0] : nil
    }

    /// The access token of an account that serves `request`.
    private func accessToken(
        _ state: inout State, of account: Account, in group: UnlockedVault.Group, for request: TokenRequest,
        now: Timestamp
    ) throws -> StoredItem<Credential> {
        let client = request.clientID.flatMap { id in request.realm.map { (id: id, realm: $0) } }
        let stored = try database.credentials(.accessToken, of: account.id, client: client, in: group.keys)
        state.warn(ofDamage: stored.damaged, in: group.name)
        let fitting = stored.items.filter { $0.value.serves(request) }
        let valid = fitting.filter {
            switch $0.value.freshness(now: now, minimumValidity: request.minimumValidity) {
            case .fresh, .aging: true
            case .expired, .fromTheFuture: false
            }
        }
        guard !valid.isEmpty else {
            if let damage = stored.damaged.first { throw StoreError.damaged(what: damage) }
            // Only a complete group, with a sound index, can say that it holds no such token; that one has expired
            // can be said of what is here.
            if fitting.isEmpty {
                try database.requireComplete(group.keys, .accessToken, of: account.id, client: client)
            }
            throw try signInNeeded(account, group, request, fitting.map(\.value), now)
        }
        return try theOne(&state, of: valid, account, group, request)
    }

    /// The token to take of several that fit: one of the home tenant before guest tenants', the default client's
    /// before others', the one that lives longest among equals; tokens of several clients, tenants or purposes are for
    /// the caller to tell apart.
    private func theOne(
        _ state: inout State, of valid: [StoredItem<Credential>], _ account: Account, _ group: UnlockedVault.Group,
        _ request: TokenRequest
    ) throws -> StoredItem<Credential> {
        var remaining = valid
        if request.realm == nil, let home = account.homeRealm.map(Identifier.folded) {
            let atHome = remaining.filter { Identifier.folded($0.value.realm) == home }
            if !atHome.isEmpty { remaining = atHome }
        }
        let ids = Set(remaining.map(\.value.clientID)).sorted()
        if ids.count > 1,
            let id = try preferredClient(&state, among: ids, at: account.id.environment, group)
        {
            remaining.removeAll { $0.value.clientID != id }
        }
        func distinct(_ key: (Credential) -> String) -> [String] { Set(remaining.map { key($0.value) }).sorted() }
        let (clients, realms) = (distinct(\.clientID), distinct { Identifier.folded($0.realm) })
        guard clients.count == 1 else {
            throw KeyringError(
                .ambiguous, "\(account.name) has such tokens from \(clients.count) clients",
                hint: "say which with --client", candidates: clients)
        }
        guard realms.count == 1 else {
            throw KeyringError(
                .ambiguous, "\(account.name) has such tokens in \(realms.count) tenants",
                hint: "say which with --tenant", candidates: realms)
        }
        if request.scopes.isEmpty, remaining.count > 1 {
            throw KeyringError(
                .ambiguous, "\(account.name) has \(remaining.count) tokens for different scopes",
                hint: "say which with --scope", candidates: remaining.map { $0.value.scopes.spaceSeparated }.sorted())
        }
        let longest = remaining.max { left, right in
            (left.value.expiresOn ?? Timestamp(seconds: .max)) < (right.value.expiresOn ?? Timestamp(seconds: .max))
        }
        guard let longest else { throw KeyringError(.fault, "no token is left of several") }
        return longest
    }

    /// Why there is no token, and what to do.
    private func signInNeeded(
        _ account: Account, _ group: UnlockedVault.Group, _ request: TokenRequest, _ expired: [Credential],
        _ now: Timestamp
    ) throws -> KeyringError {
        let grants = try database.credentials(.refreshToken, of: account.id, in: group.keys).items.map(\.value)
        let what: String
        if expired.contains(where: { $0.freshness(now: now, minimumValidity: 0) == .fromTheFuture }) {
            what = "the token of \(account.name) was stored at a time that has not come yet; check the clock"
        } else if let latest = expired.compactMap(\.expiresOn).max() {
            let left = max(-(1 << 40), min(1 << 40, latest.seconds)) - now.seconds
            what =
                left > 0
                ? "the token of \(account.name) is valid for \(left) more seconds, fewer than the "
                    + "\(request.minimumValidity) asked for"
                : "the token of \(account.name) expired \(-left) seconds ago"
        } else if request.scopes.isEmpty {
            what = "there is no access token of \(account.name) for this request"
        } else {
            what = "there is no access token of \(account.name) for \(request.scopes)"
        }
        let canRefresh = grants.contains { $0.grant?.state == .active }
        return KeyringError(
            .signInNeeded, what,
            hint: canRefresh
                ? "its refresh token is here: ask without --offline"
                : "sign in with 'keyfob login', or with the program that owns the account, and import again",
            candidates: [account.id.description])
    }
}

extension Credential {
    /// Whether this access token is what `request` asks for, its validity aside.
    func serves(_ request: TokenRequest) -> Bool {
        if let client = request.clientID, clientID != client { return false }
        if let realm = request.realm, Identifier.folded(self.realm) != Identifier.folded(realm) { return false }
        guard partition.isEmpty else { return false }
        return effectiveTokenType == Identifier.folded(request.tokenType) && request.scopes.isSubset(of: scopes)
    }
}
