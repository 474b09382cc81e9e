internal import KeyfobFiles
internal import KeyfobRecords
package import KeyfobModel
package import KeyfobSelection
package import KeyfobVault

extension TokenSearch {
    /// The setting that names the default account of a group.
    package static let defaultAccount = "default account"
    /// How the settings begin that describe added providers.
    package static let providerPrefix = "provider:"

    /// The accounts and the bindings of the groups of a request: what a choice is made from.
    package struct Roster {
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
    ) throws -> (candidate: Candidate, reason: Verdict.Reason) {
        let roster = try roster(&state, groups, request.context)
        let (candidates, evidence) = evidence(&state, roster, request, groups, now)
        // Without what does not open, another account may seem to be the one.
        guard roster.isWhole else { throw LookupRefusal.uncertain }
        let (selector, names) = (AccountSelector(), groups.map(\.name))
        if let choice = selector.choose(request, among: candidates, groups: names, evidence: evidence) {
            state.warn(ofPassedOver: choice.passedOver)
            return (choice.candidate, choice.reason)
        }
        // Before saying that there is nobody, make sure that nobody is missing.
        for group in groups { try storage.requireComplete(group.keys) }
        let selection = selector.select(request, among: candidates, groups: names, evidence: evidence)
        state.warn(ofPassedOver: selection.passedOver)
        throw LookupRefusal.unselected(selection, request)
    }

    /// The accounts and bindings of `groups`.
    package func roster(
        _ state: inout LookupState, _ groups: [UnlockedVault.Group], _ context: RequestContext
    ) throws -> Roster {
        var roster = Roster()
        for group in groups {
            var found = try self.candidates(&state, group)
            if context.url != nil { try addHosts(to: &found.candidates, of: group) }
            roster.candidates += found.candidates
            roster.isWhole = roster.isWhole && found.isWhole
        }
        let found = try bindings(&state, groups, directory: context.directory)
        roster.bindings = found.bindings
        roster.isWhole = roster.isWhole && found.isWhole
        return roster
    }

    /// Tells the candidates of a group which hosts the providers name that were added to it: for an environment that the
    /// owner described, the owner's alone.
    private func addHosts(to candidates: inout [Candidate], of group: UnlockedVault.Group) throws {
        let settings = try storage.settings(prefixes: [Self.providerPrefix], in: group.keys).items
        guard !settings.isEmpty else { return }
        guard let providerHosts else { throw LookupRefusal.needsProviders }
        let owners = settings.filter { $0.value.writer == .owner }.compactMap { providerHosts($0.value) }
        let others = settings.filter { $0.value.writer != .owner }.compactMap { providerHosts($0.value) }
        for index in candidates.indices {
            let described = (owners + others).first {
                EnvironmentAliases.areSame($0.environment, candidates[index].account.id.environment)
            }
            candidates[index].apiHosts = described?.hosts ?? []
        }
    }

    /// What a choice rests on besides the request; the candidates are called as the history calls them.
    package func evidence(
        _ state: inout LookupState, _ roster: Roster, _ request: TokenRequest, _ groups: [UnlockedVault.Group],
        _ now: Timestamp
    ) -> ([Candidate], Evidence) {
        var evidence = Evidence(bindings: roster.bindings, now: now)
        guard roster.candidates.count > 1 else { return (roster.candidates, evidence) }
        var candidates = roster.candidates
        evidence.history = history(&state, &candidates, request.context, groups, now)
        return (candidates, evidence)
    }

    /// The accounts of one group, and whether every record that tells of them opens.
    package func candidates(
        _ state: inout LookupState, _ group: UnlockedVault.Group
    ) throws -> (candidates: [Candidate], isWhole: Bool) {
        let accounts = try storage.accounts(in: group.keys)
        var damaged = accounts.damaged
        var clients: [AccountID: Set<String>] = [:]
        var realms: [AccountID: Set<String>] = [:]
        var grants: [AccountID: [Grant.State]] = [:]
        var ends: [AccountID: SignInEnd] = [:]
        var tokenScopes: [AccountID: [ScopeSet]] = [:]
        var grantScopes: [AccountID: [String]] = [:]
        for kind in Credential.Kind.allCases where kind != .idToken {
            let credentials = try storage.credentials(kind, in: group.keys)
            damaged += credentials.damaged
            for item in credentials.items {
                clients[item.value.account, default: []].insert(item.value.clientID)
                if !item.value.realm.isEmpty { realms[item.value.account, default: []].insert(item.value.realm) }
                if kind == .refreshToken {
                    let grant = item.value.grant ?? Grant()
                    grants[item.value.account, default: []].append(grant.apparentState)
                    guard grant.state == .active else { continue }
                    if let end = SignInEnd(item.value), ends[item.value.account].map({ end.endsOn < $0.endsOn }) ?? true
                    {
                        ends[item.value.account] = end
                    }
                    grantScopes[item.value.account, default: []] += item.value.scopes.scopes
                } else {
                    tokenScopes[item.value.account, default: []].append(item.value.scopes)
                }
            }
        }
        var preferred: Setting?
        do {
            preferred = try storage.setting(Self.defaultAccount, in: group.keys)
        } catch StoreError.damaged(let what) {
            damaged.append(what)
        }
        state.warn(ofDamage: damaged, in: group.name)
        let candidates = accounts.items.map { item in
            let account = item.value
            return Candidate(
                account: account, group: group.name,
                state: Self.signInState(grants[account.id] ?? [], hasTokens: clients[account.id] != nil),
                clientIDs: clients[account.id] ?? [], realms: realms[account.id] ?? [],
                tokenScopes: tokenScopes[account.id] ?? [], grantScopes: ScopeSet(grantScopes[account.id] ?? []),
                end: ends[account.id],
                isDefault: preferred?.value == account.id.canonical,
                isOwnersDefault: preferred?.value == account.id.canonical && preferred?.isOwners == true)
        }
        return (candidates, damaged.isEmpty)
    }

    private static func signInState(_ grants: [Grant.State], hasTokens: Bool) -> Candidate.SignInState {
        if grants.contains(.active) { return .signedIn }
        for grant in grants {
            if case .needsSignIn(let reason) = grant { return .needsSignIn(reason: reason) }
        }
        if !grants.isEmpty { return .signedOut }
        return hasTokens ? .tokensOnly : .noCredentials
    }
}
