package import KeyfobFiles
package import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
package import KeyfobSelection
package import KeyfobVault

// What a choice needs of a group that has very many accounts: the few that its evidence names, found by index or by the
// group's catalogue, and then opened. No index makes anybody chosen or hides another: what is not found is looked for
// among all, and that there are no others says the catalogue alone, which is sealed. Only of whoever a repository names is it
// enough that no index leads to anybody: for one that was hidden it is as if the repository said nothing.

extension TokenSearch {
    /// How many accounts of a group are looked at to see that one is not the only one.
    private static let witnesses = 8
    /// How many where what was used before is weighed: of them enough have to do that one more would change nothing.
    private static let strangers = 24
    /// Of more accounts that were used before, each is not looked for by itself.
    private static let usedLimit = 64

    /// The accounts that may decide a choice.
    private struct Few {
        var accounts: [Place] = []
        var coverage = Coverage.some
        /// Whom a repository or an address may indicate; nil where nobody has looked, or nothing indicates anybody.
        var indicated: Indicated?
    }

    /// Who else there may be.
    private enum Coverage {
        /// Others.
        case some
        /// Nobody who was granted the scopes.
        case granted
        /// Nobody who will do at all.
        case feasible
    }

    /// An account, and where it lies.
    typealias Place = (account: Account, group: UnlockedVault.Group)

    /// The account that `request` means, where a few accounts decide that; nil where all of them have to be looked at.
    ///
    /// It is the one that a choice among all comes to, with the same reason: only the accounts that are still in it at its
    /// end say anything of either, and they are here.
    package func chooseAmongFew(
        _ state: inout LookupState, _ request: TokenRequest, _ groups: [UnlockedVault.Group], _ decisions: Decisions,
        _ now: Timestamp
    ) throws(StorageFailure) -> (candidate: Candidate, reason: Verdict.Reason)? {
        do throws(StorageFailure) {
            if let named = try named(request, groups, decisions.bindings) {
                return try choose(&state, request, groups, decisions, named, [], now)
            }
            guard let preferred = try self.preferred(groups, decisions) else { return nil }
            if let feasible = try feasible(request, groups) {
                let few = Few(accounts: feasible, coverage: .feasible)
                return try choose(&state, request, groups, decisions, few, preferred, now)
            }
            let indicated = try indicated(request, groups)
            if let indicated, !indicated.accounts.isEmpty {
                let few = Few(accounts: indicated.accounts + (try witnesses(groups)), indicated: indicated)
                // What was used before says nothing where somebody is indicated.
                let choice = try choose(&state, request, groups, decisions, few, preferred, now, remembers: false)
                if case .indicated? = choice?.reason { return choice }
            }
            var few = Few(accounts: indicated?.accounts ?? [], indicated: indicated)
            if let holders = try holders(request, groups) {
                few.coverage = .granted
                few.accounts += try accounts(holders, in: groups)
                few.accounts += try witnesses(groups)
            } else {
                let defaults = preferred.compactMap { $0.flatMap { AccountID($0.value) } }
                guard let used = try used(&state, groups), !(defaults + used).isEmpty else { return nil }
                few.accounts += try accounts(defaults + used, in: groups)
                few.accounts += try witnesses(groups, used.isEmpty ? Self.witnesses : Self.strangers)
            }
            return try choose(&state, request, groups, decisions, few, preferred, now)
        } catch StoreError.damaged {
            // Told where all are looked at.
            return nil
        }
    }

    /// What each group has for its default account; nil where such an account is gone and nobody has noted that: another one may
    /// have had its id.
    private func preferred(
        _ groups: [UnlockedVault.Group], _ decisions: Decisions
    ) throws(StorageFailure) -> [Setting?]? {
        var preferred: [Setting?] = []
        for group in groups {
            let setting = try storage.setting(Self.defaultAccount, in: group.keys)
            if let id = setting.flatMap({ AccountID($0.value) }), try storage.account(id, in: group.keys) == nil,
                !decisions.former.contains(where: { $0.group == group.name && $0.account.account.id == id })
            {
                return nil
            }
            preferred.append(setting)
        }
        return preferred
    }

    /// The account that a choice among a few comes to; nil where it is not one among all.
    ///
    /// - Parameters:
    ///   - preferred: What each group has for its default account; nothing where that cannot decide.
    ///   - remembers: Whether what was used before can decide.
    private func choose(
        _ state: inout LookupState, _ request: TokenRequest, _ groups: [UnlockedVault.Group], _ decisions: Decisions,
        _ few: Few, _ preferred: [Setting?], _ now: Timestamp, remembers: Bool = true
    ) throws(StorageFailure) -> (candidate: Candidate, reason: Verdict.Reason)? {
        guard var candidates = try candidates(few.accounts, request, groups, decisions, preferred) else { return nil }
        var evidence = Evidence(bindings: decisions.bindings, now: now)
        evidence.hasClosedGroups = state.vault.hasGroupsBeyondReach
        if remembers {
            let roster = Roster(candidates: candidates, bindings: decisions.bindings)
            (candidates, evidence) = self.evidence(&state, roster, request, groups, now)
        }
        let choice = AccountSelector().choose(
            request, among: candidates, groups: groups.map { $0.name }, evidence: evidence)
        // Whoever is left where others were left out may have been left by others too.
        guard let choice, choice.passedOver.isEmpty, few.coverage == .feasible || !choice.isNarrowed else { return nil }
        if remembers { try requireHistory(of: choice) }
        if case .learned = choice.reason, few.coverage == .some, !choice.isSaturated { return nil }
        guard mayVisit(choice.candidate, few, request, choice.reason) else { return nil }
        guard few.coverage == .feasible || isWhole(few, request, choice.reason, choice.kin),
            stands(choice.reason, of: choice.candidate, few, candidates, request, groups)
        else { return nil }
        return (choice.candidate, choice.reason)
    }

    /// Whether an account that is not known in the tenant asked for is the one among all: no other may be known there, unless
    /// this one is named.
    private func mayVisit(
        _ candidate: Candidate, _ few: Few, _ request: TokenRequest, _ reason: Verdict.Reason
    ) -> Bool {
        guard let realm = request.realm, few.coverage != .feasible, !candidate.isKnown(in: realm) else { return true }
        switch reason {
        case .explicit, .addressUser, .usual, .bound: return true
        case .onlyOne, .onlyGranted, .indicated, .learned, .calledFrom, .groupDefault: return false
        }
    }

    /// Whether whom a repository or an address indicates is the same among all.
    private func isWhole(
        _ few: Few, _ request: TokenRequest, _ reason: Verdict.Reason, _ kin: [AccessGroup: Int]
    ) -> Bool {
        switch reason {
        // Comes before that.
        case .explicit, .addressUser, .usual, .bound: return true
        case .onlyOne, .onlyGranted, .indicated, .learned, .calledFrom, .groupDefault: break
        }
        guard let indicated = few.indicated else { return !request.context.mayIndicate }
        // Of two neither is the only one, however many there are.
        return indicated.groupsWithMoreKin.allSatisfy { kin[$0].map { $0 > 1 } ?? true }
    }

    /// Whether a choice among a few is one among all, whom a repository indicates aside.
    private func stands(
        _ reason: Verdict.Reason, of candidate: Candidate, _ few: Few, _ candidates: [Candidate],
        _ request: TokenRequest, _ groups: [UnlockedVault.Group]
    ) -> Bool {
        if few.coverage == .feasible { return true }
        // Whoever was not granted the scopes is out of it as soon as somebody was.
        let isGranted = !request.scopes.isEmpty && candidate.isGranted(request.scopes)
        switch reason {
        case .explicit, .addressUser, .usual: return true
        case .bound(let binding): return groups.count == 1 || binding.writer == .owner
        case .groupDefault:
            if few.coverage == .granted { return isGranted }
            return (isGranted || request.scopes.isEmpty) && (groups.count == 1 || candidate.isOwnersDefault)
        case .indicated:
            if few.coverage == .granted { return isGranted || groups.count == 1 }
            // Accounts of other groups are not out of it by that.
            return (isGranted || request.scopes.isEmpty) && groups.count == 1
        case .learned:
            if few.coverage == .granted { return isGranted }
            // Whose default counts depends on whether accounts of other groups are still in it.
            return (isGranted || request.scopes.isEmpty)
                && (groups.count == 1 || candidates.allSatisfy { !$0.isDefault || $0.isOwnersDefault })
        case .onlyGranted: return few.coverage == .granted && isGranted
        case .onlyOne, .calledFrom: return false
        }
    }

    /// The accounts that the request names, or that a binding names that it meets; nil where there is neither.
    private func named(
        _ request: TokenRequest, _ groups: [UnlockedVault.Group], _ bindings: [Binding]
    ) throws(StorageFailure) -> Few? {
        var few = Few()
        if let text = request.account ?? request.login {
            for group in groups {
                few.accounts += try storage.accounts(named: text, in: group.keys).map { ($0, group) }
            }
            return few
        }
        let bound = AccountSelector().bound(request, by: bindings, in: groups.map { $0.name })
        guard !bound.isEmpty else { return nil }
        for group in groups {
            let own = bound.filter { $0.group == group.name }.map { $0.account }
            few.accounts += try accounts(own, in: [group])
        }
        return few
    }

    /// The same with what they hold; nil where there are none, or something of that does not open.
    private func candidates(
        _ accounts: [Place], _ request: TokenRequest, _ groups: [UnlockedVault.Group], _ decisions: Decisions,
        _ preferred: [Setting?]
    ) throws(StorageFailure) -> [Candidate]? {
        var candidates: [Candidate] = []
        for (index, group) in groups.enumerated() {
            var own: [Candidate] = []
            for (account, _) in accounts.filter({ $0.group.name == group.name })
            where !own.contains(where: { $0.account.id == account.id }) {
                guard let holdings = try holdings(of: account.id, in: group, request.extent.kinds) else { return nil }
                let setting = preferred.indices.contains(index) ? preferred[index] : nil
                own.append(holdings.candidate(account, in: group.name, setting))
            }
            if own.isEmpty, accounts.isEmpty { continue }
            own += try remembered(decisions, in: group, preferred.indices.contains(index) ? preferred[index] : nil)
            if let url = request.context.url { try addHosts(to: &own, of: group, for: url.host) }
            candidates += own
        }
        return candidates.isEmpty ? nil : candidates
    }

    /// Those that are remembered only, as ``remembered(_:in:_:unless:)``; whether one is there, an index says.
    private func remembered(
        _ decisions: Decisions, in group: UnlockedVault.Group, _ preferred: Setting?
    ) throws(StorageFailure) -> [Candidate] {
        var there: Set<AccountID> = []
        let ids = decisions.former.filter { $0.group == group.name }.map { $0.account.account.id }
        for id in ids + [preferred.flatMap { AccountID($0.value) }].compactMap({ $0 })
        where try storage.account(id, in: group.keys) != nil {
            there.insert(id)
        }
        return remembered(decisions, in: group.name, preferred) { there.contains($0) }
    }

    /// The accounts that were used before; nil where they are many, nobody can tell, or one is not found: no index says
    /// that it is gone.
    private func used(
        _ state: inout LookupState, _ groups: [UnlockedVault.Group]
    ) throws(StorageFailure) -> [AccountID]? {
        guard let history, storage.place == .embedded else { return nil }
        var ids: [AccountID] = []
        for group in groups {
            let (count, problem) = history.count(group.keys)
            // It is said once: a damaged history is begun anew.
            state.warn(of: problem)
            guard problem == nil else { return nil }
            guard count > 0 else { continue }
            let (records, obstacle) = history.events(group.keys)
            state.warn(of: obstacle)
            guard obstacle == nil else { return nil }
            var values: [BlindValue] = []
            for record in records where record.account != values.last && !values.contains(record.account) {
                guard values.count < Self.usedLimit else { return nil }
                values.append(record.account)
            }
            for value in values {
                guard let account = try storage.account(blinded: value, in: group.keys) else { return nil }
                ids.append(account.id)
            }
        }
        return ids
    }

    /// The accounts with these ids, in whichever of the groups they are.
    private func accounts(_ ids: [AccountID], in groups: [UnlockedVault.Group]) throws(StorageFailure) -> [Place] {
        var accounts: [Place] = []
        for group in groups {
            for (index, id) in ids.enumerated() where !ids[..<index].contains(id) {
                if let account = try storage.account(id, in: group.keys) { accounts.append((account, group)) }
            }
        }
        return accounts
    }

    /// Some accounts of each group.
    private func witnesses(
        _ groups: [UnlockedVault.Group], _ count: Int = TokenSearch.witnesses
    ) throws(StorageFailure) -> [Place] {
        var accounts: [Place] = []
        for group in groups {
            accounts += try storage.firstAccounts(count, in: group.keys).map { ($0, group) }
        }
        return accounts
    }

    /// Every account of the provider asked for, or of those whose tokens go to the host, and the same in the other groups.
    ///
    /// Nil where the request tells neither, or there are more than a few.
    private func feasible(_ request: TokenRequest, _ groups: [UnlockedVault.Group]) throws(StorageFailure) -> [Place]? {
        let rule = DestinationRule(request)
        guard request.environment != nil || rule != nil else { return nil }
        var ids: [AccountID] = []
        for group in groups {
            var described: [(environment: String, hosts: [HostPattern])] = []
            if let rule { described = try describedHosts(of: group, for: rule.host) }
            let found = try storage.fewAccounts(
                at: { name in
                    if let wanted = request.environment, !EnvironmentAliases.areSame(wanted, name) { return false }
                    let hosts = described.first { EnvironmentAliases.areSame($0.environment, name) }?.hosts ?? []
                    return rule?.allows(everyoneAt: name, apiHosts: hosts) ?? true
                }, in: group.keys)
            guard let found else { return nil }
            ids += found.map { $0.id }
        }
        return try accounts(ids, in: groups)
    }

    /// Every account that may have been granted the scopes; nil where there are more than a few.
    private func holders(_ request: TokenRequest, _ groups: [UnlockedVault.Group]) throws(StorageFailure)
        -> [AccountID]?
    {
        var ids: [AccountID] = []
        for group in groups {
            guard let found = try storage.fewHolders(of: request.scopes, in: group.keys) else { return nil }
            ids += found
        }
        return ids
    }
}
