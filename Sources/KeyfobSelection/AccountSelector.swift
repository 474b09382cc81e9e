public import KeyfobModel

/// Picks the account for a request: a pure function of the accounts and the request.
///
/// The order of evidence: what the request names; what will do at all; the only one left; the
/// default of the first group that has one. Whatever is left then is for somebody to decide.
public struct AccountSelector: Sendable {
    /// A selector.
    public init() {}

    private static let policies: [any FeasibilityPolicy] = [
        EnvironmentPolicy(), TenantPolicy(), ClientPolicy(), SignInPolicy(),
    ]

    /// The verdicts for `candidates`, which are in the groups `groups`.
    ///
    /// An account that is in several of the groups counts once, in the group that comes first.
    public func select(_ request: TokenRequest, among candidates: [Candidate], groups: [AccessGroup]) -> Selection {
        let ranked = Set(candidates).sorted { Self.precedes($0, $1, groups) }
        var verdicts: [Candidate: Verdict] = [:]
        var firstGroup: [AccountID: AccessGroup] = [:]
        for candidate in ranked {
            if let earlier = firstGroup[candidate.account.id] {
                verdicts[candidate] = .rejected(.inEarlierGroup(earlier))
            } else {
                firstGroup[candidate.account.id] = candidate.group
            }
        }
        var open = ranked.filter { verdicts[$0] == nil }

        var isExplicit = false
        if let text = request.account {
            let named = AccountName(text)?.matches(in: open) ?? []
            for candidate in open where !named.contains(candidate) { verdicts[candidate] = .rejected(.notNamed) }
            guard !named.isEmpty else {
                return finish(ranked, verdicts, .nobodyNamed(text))
            }
            open = named
            isExplicit = true
        }
        for candidate in open {
            let rejection = Self.policies.lazy.compactMap { $0.rejection(of: candidate, for: request) }.first
            if let rejection { verdicts[candidate] = .rejected(rejection) }
        }
        open.removeAll { verdicts[$0] != nil }

        guard open.count > 1 else {
            guard let only = open.first else { return finish(ranked, verdicts, .nobody) }
            verdicts[only] = .chosen(isExplicit ? .explicit : .onlyOne)
            return finish(ranked, verdicts, .chosen(only))
        }
        if !isExplicit, let preferred = open.first(where: \.isDefault) {
            for candidate in open { verdicts[candidate] = .rejected(.notDefault) }
            verdicts[preferred] = .chosen(.groupDefault)
            return finish(ranked, verdicts, .chosen(preferred))
        }
        for candidate in open { verdicts[candidate] = .possible }
        return finish(ranked, verdicts, .ambiguous(open))
    }

    /// The accounts that answer to a name: by id, home account id, user name or label, or else by the
    /// beginning of one of these.
    public func candidates(named text: String, among candidates: [Candidate]) -> [Candidate] {
        AccountName(text)?.matches(in: candidates) ?? []
    }

    private func finish(
        _ ranked: [Candidate], _ verdicts: [Candidate: Verdict], _ outcome: Selection.Outcome
    ) -> Selection {
        let judged = ranked.map { Selection.Judged(candidate: $0, verdict: verdicts[$0] ?? .possible) }
        return Selection(verdicts: judged, outcome: outcome)
    }

    /// By the group's place in the list, then by name, by id, and by group: nothing that depends on history.
    private static func precedes(_ left: Candidate, _ right: Candidate, _ groups: [AccessGroup]) -> Bool {
        let places = (
            groups.firstIndex(of: left.group) ?? groups.count, groups.firstIndex(of: right.group) ?? groups.count
        )
        if places.0 != places.1 { return places.0 < places.1 }
        let names = (left.account.name, right.account.name)
        if names.0 != names.1 { return names.0 < names.1 }
        if left.account.id != right.account.id { return left.account.id < right.account.id }
        return left.group < right.group
    }
}
