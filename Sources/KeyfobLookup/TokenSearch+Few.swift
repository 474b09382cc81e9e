package import KeyfobFiles
package import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
package import KeyfobSelection
package import KeyfobVault

// What a choice needs of a group that has very many accounts: the few that its evidence names, found by index or by the
// group's catalogue, and then opened. No index makes anybody chosen or hides another: what is not found is looked for
// among all, and that there are no others says the catalogue alone, which is sealed.

extension TokenSearch {
    /// How many accounts of a group are looked at to see that one is not the only one.
    private static let witnesses = 8
    /// How many where what was used before is weighed: of them enough have to do that one more would change nothing.
    private static let strangers = 24
    /// Of more accounts that were used before, each is not looked for by itself.
    private static let usedLimit = 64

    /// The accounts that may decide a choice.
    private struct Few {
        var candidates: [Candidate] = []
        var coverage = Coverage.some
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
    private typealias Place = (account: Account, group: UnlockedVault.Group)

    /// The account that `request` means, where a few accounts decide that; nil where all of them have to be looked at.
    ///
    /// It is the one that a choice among all comes to, with the same reason: only the accounts that are still in it at its
    /// end say anything of either, and they are here.
    package func chooseAmongFew(
        _ state: inout LookupState, _ request: TokenRequest, _ groups: [UnlockedVault.Group], _ bindings: [Binding],
        _ now: Timestamp
    ) throws(StorageFailure) -> (candidate: Candidate, reason: Verdict.Reason)? {
        do throws(StorageFailure) {
            guard let few = try few(&state, request, groups, bindings) else { return nil }
            let roster = Roster(candidates: few.candidates, bindings: bindings)
            let (candidates, evidence) = evidence(&state, roster, request, groups, now)
            let choice = AccountSelector().choose(
                request, among: candidates, groups: groups.map { $0.name }, evidence: evidence)
            guard let choice, choice.passedOver.isEmpty else { return nil }
            if case .learned = choice.reason, few.coverage == .some, !choice.isSaturated { return nil }
            guard stands(choice.reason, of: choice.candidate, few, request, groups) else { return nil }
            return (choice.candidate, choice.reason)
        } catch StoreError.damaged {
            // Told where all are looked at.
            return nil
        }
    }

    /// Whether a choice among a few is one among all.
    private func stands(
        _ reason: Verdict.Reason, of candidate: Candidate, _ few: Few, _ request: TokenRequest,
        _ groups: [UnlockedVault.Group]
    ) -> Bool {
        if few.coverage == .feasible { return true }
        // Whoever was not granted the scopes is out of it as soon as somebody was.
        let isGranted = !request.scopes.isEmpty && candidate.isGranted(request.scopes)
        switch reason {
        case .explicit: return true
        case .bound(let binding): return groups.count == 1 || binding.writer == .owner
        case .groupDefault:
            if few.coverage == .granted { return isGranted }
            return (isGranted || request.scopes.isEmpty) && (groups.count == 1 || candidate.isOwnersDefault)
        case .learned:
            if few.coverage == .granted { return isGranted }
            // Whose default counts depends on whether accounts of other groups are still in it.
            return (isGranted || request.scopes.isEmpty)
                && (groups.count == 1 || few.candidates.allSatisfy { !$0.isDefault || $0.isOwnersDefault })
        case .onlyGranted: return few.coverage == .granted && isGranted
        case .onlyOne: return false
        }
    }

    /// The accounts that may decide; nil where there are none, or one does not open.
    ///
    /// Those that the request names; or those that a binding names that it meets; or those that alone will do, or were granted
    /// the scopes; or else the defaults, those that were used before, and some others.
    private func few(
        _ state: inout LookupState, _ request: TokenRequest, _ groups: [UnlockedVault.Group], _ bindings: [Binding]
    ) throws(StorageFailure) -> Few? {
        var few = Few()
        var accounts: [Place] = []
        var preferred: [Setting?]?
        if let text = request.account {
            for group in groups { accounts += try storage.accounts(named: text, in: group.keys).map { ($0, group) } }
        } else {
            let bound = AccountSelector().bound(request, by: bindings, in: groups.map { $0.name })
            for group in groups {
                let own = bound.filter { $0.group == group.name }.map { $0.account }
                accounts += try self.accounts(own, in: [group])
            }
            // Nearly always it is what was bound.
            if bound.isEmpty {
                preferred = try groups.map { group throws(StorageFailure) in
                    try storage.setting(Self.defaultAccount, in: group.keys)
                }
                if let feasible = try feasible(request, groups) {
                    (accounts, few.coverage) = (feasible, .feasible)
                } else if let holders = try holders(request, groups) {
                    (accounts, few.coverage) = (try self.accounts(holders, in: groups), .granted)
                    accounts += try witnesses(groups)
                } else {
                    let defaults = preferred?.compactMap { $0.flatMap { AccountID($0.value) } } ?? []
                    guard let used = try used(&state, groups), !(defaults + used).isEmpty else { return nil }
                    accounts = try self.accounts(defaults + used, in: groups)
                    accounts += try witnesses(groups, used.isEmpty ? Self.witnesses : Self.strangers)
                }
            }
        }
        for (index, group) in groups.enumerated() {
            var own: [Candidate] = []
            for (account, _) in accounts.filter({ $0.group.name == group.name })
            where !own.contains(where: { $0.account.id == account.id }) {
                guard let holdings = try holdings(of: account.id, in: group, request.extent.kinds) else { return nil }
                own.append(holdings.candidate(account, in: group.name, preferred.flatMap { $0[index] }))
            }
            if request.context.url != nil { try addHosts(to: &own, of: group) }
            few.candidates += own
        }
        return few.candidates.isEmpty ? nil : few
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
            let described = rule == nil ? [] : try describedHosts(of: group)
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

    /// The accounts that a text names exactly, with all that they hold; nil where there are none, where one has nothing, or
    /// where something does not open: then all have to be looked at.
    package func candidates(
        named text: String, _ groups: [UnlockedVault.Group]
    ) throws(StorageFailure) -> [Candidate]? {
        guard Identifier.isAcceptable(text) else { return nil }
        var candidates: [Candidate] = []
        for group in groups {
            do throws(StorageFailure) {
                for account in try storage.accounts(named: text, in: group.keys) {
                    guard let candidate = try candidate(account, in: group) else { return nil }
                    candidates.append(candidate)
                }
            } catch StoreError.damaged {
                return nil
            }
        }
        return candidates.isEmpty ? nil : candidates
    }

    /// The default account of a group, with all that it holds; nil where there is none, where it has nothing, or where
    /// something does not open.
    package func preferred(in group: UnlockedVault.Group) throws(StorageFailure) -> Candidate? {
        do throws(StorageFailure) {
            guard let id = try storage.setting(Self.defaultAccount, in: group.keys).flatMap({ AccountID($0.value) }),
                let account = try storage.account(id, in: group.keys)
            else { return nil }
            return try candidate(account, in: group)
        } catch StoreError.damaged {
            return nil
        }
    }

    /// An account with all that it holds, found by index; nil where that is nothing, or does not open.
    private func candidate(_ account: Account, in group: UnlockedVault.Group) throws(StorageFailure) -> Candidate? {
        guard let holdings = try holdings(of: account.id, in: group, Holdings.Extent.everything.kinds),
            !holdings.isEmpty
        else { return nil }
        return holdings.candidate(account, in: group.name, try storage.setting(Self.defaultAccount, in: group.keys))
    }

    /// What an account holds; nil where some of that does not open.
    private func holdings(
        of account: AccountID, in group: UnlockedVault.Group, _ kinds: [Credential.Kind]
    ) throws(StorageFailure) -> Holdings? {
        var holdings = Holdings()
        for kind in kinds {
            let credentials = try storage.credentials(kind, of: account, in: group.keys)
            guard credentials.damaged.isEmpty else { return nil }
            for item in credentials.items { holdings.add(item.value) }
        }
        return holdings
    }
}
