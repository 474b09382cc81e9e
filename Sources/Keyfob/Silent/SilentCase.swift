internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobVault

/// A request for a token at one moment: whose it is, for which client, and what is stored for it, without any secret.
struct SilentCase: Sendable {
    let account: Account
    /// The group's name when the request came; what is read and written later goes by ``groupID``.
    let group: AccessGroup
    let groupID: GroupID
    let reason: Verdict.Reason
    /// The client the token is for; nil where the account has no grant and none was named.
    let clientID: String?
    /// The tenant; empty where the provider has none.
    let realm: String
    /// The scopes that the token must have; of a request that names none, those of the stored token.
    let scopes: ScopeSet
    /// The access token that is stored, whatever its state.
    let stored: Credential?
    /// The client's own refresh token.
    let own: Credential?
    /// Another client's of the same family.
    let family: Credential?
    let situation: SilentSituation

    /// Whether the stored access token answers a caller who saw another: it is fresh, or it has come since, so that
    /// one more would live no longer.
    func isAnswer(besides seen: Credential?, now: Timestamp) -> Bool {
        if situation.accessToken == .fresh { return true }
        guard let stored, stored != seen else { return false }
        switch stored.freshness(now: now, minimumValidity: 0) {
        case .fresh, .aging: return true
        case .expired, .fromTheFuture: return false
        }
    }

    /// The refresh token that `source` names.
    func token(_ source: TokenIdentity.Source) -> Credential? {
        source == .own ? own : family
    }
}

extension Keyring {
    /// What is stored for `request` now.
    ///
    /// - Throws: `ambiguous` where several clients or tokens fit; what choosing an account can throw.
    func silentCase(
        _ state: inout State, _ request: TokenRequest, _ names: [AccessGroup]?
    ) throws -> SilentCase {
        let now = clock.now
        let groups = try self.groups(&state, names, try database.version())
        let owner = try account(&state, request, groups, now)
        guard let group = groups.first(where: { $0.name == owner.group }) else {
            throw KeyringError(.fault, "the account chosen is in none of the groups asked for")
        }
        let grants = try database.credentials(.refreshToken, of: owner.account.id, in: group.keys)
        state.warn(ofDamage: grants.damaged, in: group.name)
        let tokens = grants.items.filter { $0.value.partition.isEmpty }
        let hasSecret = { (token: Credential) in
            tokens.contains { $0.value == token && $0.record.secretCommitment != nil }
        }
        let clientID = try client(&state, of: request, tokens.map(\.value), owner.account, group)
        let environment = request.environment ?? owner.account.id.environment
        // Elsewhere a dot in an id says nothing of a tenant.
        let home = EnvironmentAliases.isMicrosoft(environment) ? owner.account.homeRealm : nil
        let realm = request.realm ?? home ?? ""
        let stored = try storedToken(owner.account, group, request, clientID, realm)
        let own = tokens.map(\.value).filter { $0.clientID == clientID }.max { Self.isWorse($0, $1, hasSecret) }
        let family = tokens.map(\.value)
            .filter { $0.clientID != clientID && $0.familyID != nil }.max { Self.isWorse($0, $1, hasSecret) }
        var situation = SilentSituation(
            accessToken: AccessTokenState(stored, now: now, minimumValidity: request.minimumValidity),
            own: own.map { SilentSituation.RefreshToken($0, hasSecret: hasSecret($0)) },
            family: family.map { SilentSituation.RefreshToken($0, hasSecret: hasSecret($0)) },
            environment: environment)
        situation.membership = try membership(of: clientID, environment, group)
        return SilentCase(
            account: owner.account, group: group.name, groupID: group.keys.group, reason: owner.reason,
            clientID: clientID, realm: realm.isEmpty ? stored?.realm ?? "" : realm,
            scopes: request.scopes.isEmpty ? stored?.scopes ?? [] : request.scopes, stored: stored, own: own,
            family: family, situation: situation)
    }

    /// The client that the token is for: the one named, the only one with a grant that lasts, or the default of those.
    private func client(
        _ state: inout State, of request: TokenRequest, _ tokens: [Credential], _ account: Account,
        _ group: UnlockedVault.Group
    ) throws -> String? {
        if let id = request.clientID { return id }
        let active = Set(tokens.filter { ($0.grant ?? Grant()).state == .active }.map(\.clientID)).sorted()
        let clients = active.isEmpty ? Set(tokens.map(\.clientID)).sorted() : active
        guard clients.count < 2 else {
            let environment = account.id.environment
            if let id = try preferredClient(&state, among: clients, at: environment, group) { return id }
            throw KeyringError(
                .ambiguous, "\(account.name) is signed in to \(clients.count) clients", hint: "say which with --client",
                candidates: clients)
        }
        return clients.first
    }

    /// The stored access token that would answer, were it valid.
    private func storedToken(
        _ account: Account, _ group: UnlockedVault.Group, _ request: TokenRequest, _ clientID: String?, _ realm: String
    ) throws -> Credential? {
        let found = try database.credentials(.accessToken, of: account.id, in: group.keys).items.map(\.value)
            .filter { token in
                token.serves(request) && (clientID == nil || token.clientID == clientID)
                    && (realm.isEmpty || Identifier.folded(token.realm) == Identifier.folded(realm))
            }
        if request.scopes.isEmpty, Set(found.map(\.scopes)).count > 1 {
            throw KeyringError(
                .ambiguous, "\(account.name) has \(found.count) tokens for different scopes",
                hint: "say which with --scope", candidates: found.map { $0.scopes.spaceSeparated }.sorted())
        }
        return found.max { $0.isOlder(than: $1) }
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
    func group(of plan: SilentCase) throws(KeyringError) -> UnlockedVault.Group {
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
