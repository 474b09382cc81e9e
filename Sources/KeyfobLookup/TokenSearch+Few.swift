internal import KeyfobFiles
internal import KeyfobRecords
internal import KeyfobSQLite
package import KeyfobModel
package import KeyfobSelection
package import KeyfobVault

// What a choice needs of a group that has very many accounts: the few that its evidence names, found by index and then
// opened. An index makes nobody chosen: what is not found is looked for among all, and what is found speaks for itself.

extension TokenSearch {
    /// How many accounts of a group are looked at to see that its default is not the only one.
    private static let witnesses = 8

    /// The account that `request` means, where the accounts that it, a binding or a default names decide that; nil where
    /// all of them have to be looked at.
    ///
    /// It is the one that a choice among all accounts comes to, with the same reason: nothing but the accounts that are
    /// still in it at the end says anything of the reason, and they are here.
    package func chooseAmongFew(
        _ state: inout LookupState, _ request: TokenRequest, _ groups: [UnlockedVault.Group], _ bindings: [Binding],
        _ now: Timestamp
    ) throws -> (candidate: Candidate, reason: Verdict.Reason)? {
        do {
            guard let few = try few(request, groups, bindings) else { return nil }
            let (selector, evidence) = (AccountSelector(), Evidence(bindings: bindings, now: now))
            let choice = selector.choose(request, among: few, groups: groups.map(\.name), evidence: evidence)
            guard let choice, choice.passedOver.isEmpty else { return nil }
            let isOneGroup = groups.count == 1
            switch choice.reason {
            case .explicit: return (choice.candidate, choice.reason)
            case .bound(let binding):
                return isOneGroup || binding.writer == .owner ? (choice.candidate, choice.reason) : nil
            case .groupDefault:
                // Another may have been granted what this one has not.
                let isFirst = request.scopes.isEmpty || choice.candidate.isGranted(request.scopes)
                return isFirst && (isOneGroup || choice.candidate.isOwnersDefault)
                    ? (choice.candidate, choice.reason) : nil
            case .onlyOne, .onlyGranted, .learned: return nil
            }
        } catch StoreError.damaged {
            // Told where all are looked at.
            return nil
        }
    }

    /// An account, where it lies, and what the group has for its default account where that matters.
    private typealias Named = (account: Account, group: UnlockedVault.Group, preferred: Setting?)

    /// The accounts that the request names, or else those that a binding names that it meets, or else the defaults and some
    /// others; nil where there are none, or one does not open.
    private func few(
        _ request: TokenRequest, _ groups: [UnlockedVault.Group], _ bindings: [Binding]
    ) throws -> [Candidate]? {
        var accounts: [Named] = []
        if let text = request.account {
            for group in groups {
                accounts += try storage.accounts(named: text, in: group.keys).map { ($0, group, nil) }
            }
        } else {
            let bound = AccountSelector().bound(request, by: bindings, in: groups.map(\.name))
            for group in groups {
                for id in bound where id.group == group.name {
                    guard let account = try storage.account(id.account, in: group.keys) else { continue }
                    accounts.append((account, group, nil))
                }
            }
            if bound.isEmpty { accounts = try defaults(of: groups) }
        }
        guard !accounts.isEmpty else { return nil }
        var candidates: [Candidate] = []
        for group in groups {
            var own: [Candidate] = []
            for item in accounts where item.group.name == group.name {
                guard let candidate = try candidate(item) else { return nil }
                own.append(candidate)
            }
            if request.context.url != nil { try addHosts(to: &own, of: group) }
            candidates += own
        }
        return candidates
    }

    /// The default accounts of `groups`, in whichever of them they are, and some others; none where what was used before
    /// has a say, for then it counts how many there are.
    private func defaults(of groups: [UnlockedVault.Group]) throws -> [Named] {
        var preferred: [Setting?] = []
        for group in groups {
            let (count, problem) = usage.count(group.keys)
            guard count == 0, problem == nil else { return [] }
            preferred.append(try storage.setting(Self.defaultAccount, in: group.keys))
        }
        let ids = preferred.compactMap { $0.flatMap { AccountID($0.value) } }
        guard !ids.isEmpty else { return [] }
        var accounts: [Named] = []
        for (group, preferred) in zip(groups, preferred) {
            var own: [Account] = []
            for id in ids where !own.contains(where: { $0.id == id }) {
                if let account = try storage.account(id, in: group.keys) { own.append(account) }
            }
            own += try storage.firstAccounts(Self.witnesses, in: group.keys).filter { !ids.contains($0.id) }
            accounts += own.map { ($0, group, preferred) }
        }
        return accounts
    }

    /// An account with what it holds; nil where some of that does not open.
    private func candidate(_ item: Named) throws -> Candidate? {
        var holdings = Holdings()
        for kind in Holdings.kinds {
            let credentials = try storage.credentials(kind, of: item.account.id, in: item.group.keys)
            guard credentials.damaged.isEmpty else { return nil }
            for item in credentials.items { holdings.add(item.value) }
        }
        return holdings.candidate(item.account, in: item.group.name, item.preferred)
    }
}
