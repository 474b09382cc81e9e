package import KeyfobFiles
package import KeyfobRecords
package import KeyfobSQLite
package import KeyfobModel
package import KeyfobSelection
package import KeyfobVault

/// Finds accounts and tokens in a vault that is open: what an answer from the cache takes, and nothing else.
package struct TokenSearch: Sendable {
    /// Where the records lie.
    package let storage: AnyVaultReading
    /// What was chosen before; nil where no choice that rests on it is taken.
    let history: PastEvents?
    /// What was seen of the vault before.
    package let mark: HighWaterMark
    /// How project files are looked at.
    let projectFiles: ProjectFileAccess
    /// What the description of an added provider says of hosts; nil where nobody is here to read it.
    let providerHosts: ProviderHosts?
    /// The time.
    let time: @Sendable () -> Timestamp

    /// What was chosen before in a group.
    package struct PastEvents: Sendable {
        /// The newest events, and why there are not as many as there could be.
        package let events: @Sendable (GroupKeys) -> (records: [UsageRecord], problem: UsageProblem?)
        /// How many there are, without opening them.
        package let count: @Sendable (GroupKeys) -> (count: Int, problem: UsageProblem?)

        /// The history as these two functions tell it.
        package init(
            events: @escaping @Sendable (GroupKeys) -> (records: [UsageRecord], problem: UsageProblem?),
            count: @escaping @Sendable (GroupKeys) -> (count: Int, problem: UsageProblem?)
        ) {
            self.events = events
            self.count = count
        }

        /// Nothing.
        static let none = PastEvents(events: { _ in ([], nil) }, count: { _ in (0, nil) })
    }

    /// The environment of an added provider and the API hosts that its description names, by the setting that keeps
    /// it; nil for one that does not count.
    package typealias ProviderHosts = @Sendable (Setting) -> (environment: String, hosts: [HostPattern])?

    /// A search.
    package init(
        storage: AnyVaultReading, history: PastEvents?, mark: HighWaterMark, projectFiles: ProjectFileAccess,
        providerHosts: ProviderHosts?, time: @escaping @Sendable () -> Timestamp
    ) {
        self.storage = storage
        self.history = history
        self.mark = mark
        self.projectFiles = projectFiles
        self.providerHosts = providerHosts
        self.time = time
    }

    /// Whose token it is to be, where the account is, and why.
    package typealias Owner = (account: Account, group: AccessGroup, reason: Verdict.Reason)

    /// Which of several clients is the default at an environment, for the accounts of a group; asked only where it
    /// decides.
    package typealias PreferredClient = (
        inout LookupState, _ ids: [String], _ environment: String, UnlockedVault.Group
    ) throws(StorageFailure) -> String?

    /// Access tokens that serve a request, whatever their state, and what is wrong with those that do not open.
    typealias FittingTokens = (items: [StoredItem<Credential>], damaged: [String])

    /// What is stored for a request: whose token it is to be, and the access tokens that fit.
    package struct StoredTokens {
        /// Whose token it is to be, where the account is, and why.
        package var owner: Owner
        /// The owner's group.
        package let group: UnlockedVault.Group
        /// The tenant that is meant.
        package let tenant: RequestTenant
        /// Those of that group that serve the request, whatever their state.
        package let fitting: [StoredItem<Credential>]
        /// The one that is valid.
        package var hit: TokenHits.Hit?
    }

    /// Finds out whose token is asked for, and which are stored.
    ///
    /// - Parameters:
    ///   - names: The groups to look through, in order; nil for all within reach.
    ///   - takesValid: Whether a valid one is to be handed out: then damage is no reason to pass it over.
    /// - Throws: ``LookupRefusal``, `StoreError`, and what `preferring` throws.
    package func stored(
        _ state: inout LookupState, _ request: TokenRequest, in names: [AccessGroup]?, takesValid: Bool,
        _ now: Timestamp, preferring: PreferredClient
    ) throws(StorageFailure) -> StoredTokens {
        let groups = try self.groups(&state, names, try storage.version())
        let owner = try account(&state, request, groups, now)
        guard let group = groups.first(where: { $0.name == owner.group }) else {
            throw LookupRefusal.fault("the account chosen is in none of the groups asked for").onTheWay
        }
        let tenant = RequestTenant(of: request, for: owner.account, by: owner.reason)
        if case .several(let realms) = tenant {
            throw LookupRefusal.ambiguous(.tenants(realms.sorted()), owner.account).onTheWay
        }
        let tokens = try fitting(&state, request, tenant, owner.account.id, group)
        var stored = StoredTokens(owner: owner, group: group, tenant: tenant, fitting: tokens.items)
        guard takesValid else { return stored }
        stored.hit = try hit(&state, request, stored, tokens.damaged, now, preferring)
        return stored
    }

    /// The access tokens of an account in a group that serve `request`, whatever their state.
    private func fitting(
        _ state: inout LookupState, _ request: TokenRequest, _ tenant: RequestTenant, _ account: AccountID,
        _ group: UnlockedVault.Group
    ) throws(StorageFailure) -> FittingTokens {
        let tokens = try storage.credentials(.accessToken, of: account, client: request.client, in: group.keys)
        state.warn(ofDamage: tokens.damaged, in: group.name)
        return (tokens.items.filter { $0.value.serves(request, at: tenant) }, tokens.damaged)
    }

    /// The valid one of the access tokens that serve `request`; nil where none is found.
    private func hit(
        _ state: inout LookupState, _ request: TokenRequest, _ stored: StoredTokens, _ damaged: [String],
        _ now: Timestamp, _ preferring: PreferredClient
    ) throws(StorageFailure) -> TokenHits.Hit? {
        let choice = TokenChoice(request: request, tenant: stored.tenant, account: stored.owner.account, now: now)
        if let item = try token(&state, choice, among: stored.fitting, stored.group, preferring: preferring),
            choice.isValid(item.value)
        {
            return try isBehindSignIn(item.value, choice.serving(stored.fitting), stored)
                ? nil : hit(item, request, stored.owner, stored.group, now)
        }
        if let damage = damaged.first { throw StoreError.damaged(what: damage) }
        return nil
    }

    /// Whether a token of no client serves only because that of a sign-in has expired, which a refresh gives anew.
    ///
    /// What somebody brought along must not take the place of what the provider gave to the account.
    private func isBehindSignIn(
        _ token: Credential, _ others: [StoredItem<Credential>], _ stored: StoredTokens
    ) throws(StorageFailure) -> Bool {
        guard token.clientID == Credential.noClient else { return false }
        let clients = Set(others.map { $0.value.clientID }.filter { $0 != Credential.noClient })
        guard !clients.isEmpty else { return false }
        return try storage.credentials(.refreshToken, of: stored.owner.account.id, in: stored.group.keys).items
            .contains { clients.contains($0.value.clientID) && ($0.value.grant ?? Grant()).state == .active }
    }

    /// The token that `choice` takes.
    ///
    /// - Throws: ``LookupRefusal/ambiguous(_:_:)``, and what `preferring` throws.
    package func token(
        _ state: inout LookupState, _ choice: TokenChoice, among tokens: [StoredItem<Credential>],
        _ group: UnlockedVault.Group, preferring: PreferredClient
    ) throws(StorageFailure) -> StoredItem<Credential>? {
        do {
            return try choice.token(among: tokens) { ids throws(StorageFailure) in
                try preferring(&state, ids, choice.account.id.environment, group)
            }
        } catch {
            switch error {
            case .ambiguous(let ambiguity): throw LookupRefusal.ambiguous(ambiguity, choice.account).onTheWay
            case .unpreferred(let failure): throw failure
            }
        }
    }

    /// A stored token, still sealed, with what is known of it.
    package func hit(
        _ item: StoredItem<Credential>, _ request: TokenRequest, _ owner: Owner, _ group: UnlockedVault.Group,
        _ now: Timestamp
    ) throws(StorageFailure) -> TokenHits.Hit {
        let freshness = item.value.freshness(now: now, minimumValidity: request.minimumValidity)
        return TokenHits.Hit(
            credential: item.value, account: owner.account, group: group.name, isAging: freshness == .aging,
            reason: owner.reason, header: item.record.header,
            secret: try storage.sealedSecret(of: item.record, in: group.keys), keys: group.keys)
    }

    /// The groups asked for, each compared with its mark unless nothing has changed since.
    func groups(
        _ state: inout LookupState, _ names: [AccessGroup]?, _ version: StorageVersion
    ) throws(StorageFailure) -> [UnlockedVault.Group] {
        let groups = try reachable(state, names)
        for group in groups { try checkState(&state, group, at: version) }
        return groups
    }

    func reachable(
        _ state: borrowing LookupState, _ names: [AccessGroup]?
    ) throws(StorageFailure) -> [UnlockedVault.Group] {
        do {
            return try state.reachable(names)
        } catch {
            throw error.onTheWay
        }
    }

    /// The account that `request` means, and the group it is in.
    private func account(
        _ state: inout LookupState, _ request: TokenRequest, _ groups: [UnlockedVault.Group], _ now: Timestamp
    ) throws(StorageFailure) -> Owner {
        // Where its provider alone does not say that the token may go there, all the evidence decides.
        if let naming = request.naming, let text = request.account ?? request.login,
            let found = try indexed(text, request, groups),
            DestinationRule(request)?.allows(found.account.id, in: found.group) ?? true
        {
            return (found.account, found.group, naming)
        }
        let (candidate, reason) = try choose(&state, request, groups, now)
        return (candidate.account, candidate.group, reason)
    }

    /// The account that `text` names exactly, when it is one in one group: found by index, without opening any other.
    private func indexed(
        _ text: String, _ request: TokenRequest, _ groups: [UnlockedVault.Group]
    ) throws(StorageFailure) -> (account: Account, group: AccessGroup)? {
        var found: [(account: Account, group: AccessGroup)] = []
        for group in groups {
            let accounts = try storage.accounts(named: text, in: group.keys)
            for account in accounts {
                if request.excludes(account.id) { continue }
                found.append((account, group.name))
            }
        }
        // Where the address names somebody else, that is told.
        guard found.count == 1, request.login.map(found[0].account.isCalled) ?? true else { return nil }
        return found[0]
    }
}

extension TokenRequest {
    /// The client and the tenant, where both are named: an index leads to their tokens.
    fileprivate var client: (id: String, realm: String)? { clientID.flatMap { id in realm.map { (id, $0) } } }
}
