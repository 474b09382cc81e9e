package import KeyfobModel
package import KeyfobSelection
package import KeyfobFiles
internal import KeyfobRecords
internal import KeyfobVault

extension TokenSearch {
    /// Which account a request means, found from a few accounts: it costs the same however many there are.
    ///
    /// - Parameter names: The groups to look through, in order; nil for all within reach.
    /// - Throws: ``LookupRefusal``: `needsHistory` where what was used before may decide and is not at hand, `uncertain`, and as
    ///   ``stored(_:_:in:takesValid:_:preferring:)``.
    package func glance(
        _ state: inout LookupState, _ request: TokenRequest, in names: [AccessGroup]?, _ now: Timestamp
    ) throws(StorageFailure) -> AccountGlance {
        let groups = try groups(&state, names, try storage.version())
        let decisions = try decisions(&state, groups, directory: request.context.directory)
        if decisions.isWhole, let found = try chooseAmongFew(&state, request, groups, decisions, now) {
            return AccountGlance(try standing(of: found.candidate, groups))
        }
        for group in groups {
            let some = try storage.firstAccounts(AccountGlance.limit + 1, in: group.keys)
            guard some.count > AccountGlance.limit else { continue }
            if history == nil { throw LookupRefusal.needsHistory.onTheWay }
            return .several
        }
        let roster = try roster(&state, groups, request)
        let (candidates, evidence) = evidence(&state, roster, request, groups, now)
        guard roster.isWhole else { throw LookupRefusal.uncertain.onTheWay }
        if history == nil, candidates.count > 1 { throw LookupRefusal.needsHistory.onTheWay }
        return AccountGlance(try select(&state, request, among: candidates, groups, evidence))
    }

    /// The same account with how its sign-in stands, which a choice among a few does not look at where there is no grant.
    private func standing(
        of candidate: Candidate, _ groups: [UnlockedVault.Group]
    ) throws(StorageFailure) -> Candidate {
        guard case .noCredentials = candidate.state, let group = groups.first(where: { $0.name == candidate.group }),
            let held = try holdings(of: candidate.account.id, in: group, Holdings.Extent.everything.kinds)
        else { return candidate }
        return held.candidate(candidate.account, in: candidate.group, nil)
    }
}
