package import KeyfobFiles
package import KeyfobRecords
package import KeyfobModel
package import KeyfobSelection
internal import KeyfobSodium
package import KeyfobVault

extension TokenSearch {
    /// The setting that names the default account of a group.
    package static let defaultAccount = "default account"
    /// How the settings begin that describe added providers.
    package static let providerPrefix = "provider:"

    /// The accounts and the bindings of the groups of a request: what a choice is made from.
    package struct Roster {
        /// Those too that are remembered only.
        package var candidates: [Candidate] = []
        package var bindings: [Binding] = []
        /// Whether every record that tells of them opens.
        package var isWhole = true
    }

    /// The account that `request` means, when it is clear.
    ///
    /// - Throws: `unselected` where it is not; `uncertain` when what does not open might be the one.
    package func choose(
        _ state: inout LookupState, _ request: TokenRequest, _ groups: [UnlockedVault.Group], _ now: Timestamp
    ) throws(StorageFailure) -> (candidate: Candidate, reason: Verdict.Reason) {
        state.isLeftToOthers = false
        let found = try choice(&state, request, groups, now)
        try warnOfMissingDefault(&state, request, groups, found)
        return found
    }

    /// Tells that the default account of a group is gone, where another one was taken that nobody has named.
    ///
    /// In the Secret Service other programs may remove single items. Who removes an account by Keyfob removes with it that it
    /// is the default.
    private func warnOfMissingDefault(
        _ state: inout LookupState, _ request: TokenRequest, _ groups: [UnlockedVault.Group],
        _ found: (candidate: Candidate, reason: Verdict.Reason)
    ) throws(StorageFailure) {
        guard storage.place == .secretService, !found.candidate.isDefault else { return }
        switch found.reason {
        case .explicit, .addressUser, .usual, .bound, .calledFrom: return
        case .onlyOne, .onlyGranted, .indicated, .learned, .groupDefault: break
        }
        let taken = found.candidate.account
        let isForOnePlace = request.environment != nil || request.context.url != nil
        for group in groups {
            guard let id = try storage.setting(Self.defaultAccount, in: group.keys).flatMap({ AccountID($0.value) }),
                // Of another provider it would not have been taken.
                !isForOnePlace || EnvironmentAliases.areSame(id.environment, taken.id.environment)
            else { continue }
            let what: String
            if try storage.account(id, in: group.keys) == nil {
                var isFollowed = false
                _ = try storage.forEachAccount(in: group.keys) { isFollowed = isFollowed || $0.formerIDs.contains(id) }
                if isFollowed { continue }
                what = "is gone from"
            } else if try holdings(of: id, in: group, Holdings.Extent.everything.kinds)?.isEmpty == true {
                what = "has no tokens any more in"
            } else {
                continue
            }
            let name = taken.username.isEmpty ? taken.id.description : taken.username
            state.warn(
                Warning(
                    .serviceItems,
                    "the default account of group '\(group.name)', \(id), \(what) the Secret Service; the token is "
                        + "that of \(name)", advice: .makeDefault(such: name)))
        }
    }

    private func choice(
        _ state: inout LookupState, _ request: TokenRequest, _ groups: [UnlockedVault.Group], _ now: Timestamp
    ) throws(StorageFailure) -> (candidate: Candidate, reason: Verdict.Reason) {
        let decisions = try decisions(&state, groups, directory: request.context.directory)
        if decisions.isWhole, let found = try chooseAmongFew(&state, request, groups, decisions, now) {
            return found
        }
        // What access tokens there are nobody asks of many requests; who is told why nobody is chosen is told all.
        if !request.asksOfTokens,
            let found = try chooseAmongAll(&state, request, groups, decisions, .grants, now).found
        {
            return found
        }
        let all = try chooseAmongAll(&state, request, groups, decisions, request.extent, now)
        if let found = all.found { return found }
        var evidence = all.evidence
        evidence.caller = try caller(&state, groups, request.context)
        if evidence.caller != nil, let found = try choose(&state, request, among: all.candidates, groups, evidence) {
            return found
        }
        let selection = AccountSelector().select(
            request, among: all.candidates, groups: groups.map { $0.name }, evidence: evidence)
        state.warn(ofPassedOver: selection.passedOver)
        state.isLeftToOthers = selection.leavesToOthers(request)
        throw LookupRefusal.unselected(selection, request).onTheWay
    }

    private func chooseAmongAll(
        _ state: inout LookupState, _ request: TokenRequest, _ groups: [UnlockedVault.Group],
        _ decisions: Decisions, _ extent: Holdings.Extent, _ now: Timestamp
    ) throws(StorageFailure) -> (
        found: (candidate: Candidate, reason: Verdict.Reason)?, candidates: [Candidate], evidence: Evidence
    ) {
        let roster = try roster(&state, groups, request.context, decisions, extent)
        let (candidates, evidence) = evidence(&state, roster, request, groups, now)
        // Without what does not open, another account may seem to be the one.
        guard roster.isWhole else { throw LookupRefusal.uncertain.onTheWay }
        return (try choose(&state, request, among: candidates, groups, evidence), candidates, evidence)
    }

    /// Whom the request means among some; nil where it does not show.
    private func choose(
        _ state: inout LookupState, _ request: TokenRequest, among candidates: [Candidate],
        _ groups: [UnlockedVault.Group], _ evidence: Evidence
    ) throws(StorageFailure) -> (candidate: Candidate, reason: Verdict.Reason)? {
        guard
            let choice = AccountSelector().choose(
                request, among: candidates, groups: groups.map { $0.name }, evidence: evidence)
        else { return nil }
        try requireHistory(of: choice)
        state.warn(ofPassedOver: choice.passedOver)
        return (choice.candidate, choice.reason)
    }

    /// What each account is told, where the folder from which the calling program was called counts too.
    package func select(
        _ state: inout LookupState, _ request: TokenRequest, among candidates: [Candidate],
        _ groups: [UnlockedVault.Group], _ evidence: Evidence
    ) throws(StorageFailure) -> Selection {
        var evidence = evidence
        evidence.caller = try caller(&state, groups, request.context)
        return AccountSelector().select(
            request, among: candidates, groups: groups.map { $0.name }, evidence: evidence)
    }

    /// The nearest bound folder from which the calling program was called, where that may count, and what is bound there.
    private func caller(
        _ state: inout LookupState, _ groups: [UnlockedVault.Group], _ context: RequestContext
    ) throws(StorageFailure) -> (context: RequestContext, bindings: [Binding])? {
        for folder in CallingTool.folders(context.callers) where folder != context.directory {
            var caller = RequestContext(directory: folder)
            // What is looked at there must not keep git waiting.
            let isLocal = KnownFile.isLocal(folder)
            if isLocal, context.callers == .ofThisProcess {
                caller.repository = DirectoryContext(at: folder).repository
            }
            let bindings = try decisions(&state, groups, directory: isLocal ? folder : nil).bindings
            if AccountSelector().isBound(caller, by: bindings) { return (caller, bindings) }
        }
        return nil
    }

    /// Makes sure that what a choice rests on was looked at.
    func requireHistory(of choice: ChosenAccount) throws(StorageFailure) {
        if history == nil, choice.restsOnHistory { throw LookupRefusal.needsHistory.onTheWay }
    }

    /// The accounts and bindings of `groups`, with what `request` asks of them, or more.
    package func roster(
        _ state: inout LookupState, _ groups: [UnlockedVault.Group], _ request: TokenRequest,
        _ extent: Holdings.Extent? = nil
    ) throws(StorageFailure) -> Roster {
        let decisions = try decisions(&state, groups, directory: request.context.directory)
        return try roster(&state, groups, request.context, decisions, extent ?? request.extent)
    }

    private func roster(
        _ state: inout LookupState, _ groups: [UnlockedVault.Group], _ context: RequestContext,
        _ decisions: Decisions, _ extent: Holdings.Extent
    ) throws(StorageFailure) -> Roster {
        var roster = Roster(bindings: decisions.bindings, isWhole: decisions.isWhole)
        for group in groups {
            var found = try self.candidates(&state, group, extent)
            let present = Set(found.candidates.flatMap { [$0.account.id] + $0.account.formerIDs })
            found.candidates += remembered(decisions, in: group.name, found.preferred) { present.contains($0) }
            if let url = context.url { try addHosts(to: &found.candidates, of: group, for: url.host) }
            roster.candidates += found.candidates
            roster.isWhole = roster.isWhole && found.isWhole
        }
        return roster
    }

    /// The hosts that the providers name which were added to a group, those that the owner described first.
    ///
    /// Where nobody is here to read the descriptions, there are none as long as none may name `host`, the one that is asked
    /// about: what they say of others decides nothing.
    func describedHosts(of group: UnlockedVault.Group, for host: String) throws(StorageFailure) -> [(
        environment: String, hosts: [HostPattern]
    )] {
        let settings = try storage.settings(prefixes: [Self.providerPrefix], in: group.keys).items
        guard !settings.isEmpty else { return [] }
        guard let providerHosts else {
            guard settings.allSatisfy({ !$0.value.mayName(host) }) else { throw LookupRefusal.needsProviders.onTheWay }
            return []
        }
        let owners = settings.filter { $0.value.writer == .owner }.compactMap { providerHosts($0.value) }
        let others = settings.filter { $0.value.writer != .owner }.compactMap { providerHosts($0.value) }
        return owners + others
    }

    /// Tells candidates which hosts the providers name that were added to their group: for an environment that the owner
    /// described, the owner's alone.
    func addHosts(
        to candidates: inout [Candidate], of group: UnlockedVault.Group, for host: String
    ) throws(StorageFailure) {
        let described = try describedHosts(of: group, for: host)
        guard !described.isEmpty else { return }
        for index in candidates.indices {
            let own = candidates[index].account.id.environment
            candidates[index].apiHosts =
                described.first { EnvironmentAliases.areSame($0.environment, own) }?.hosts ?? []
        }
    }

    /// What a choice rests on besides the request; the candidates are called as the history calls them.
    package func evidence(
        _ state: inout LookupState, _ roster: Roster, _ request: TokenRequest, _ groups: [UnlockedVault.Group],
        _ now: Timestamp
    ) -> ([Candidate], Evidence) {
        var evidence = Evidence(bindings: roster.bindings, now: now)
        evidence.hasClosedGroups = state.vault.hasGroupsBeyondReach
        guard let past = self.history, roster.candidates.count > 1 else { return (roster.candidates, evidence) }
        var candidates = roster.candidates
        evidence.history = history(&state, past, &candidates, request.context, groups, now)
        return (candidates, evidence)
    }

    /// The accounts of one group, what it has for its default account, and whether every record that was looked at opens.
    package func candidates(
        _ state: inout LookupState, _ group: UnlockedVault.Group, _ extent: Holdings.Extent = .standing
    ) throws(StorageFailure) -> (candidates: [Candidate], preferred: Setting?, isWhole: Bool) {
        var accounts: [Account] = []
        var holdings: [AccountID: Holdings] = [:]
        var damaged = try storage.forEachAccount(in: group.keys) { accounts.append($0) }
        holdings.reserveCapacity(accounts.count)
        for kind in extent.kinds {
            damaged += try storage.forEachCredential(kind, in: group.keys) {
                holdings[$0.account, default: Holdings()].add($0)
            }
        }
        if extent == .standing { damaged += try addTokens(to: &holdings, of: accounts, in: group) }
        var preferred: Setting?
        do {
            preferred = try storage.setting(Self.defaultAccount, in: group.keys)
        } catch StoreError.damaged(let what) {
            damaged.append(what)
        }
        preferred = preferred?.followed(among: accounts)
        state.warn(ofDamage: damaged, in: group.name)
        let candidates = accounts.map { account in
            (holdings[account.id] ?? Holdings()).candidate(account, in: group.name, preferred)
        }
        return (candidates, preferred, damaged.isEmpty)
    }

    /// The accounts that a group had, and its default where that is not there either: they are in a choice so that nobody is
    /// taken in their place.
    ///
    /// - Parameter isThere: Whether an account is in the group.
    func remembered(
        _ decisions: Decisions, in group: AccessGroup, _ preferred: Setting?, unless isThere: (AccountID) -> Bool
    ) -> [Candidate] {
        var gone = decisions.former.filter { $0.group == group && !isThere($0.account.account.id) }.map { $0.account }
        if let id = preferred.flatMap({ AccountID($0.value) }), !isThere(id),
            !gone.contains(where: { $0.account.id == id })
        {
            gone.append(FormerAccount(id))
        }
        return gone.map { Candidate($0, in: group, preferred) }
    }

    /// Counts in the access tokens of those accounts that have no grant, which tell how they stand.
    ///
    /// Of a few they are found by index; that one has none is said only after all were opened.
    ///
    /// - Returns: What is wrong with the records that were passed over, in words.
    private func addTokens(
        to holdings: inout [AccountID: Holdings], of accounts: [Account], in group: UnlockedVault.Group
    ) throws(StorageFailure) -> [String] {
        let rest = accounts.filter { holdings[$0.id] == nil }
        guard !rest.isEmpty else { return [] }
        if rest.count <= accounts.count / 4 {
            var found: [(account: AccountID, tokens: SearchResult<Credential>)] = []
            for account in rest {
                let tokens = try storage.credentials(.accessToken, of: account.id, in: group.keys)
                guard !tokens.items.isEmpty, tokens.damaged.isEmpty else { break }
                found.append((account.id, tokens))
            }
            if found.count == rest.count {
                for (account, tokens) in found {
                    for item in tokens.items { holdings[account, default: Holdings()].add(item.value) }
                }
                return []
            }
        }
        let ids = Set(rest.map { $0.id })
        return try storage.forEachCredential(.accessToken, in: group.keys) { token in
            if ids.contains(token.account) { holdings[token.account, default: Holdings()].add(token) }
        }
    }
}

/// What an account holds in a group, as far as a choice asks for it.
package struct Holdings {
    /// Which credentials are opened.
    package enum Extent {
        /// What can be renewed: from it alone shows whether an account will do, where nothing is asked of its tokens.
        case grants
        /// These, and the access tokens of accounts that have none: what shows how a sign-in stands.
        case standing
        /// All but ID tokens.
        case everything

        /// The kinds of which all are opened.
        var kinds: [Credential.Kind] { self == .everything ? [.accessToken, .refreshToken] : [.refreshToken] }
    }

    private var clients: Set<String> = []
    private var hasFamilyGrant = false
    private var realms: Set<String> = []
    private var grants: [Grant.State] = []
    private var end: SignInEnd?
    private var tokenScopes: [ScopeSet] = []
    /// Of tokens that somebody stored.
    private var storedEnds: [(from: Timestamp?, until: Timestamp?)] = []
    private var hasTokensOfClients = false
    private var grantScopes: [String] = []
    private var reach = FormerReach.tokens

    /// Whether there is nothing.
    var isEmpty: Bool { clients.isEmpty }

    /// Nothing.
    package init() {}

    /// Counts a credential in.
    package mutating func add(_ credential: Credential) {
        clients.insert(credential.clientID)
        if !credential.realm.isEmpty { realms.insert(credential.realm) }
        guard credential.kind == .refreshToken else {
            if credential.clientID == Credential.noClient {
                storedEnds.append((credential.cachedAt, credential.expiresOn))
            } else {
                hasTokensOfClients = true
            }
            return tokenScopes.append(credential.scopes)
        }
        let grant = credential.grant ?? Grant()
        grants.append(grant.apparentState)
        // What it could do says who is meant, also when its sign-in has ended.
        if let former = credential.former { realms.formUnion(former.realms) }
        if credential.familyID != nil { hasFamilyGrant = true }
        grantScopes += credential.scopes.scopes
        reach = reach.joined(with: FormerReach(of: [credential]))
        guard grant.state == .active else { return }
        if let end = SignInEnd(credential), self.end.map({ end.endsOn < $0.endsOn }) ?? true { self.end = end }
    }

    /// The account that holds it.
    ///
    /// - Parameter preferred: What the group has for its default account.
    package func candidate(_ account: Account, in group: AccessGroup, _ preferred: Setting?) -> Candidate {
        let isDefault = preferred?.value == account.id.canonical
        var candidate = Candidate(
            account: account, group: group, state: state, clientIDs: clients, hasFamilyGrant: hasFamilyGrant,
            realms: realms,
            tokenScopes: tokenScopes, grantScopes: ScopeSet(grantScopes),
            end: grants.isEmpty && !hasTokensOfClients ? SignInEnd(stored: storedEnds) : end, isDefault: isDefault,
            isOwnersDefault: isDefault && preferred?.isOwners == true)
        candidate.formerReach = reach
        return candidate
    }

    private var state: Candidate.SignInState {
        if grants.contains(.active) { return .signedIn }
        for grant in grants {
            if case .needsSignIn(let reason) = grant { return .needsSignIn(reason: reason) }
        }
        if !grants.isEmpty { return .signedOut }
        return clients.isEmpty ? .noCredentials : .tokensOnly
    }
}

extension Setting {
    /// Whether the description of a provider may name a host among those of its services, whatever else it says.
    fileprivate func mayName(_ host: String) -> Bool {
        Array(value.utf8).withBytes { bytes in
            guard let tape = try? JSONTape(reading: bytes) else { return true }
            guard let list = tape.member(HostPattern.member, of: tape.root, in: bytes) else { return false }
            return tape.elements(of: list).contains { element in
                tape.string(of: element, in: bytes).flatMap { HostPattern($0) }?.matches(host) ?? true
            }
        }
    }

    /// A group's default account, where an id that an account of the group had means that account, unless another has the id now.
    func followed(among accounts: [Account]) -> Setting {
        guard let id = AccountID(value), !accounts.contains(where: { $0.id == id }),
            let owner = accounts.filter({ $0.formerIDs.contains(id) }).map({ $0.id }).min()
        else { return self }
        return Setting(name, owner.canonical, by: writer)
    }
}

extension Candidate {
    /// An account that a group had.
    fileprivate init(_ former: FormerAccount, in group: AccessGroup, _ preferred: Setting?) {
        let isDefault = preferred?.value == former.account.id.canonical
        self.init(
            account: former.account, group: group, state: .signedOut, clientIDs: former.clientIDs,
            hasFamilyGrant: former.hadFamilyGrant, realms: former.realms, grantScopes: former.scopes,
            isDefault: isDefault, isOwnersDefault: isDefault && preferred?.isOwners == true)
        formerReach = former.reach
        isRemoved = true
    }
}

extension TokenRequest {
    /// The credentials from which shows how accounts stand, and whether they will do.
    var extent: Holdings.Extent { asksOfTokens ? .everything : .standing }

    /// Whether it depends on the access tokens that an account has whether it will do.
    var asksOfTokens: Bool {
        !scopes.isEmpty || context.url != nil || realm != nil || clientID != nil
    }
}
