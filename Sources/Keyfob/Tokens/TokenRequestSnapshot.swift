internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobVault

/// A request for a token at one moment: whose it is, for which client, and what is stored for it, without any secret.
struct TokenRequestSnapshot: Sendable {
    let account: Account
    /// The group's name when the request came; what is read and written later goes by ``groupID``.
    let group: AccessGroup
    let groupID: GroupID
    let reason: Verdict.Reason
    /// The access tokens that serve the request, of any client.
    let fitting: [Credential]
    /// The client the token is for; nil where the account has no grant and none was named.
    let clientID: String?
    /// The tenant, as the request means it.
    let tenant: RequestTenant
    /// The tenant that is asked, and under which tokens are filed; empty where the provider has none.
    let realm: String
    /// The scopes that the token must have; of a request that names none, those of the stored token.
    let scopes: ScopeSet
    /// The `claims` request, JSON.
    let claims: String?
    /// The access token that is stored, whatever its state.
    let stored: Credential?
    /// The same where it may be handed out as it is.
    let hit: TokenHits.Hit?
    /// The client's own refresh token.
    let own: Credential?
    /// Another client's of the same family.
    let family: Credential?
    let situation: SilentSituation

    /// The refresh token that `source` names.
    func token(_ source: TokenIdentity.Source) -> Credential? {
        source == .own ? own : family
    }
}

extension Keyring.Tokens {
    /// What a refresh needs to know of a request, by what has been found for it.
    ///
    /// - Throws: `ambiguous` where several clients or tokens fit.
    func snapshot(
        _ state: inout State, _ acquisition: TokenAcquisition, _ stored: TokenSearch.StoredTokens, _ now: Timestamp
    ) throws -> TokenRequestSnapshot {
        let (request, owner, group) = (acquisition.request, stored.owner, stored.group)
        let grants = try database.credentials(.refreshToken, of: owner.account.id, in: group.keys)
        state.warn(ofDamage: grants.damaged, in: group.name)
        let tokens = grants.items.filter { $0.value.partition.isEmpty }
        let hasSecret = { (token: Credential) in
            tokens.contains { $0.value == token && $0.record.secretCommitment != nil }
        }
        let clientID = try client(&state, of: request, tokens.map(\.value), stored)
        let environment = request.environment ?? owner.account.id.environment
        let item = try accessToken(&state, acquisition, stored, clientID, now)
        let own = tokens.map(\.value).filter { $0.clientID == clientID }.max { Self.isWorse($0, $1, hasSecret) }
        if let own, !request.takes(own), (own.grant ?? Grant()).state == .active {
            throw KeyringError.proofNeeded(owner.account, own)
        }
        let family = tokens.map(\.value)
            .filter { $0.clientID != clientID && $0.familyID != nil }.max { Self.isWorse($0, $1, hasSecret) }
        var situation = SilentSituation(
            accessToken: AccessTokenState(item?.value, now: now, minimumValidity: request.minimumValidity),
            own: own.map { SilentSituation.RefreshToken($0, hasSecret: hasSecret($0)) },
            family: family.map { SilentSituation.RefreshToken($0, hasSecret: hasSecret($0)) },
            environment: environment)
        situation.membership = try membership(of: clientID, environment, group)
        var hit: TokenHits.Hit?
        if let item, !acquisition.ignoresStored, situation.accessToken.mayServe(acquisition.options) {
            hit = try search.hit(item, request, owner, group, now)
        }
        return TokenRequestSnapshot(
            account: owner.account, group: group.name, groupID: group.keys.group, reason: owner.reason,
            fitting: stored.fitting.map(\.value), clientID: clientID, tenant: stored.tenant,
            realm: stored.tenant.name ?? item?.value.realm ?? "",
            scopes: Self.scopes(of: request, stored.fitting.map(\.value), item?.value, owner.account),
            claims: acquisition.options.claims,
            stored: item?.value, hit: hit,
            own: own, family: family, situation: situation)
    }

    /// The scopes to ask for: those named, those of the token that is to be replaced, or what the address means where
    /// nothing says more.
    private static func scopes(
        of request: TokenRequest, _ fitting: [Credential], _ replaced: Credential?, _ account: Account
    ) -> ScopeSet {
        guard request.scopes.isEmpty else { return request.scopes }
        guard let resource = request.resource(at: account.id.environment) else { return replaced?.scopes ?? [] }
        let known = Set(fitting.map(\.scopes)).count < 2 ? replaced?.scopes ?? [] : []
        return known.isEmpty ? resource.defaultScope : known
    }

    /// The access token of the client and the tenant that a refresh is for; without a client there is none.
    private func accessToken(
        _ state: inout State, _ acquisition: TokenAcquisition, _ stored: TokenSearch.StoredTokens, _ clientID: String?,
        _ now: Timestamp
    ) throws -> StoredItem<Credential>? {
        // Nothing is stored that could be replaced, and nothing is to be taken.
        if clientID == nil, acquisition.ignoresStored { return nil }
        var request = acquisition.request
        request.clientID = clientID
        let account = stored.owner.account
        let tokens = stored.fitting.filter { $0.value.serves(request, at: stored.tenant) }
        // Who wants a new one without saying for what wants that which came last replaced.
        if acquisition.ignoresStored, request.scopes.isEmpty, request.resource(at: account.id.environment) == nil {
            return tokens.max { $0.value.cameBefore($1.value) }
        }
        let choice = TokenChoice(request: request, tenant: stored.tenant, account: account, now: now)
        let item = try search.token(
            &state, choice, among: tokens, stored.group, preferring: keyring.clients.preferred)
        // A token that is valid says what is wanted; of others, nobody knows which.
        if request.scopes.isEmpty, request.resource(at: account.id.environment) == nil, let item,
            !choice.isValid(item.value), !choice.isForPurposeAlone, Set(tokens.map(\.value.scopes)).count > 1
        {
            throw LookupRefusal.ambiguous(.scopes(tokens.map(\.value.scopes)), account)
        }
        return item
    }

    /// The stored access token under the lock where it answers a caller who saw another: it is fresh, or it has come
    /// since, so that one more would live no longer.
    func answer(
        _ state: inout State, _ acquisition: TokenAcquisition, besides seen: TokenRequestSnapshot
    ) throws -> TokenHits.Hit? {
        let now = clock.now
        let tokens = try stored(&state, acquisition, takesValid: false, now)
        guard let item = try accessToken(&state, acquisition, tokens, seen.clientID, now) else {
            return nil
        }
        let request = acquisition.request
        guard
            item.value.freshness(now: now, minimumValidity: request.minimumValidity) == .fresh
                || item.value != seen.stored && item.value.isValid(now: now, minimumValidity: 0)
        else { return nil }
        let owner = (tokens.owner.account, tokens.owner.group, seen.reason)
        // Who forces a new one gets it, whatever state the old one is in.
        if acquisition.ignoresStored { return try? search.hit(item, request, owner, tokens.group, now) }
        return try search.hit(item, request, owner, tokens.group, now)
    }

    /// The client that the token is for: the one named, the only one with a grant that lasts, or the default of those.
    private func client(
        _ state: inout State, of request: TokenRequest, _ tokens: [Credential], _ stored: TokenSearch.StoredTokens
    ) throws -> String? {
        if let id = request.clientID { return id }
        let active = Set(tokens.filter { ($0.grant ?? Grant()).state == .active }.map(\.clientID)).sorted()
        let clients = active.isEmpty ? Set(tokens.map(\.clientID)).sorted() : active
        guard clients.count < 2 else {
            // What is to be replaced says whose the new one is.
            if let hit = stored.hit, clients.contains(hit.credential.clientID) {
                return hit.credential.clientID
            }
            let account = stored.owner.account
            let environment = account.id.environment
            if let id = try keyring.clients.preferred(&state, among: clients, at: environment, stored.group) {
                return id
            }
            throw KeyringError(
                .ambiguous, "\(account.name) is signed in to \(clients.count) clients", advice: .chooseClient,
                candidates: clients)
        }
        return clients.first
    }

    /// What is known of the client's family.
    private func membership(
        of clientID: String?, _ environment: String, _ group: UnlockedVault.Group
    ) throws -> AppMetadata.Family {
        guard let clientID, EnvironmentAliases.isMicrosoft(environment) else { return .unknown }
        let found = try database.appMetadata(in: group.keys).items.map(\.value).first {
            $0.clientID == clientID && EnvironmentAliases.areSame($0.environment, environment)
        }
        return found?.family ?? .unknown
    }

    /// Whether `right` is the better of two refresh tokens: one that lasts, that has its secret, that is newer.
    private static func isWorse(
        _ left: Credential, _ right: Credential, _ hasSecret: (Credential) -> Bool
    ) -> Bool {
        func rank(_ token: Credential) -> (Int, Int, GrantVersion) {
            let grant = token.grant ?? Grant()
            return (grant.state == .active ? 1 : 0, hasSecret(token) ? 1 : 0, grant.version)
        }
        return rank(left) < rank(right)
    }
}

extension Keyring.State {
    /// The group of a request, which may have another name or another key by now.
    ///
    /// - Throws: `noSuchGroup`, `groupNotGranted`.
    func group(of plan: TokenRequestSnapshot) throws(KeyringError) -> UnlockedVault.Group {
        do {
            return try vault.group(plan.groupID)
        } catch .noSuchGroup {
            throw KeyringError(.noSuchGroup, "group '\(plan.group)' is gone")
        } catch {
            throw KeyringError(.groupNotGranted, "the key does not open group '\(plan.group)'")
        }
    }
}

extension SilentSituation.RefreshToken {
    init(_ token: Credential, hasSecret: Bool) {
        let grant = token.grant ?? Grant()
        self.init(
            state: grant.state, version: grant.version, environment: token.account.environment,
            familyID: token.familyID, hasSecret: hasSecret)
    }
}

extension AccessTokenState {
    /// Whether such a token may be handed out while there is no better one.
    fileprivate func mayServe(_ options: SilentOptions) -> Bool {
        switch self {
        case .fresh, .aging: true
        case .extended: options.allowsExtendedLifetime
        case .none, .expired: false
        }
    }
}

extension Keyring.Tokens {
    /// The provider that serves the account of a request, in its tenant.
    ///
    /// - Throws: `noSuchProvider`.
    func provider(for plan: TokenRequestSnapshot) throws(KeyringError) -> ProviderDescription {
        if let found = try provider(for: plan, by: plan.group) { return found }
        throw KeyringError(
            .noSuchProvider,
            "no provider is known for \(plan.account.name): nothing in group '\(plan.group)' describes "
                + plan.situation.environment, advice: .addProvider(plan.group))
    }

    /// The provider that serves the account of a request, for all that the records of `group` say; nil where there is none.
    func provider(
        for plan: TokenRequestSnapshot, by group: AccessGroup
    ) throws(KeyringError) -> ProviderDescription? {
        try keyring.providers.description(
            forEnvironment: plan.situation.environment, tenant: plan.realm.isEmpty ? nil : plan.realm,
            policy: plan.account.id.policy, in: [group])
    }

    /// The client whose refresh token is redeemed.
    func client(for plan: TokenRequestSnapshot, _ provider: ProviderDescription) throws(KeyringError) -> OAuthClient {
        try keyring.clients.oauthClient(id: plan.clientID, environment: provider.environment, in: [plan.group])
    }
}
