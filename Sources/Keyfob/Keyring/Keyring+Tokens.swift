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
        switch try lookUp(TokenAcquisition(request, in: groups)) {
        case .found(let answer): return answer
        case .missing: throw KeyringError(.fault, "the network is needed where it was not to be used")
        }
    }

    /// What is stored for the request of `acquisition`: its token while that is fresh, or how to get one.
    ///
    /// Sends nothing. Without a network, a token that should be replaced is taken as well.
    ///
    /// - Throws: as ``token(for:in:)``; `signInNeeded` only without a network.
    public func lookUp(_ acquisition: TokenAcquisition) throws(KeyringError) -> TokenLookup {
        let now = clock.now
        return try withState { state in
            switch try database.withSnapshot({ try find(&state, acquisition, now) }) {
            case .hit(let hit): return .found(try hit.answer())
            case .plan(let plan):
                return .missing(MissingToken(acquisition: acquisition, plan: plan, askedAt: now))
            }
        }
    }

    /// What was found: a token, still sealed, or what a refresh needs to know.
    private enum Finding {
        case hit(TokenHits.Hit)
        case plan(SilentCase)
    }

    /// What was found for the same request before, unless the file has changed since; or what is found now.
    private func find(_ state: inout State, _ acquisition: TokenAcquisition, _ now: Timestamp) throws -> Finding {
        let request = acquisition.request
        let question = TokenHits.Question(request: request, groups: acquisition.groups)
        let version = try database.version()
        // Without a name, what was chosen since and files in the directory decide as well.
        if request.account != nil, !acquisition.ignoresStored, let hit = state.hits.hit(question, version: version),
            hit.found.credential.freshness(now: now, minimumValidity: request.minimumValidity) == .fresh
        {
            return .hit(hit)
        }
        let stored = try stored(&state, acquisition, takesValid: !acquisition.ignoresStored, now)
        if let hit = stored.hit, !hit.found.isAging || acquisition.network == nil {
            if request.account != nil { state.hits.remember(hit, for: question) }
            return .hit(hit)
        }
        guard acquisition.network != nil else { throw try signInNeeded(stored, request, now) }
        do {
            return .plan(try silentCase(&state, acquisition, stored, now))
        } catch  where !Self.mayBeStale(error) {
            guard let old = stored.hit else { throw error }
            let reason = KeyringError(error)
            guard Self.leavesOldToken(reason) else { throw error }
            state.warn(Self.staleness(of: old.found.account, reason.message))
            return .hit(old)
        }
    }

    /// Access tokens that serve a request, whatever their state, and what is wrong with those that do not open.
    typealias FittingTokens = (items: [StoredItem<Credential>], damaged: [String])

    /// What is stored for a request: whose token it is to be, and the access tokens that fit.
    struct StoredTokens {
        var owner: Owner
        /// The owner's group.
        let group: UnlockedVault.Group
        /// Those of that group that serve the request, whatever their state.
        let fitting: [StoredItem<Credential>]
        /// The one that is valid, from the first group of the list, from the owner's on, that has one.
        var hit: TokenHits.Hit?
    }

    /// Finds out whose token is asked for, and which are stored.
    ///
    /// - Parameter takesValid: Whether a valid one is to be handed out: then damage is no reason to pass it over.
    func stored(
        _ state: inout State, _ acquisition: TokenAcquisition, takesValid: Bool, _ now: Timestamp
    ) throws -> StoredTokens {
        let request = acquisition.request
        let groups = try self.groups(&state, acquisition.groups, try database.version())
        RefreshObservation.willResolve()
        let owner = try account(&state, request, groups, now)
        guard let first = groups.firstIndex(where: { $0.name == owner.group }) else {
            throw KeyringError(.fault, "the account chosen is in none of the groups asked for")
        }
        let tokens = try fitting(&state, request, owner.account.id, groups[first])
        var stored = StoredTokens(owner: owner, group: groups[first], fitting: tokens.items)
        guard takesValid else { return stored }
        stored.hit = try hit(&state, request, owner, groups[first], tokens, now)
        for group in groups[(first + 1)...] where stored.hit == nil {
            guard try database.account(owner.account.id, in: group.keys) != nil,
                let tokens = try? fitting(&state, request, owner.account.id, group)
            else { continue }
            stored.hit = try? hit(&state, request, owner, group, tokens, now)
        }
        return stored
    }

    /// The access tokens of an account in a group that serve `request`, whatever their state.
    private func fitting(
        _ state: inout State, _ request: TokenRequest, _ account: AccountID, _ group: UnlockedVault.Group
    ) throws -> FittingTokens {
        let tokens = try database.credentials(.accessToken, of: account, client: request.client, in: group.keys)
        state.warn(ofDamage: tokens.damaged, in: group.name)
        return (tokens.items.filter { $0.value.serves(request) }, tokens.damaged)
    }

    /// The valid one of the access tokens that serve `request`; nil where there certainly is none.
    private func hit(
        _ state: inout State, _ request: TokenRequest, _ owner: Owner, _ group: UnlockedVault.Group,
        _ tokens: FittingTokens, _ now: Timestamp
    ) throws -> TokenHits.Hit? {
        let choice = TokenChoice(request: request, account: owner.account, now: now)
        if let item = try token(&state, choice, among: tokens.items, group), choice.isValid(item.value) {
            return try hit(item, request, owner, group, now)
        }
        if let damage = tokens.damaged.first { throw StoreError.damaged(what: damage) }
        // Only a complete group, with a sound index, can say that it holds no such token; that one has expired can be
        // said of what is here.
        if tokens.items.isEmpty {
            try database.requireComplete(group.keys, .accessToken, of: owner.account.id, client: request.client)
        }
        return nil
    }

    /// The token that `choice` takes.
    func token(
        _ state: inout State, _ choice: TokenChoice, among tokens: [StoredItem<Credential>],
        _ group: UnlockedVault.Group
    ) throws -> StoredItem<Credential>? {
        do {
            return try choice.token(among: tokens) {
                try preferredClient(&state, among: $0, at: choice.account.id.environment, group)
            }
        } catch let ambiguity as TokenChoice.Ambiguity {
            throw KeyringError(ambiguity, choice.account)
        }
    }

    /// A stored token, still sealed, with what is known of it.
    func hit(
        _ item: StoredItem<Credential>, _ request: TokenRequest, _ owner: Owner, _ group: UnlockedVault.Group,
        _ now: Timestamp
    ) throws -> TokenHits.Hit {
        let freshness = item.value.freshness(now: now, minimumValidity: request.minimumValidity)
        let found = Found(
            credential: item.value, account: owner.account, group: group.name, isAging: freshness == .aging,
            reason: owner.reason)
        return TokenHits.Hit(
            found: found, header: item.record.header,
            secret: try database.sealedSecret(of: item.record, in: group.keys), keys: group.keys)
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

    /// Why there is no token, and what to do.
    private func signInNeeded(
        _ stored: StoredTokens, _ request: TokenRequest, _ now: Timestamp
    ) throws -> KeyringError {
        let account = stored.owner.account
        let grants = try database.credentials(.refreshToken, of: account.id, in: stored.group.keys).items.map(\.value)
        let canRefresh = grants.contains { $0.grant?.state == .active }
        return KeyringError(
            .signInNeeded, Self.lack(of: account, stored.fitting.map(\.value), request, now),
            hint: canRefresh
                ? "its refresh token is here: ask without --offline"
                : "sign in with 'keyfob login', or with the program that owns the account, and import again",
            candidates: [account.id.description])
    }

    /// Why none of the access tokens that fit is valid.
    static func lack(
        of account: Account, _ expired: [Credential], _ request: TokenRequest, _ now: Timestamp
    ) -> String {
        if expired.contains(where: { $0.freshness(now: now, minimumValidity: 0) == .fromTheFuture }) {
            return "the token of \(account.name) was stored at a time that has not come yet; check the clock"
        }
        if let latest = expired.compactMap(\.expiresOn).max() {
            let left = max(-(1 << 40), min(1 << 40, latest.seconds)) - now.seconds
            return left > 0
                ? "the token of \(account.name) is valid for \(left) more seconds, fewer than the "
                    + "\(request.minimumValidity) asked for"
                : "the token of \(account.name) expired \(-left) seconds ago"
        }
        let what = "there is no access token of \(account.name) for"
        return request.scopes.isEmpty ? "\(what) this request" : "\(what) \(request.scopes)"
    }
}

extension TokenRequest {
    /// The client and the tenant, where both are named: an index leads to their tokens.
    fileprivate var client: (id: String, realm: String)? { clientID.flatMap { id in realm.map { (id, $0) } } }
}

extension TokenHits.Hit {
    /// The token, opened.
    func answer(_ origin: Keyring.Found.Origin = .stored) throws -> Keyring.TokenAnswer {
        var found = found
        found.origin = origin
        return Keyring.TokenAnswer(secret: try open(), found: found)
    }
}

extension KeyringError {
    init(_ ambiguity: TokenChoice.Ambiguity, _ account: Account) {
        switch ambiguity {
        case .clients(let clients):
            self.init(
                .ambiguous, "\(account.name) has such tokens from \(clients.count) clients",
                hint: "say which with --client", candidates: clients)
        case .tenants(let realms):
            self.init(
                .ambiguous, "\(account.name) has such tokens in \(realms.count) tenants",
                hint: "say which with --tenant", candidates: realms)
        case .scopes(let scopes):
            self.init(
                .ambiguous, "\(account.name) has \(scopes.count) tokens for different scopes",
                hint: "say which with --scope", candidates: scopes.map(\.spaceSeparated).sorted())
        }
    }
}
