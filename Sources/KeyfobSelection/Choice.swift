internal import KeyfobModel

/// One choice on its way: which accounts are still in it, and why the others are not.
///
/// How an account's sign-in stands is looked at last: it ends the choice of the account that is meant, or narrows one that
/// nothing has decided. So nobody is taken because somebody else has signed out, has to sign in again or was removed.
struct Choice {
    /// What the way led to.
    enum Conclusion {
        case chosen(Int, Verdict.Reason)
        /// This one is meant, and will not do.
        case meantInVain(Int, Verdict.Reason, Verdict.Rejection)
        case ambiguous
        case nobodyNamed(String)
        /// What whoever asks says, and the user in the address, mean different accounts.
        case contradiction(account: String, login: String)
        case boundToNobody(Binding)
        case boundInVain(Binding, Int, Verdict.Rejection)
        case nobody
    }

    let candidates: [Candidate]
    let groups: [AccessGroup]
    let request: TokenRequest
    let evidence: Evidence
    private let parameters: LearnedParameters

    /// Why each candidate is out of it; nil while it is not.
    var rejections: [Verdict.Rejection?]
    /// The candidates that are still in it.
    var open: [Int] = []
    /// The binding that names a candidate, where one decided.
    var bound: [Int: Binding] = [:]
    /// The groups of whose accounts bindings decided.
    var boundGroups: Set<AccessGroup> = []
    /// The bindings of a group whose account is gone or will not do, because of which its accounts are out of it.
    var passedOver: [Binding] = []
    /// The bindings to no account because of which wider ones of their groups were not looked at.
    var blocking: [Binding] = []
    /// How many accounts of each group are of the domain of whoever commits, where that was asked.
    private(set) var kin: [AccessGroup: Int] = [:]
    /// What was learned about those that were in it at the end.
    private(set) var ranking: LearnedRanking?
    /// Whether those that are signed out or were removed had to be left out of it.
    private(set) var isNarrowed = false

    init(
        _ request: TokenRequest, _ candidates: [Candidate], _ groups: [AccessGroup], _ evidence: Evidence,
        _ parameters: LearnedParameters
    ) {
        self.request = request
        self.candidates = candidates
        self.groups = groups
        self.evidence = evidence.following(candidates)
        self.parameters = parameters
        rejections = Array(repeating: nil, count: candidates.count)
    }

    /// Goes through the evidence in its order.
    mutating func conclude() -> Conclusion {
        leaveOutTwins()
        return standing(request.isNamed ? chooseNamed() : settled(chooseFreely()))
    }

    /// Leaves out who was removed from a group and is in another one, or is there by an id of its own by now.
    private mutating func leaveOutTwins() {
        open = Array(candidates.indices)
        guard candidates.contains(where: { $0.isRemoved }) else { return }
        let present = Set(
            candidates.lazy.filter { !$0.isRemoved }.flatMap { [$0.account.id] + $0.account.formerIDs })
        let isTwin = candidates.map { $0.isRemoved && present.contains($0.account.id) }
        reject(.removed) { isTwin[$0] }
    }

    mutating func rejectInfeasible() {
        request.sift(&open, of: candidates, &rejections, evidence.bindings)
    }

    mutating func reject(_ rejection: Verdict.Rejection, where isRejected: (Int) -> Bool) {
        for index in open where isRejected(index) { rejections[index] = rejection }
        open.removeAll { rejections[$0] != nil }
    }

    mutating func reopen(_ indices: [Int]) {
        for index in indices { rejections[index] = nil }
        open = candidates.indices.filter { rejections[$0] == nil }
        let isRemoved = candidates.map { $0.isRemoved }
        reject(.removed) { isRemoved[$0] }
    }

    /// Why the sign-in of a candidate gives nothing; nil where it may.
    func loss(of index: Int) -> Verdict.Rejection? {
        if candidates[index].isRemoved { return .removed }
        return candidates[index].state == .signedOut ? .signedOut : nil
    }

    /// The account that is meant, or that it will not do: nobody else's token takes the place of its.
    private func standing(_ conclusion: Conclusion) -> Conclusion {
        guard case .chosen(let index, let reason) = conclusion, let loss = loss(of: index) else { return conclusion }
        switch reason {
        case .bound(let binding):
            return loss == .removed ? .boundToNobody(binding) : .boundInVain(binding, index, loss)
        // That there was one more account is no reason to tell of it.
        case .onlyOne where loss == .removed: return .nobody
        default: return .meantInVain(index, reason, loss)
        }
    }

    /// The same account in several groups is several accounts, of which only the owner's binding chooses one.
    private mutating func settled(_ conclusion: Conclusion) -> Conclusion {
        guard groups.count > 1, case .chosen(let chosen, let reason) = conclusion, !candidates[chosen].isRemoved else {
            return conclusion
        }
        if reason.binding?.writer == .owner { return conclusion }
        let id = candidates[chosen].account.id
        let same = candidates.indices.filter { candidates[$0].account.id == id && !candidates[$0].isRemoved }
        guard same.count > 1 else { return conclusion }
        reopen(same)
        return .ambiguous
    }
}

// Where the request names nobody.
extension Choice {
    /// Whether the request says at whose accounts it is aimed: those of a provider, or those whose tokens go to a host.
    private var isAimed: Bool { request.context.url != nil || request.environment != nil }

    private mutating func chooseFreely() -> Conclusion {
        rejectInfeasible()
        if let conclusion = applyBindings() { return conclusion }
        let conclusion = decide(among: wide) ?? narrow()
        guard case .ambiguous = conclusion else { return conclusion }
        return applyCaller() ?? conclusion
    }

    /// Those that are still in it, and those that lack only what the request asks of them: a tenant, a client, scopes.
    private var wide: [Int] {
        let closed = boundGroups.union(passedOver.map { $0.origin.group })
        return candidates.indices.filter { index in
            rejections[index].map { $0.isOfAbility && !closed.contains(candidates[index].group) } ?? true
        }
    }

    /// What the evidence behind the bindings comes to; nil where it does not decide.
    ///
    /// - Parameter wide: Among whom an address or a repository indicates somebody.
    private mutating func decide(among wide: [Int]) -> Conclusion? {
        if wide.count == 1, wide == open { return only(open[0]) }
        if isAimed, let conclusion = applyIndications(among: wide) { return conclusion }
        guard !open.isEmpty else { return .nobody }
        if open.count == 1 { return only(open[0]) }
        if !request.scopes.isEmpty {
            let policy = ScopePolicy(scopes: request.scopes)
            let granted = Set(open.filter { policy.isGranted(to: candidates[$0]) })
            if !granted.isEmpty { reject(.neverGranted(request.scopes)) { !granted.contains($0) } }
            if open.count == 1 { return .chosen(open[0], .onlyGranted) }
        }
        if !isAimed, let conclusion = applyIndications(among: open) { return conclusion }
        rank()
        return learned()
    }

    private func only(_ index: Int) -> Conclusion {
        .chosen(index, bound[index].map { .bound($0) } ?? .onlyOne)
    }

    /// Decides without those that are signed out or were removed, where nothing has decided among all.
    ///
    /// One of them whom something means is tried first: who would be chosen, were it there, is still meant.
    private mutating func narrow() -> Conclusion {
        let lost = open.filter { loss(of: $0) != nil }
        guard !lost.isEmpty else { return .ambiguous }
        isNarrowed = true
        let policy = IndicationPolicy(request, bindings: evidence.bindings)
        let used = evidence.history.accounts
        for index in inOrder(lost) {
            let candidate = candidates[index]
            guard
                bound[index] != nil || candidate.isDefault || used.contains(candidate.tag)
                    || policy?.mayIndicate(candidate) ?? false
            else { continue }
            var other = self
            let conclusion = other.narrowed(keeping: index)
            if case .chosen(index, _) = conclusion { return conclusion }
        }
        return narrowed(keeping: nil)
    }

    private mutating func narrowed(keeping kept: Int?) -> Conclusion {
        if let conclusion = loseBound(keeping: kept) { return conclusion }
        for index in open where index != kept { rejections[index] = loss(of: index) }
        open.removeAll { rejections[$0] != nil }
        guard !open.isEmpty else { return .nobody }
        return decide(among: open) ?? .ambiguous
    }

    /// By the place of their groups, and by id.
    func inOrder(_ indices: [Int]) -> [Int] {
        let places = groups.places
        func key(_ index: Int) -> (Int, AccountID) {
            (places[candidates[index].group] ?? groups.count, candidates[index].account.id)
        }
        return indices.sorted { key($0) < key($1) }
    }

    /// Leaves of the accounts of each group only the one that is indicated.
    ///
    /// User names and labels are what whoever has the group's key has written: they decide among its accounts alone. Who is
    /// indicated and lacks what the request asks for is not replaced by another of the group.
    private mutating func applyIndications(among wide: [Int]) -> Conclusion? {
        guard let policy = IndicationPolicy(request, bindings: evidence.bindings) else { return nil }
        var last: Indication?
        var unfit: (index: Int, indication: Indication, rejection: Verdict.Rejection)?
        for group in groups {
            let all = wide.filter { candidates[$0].group == group }
            guard !all.isEmpty else { continue }
            let own = open.filter { candidates[$0].group == group }
            let signedOut = candidates.indices.filter {
                rejections[$0] == .signedOut && candidates[$0].group == group
            }
            var finding = policy.finding(all, signedOut: signedOut, of: candidates)
            if finding.found == nil, own.count < all.count {
                finding = policy.finding(own, signedOut: signedOut, of: candidates)
            }
            kin[group] = finding.kin
            guard let found = finding.found else { continue }
            let others = Set(own.filter { $0 != found.index })
            reject(.anotherIndicated(found.indication)) { others.contains($0) }
            if let rejection = rejections[found.index] {
                unfit = unfit ?? (found.index, found.indication, rejection)
            } else {
                last = found.indication
            }
        }
        if open.isEmpty, let unfit {
            return .meantInVain(unfit.index, .indicated(unfit.indication), unfit.rejection)
        }
        guard open.count == 1, let last else { return nil }
        return .chosen(open[0], .indicated(last))
    }

    /// The likelihoods, of an account that is in several groups only once.
    mutating func rank() {
        var each = open
        if groups.count > 1 {
            // In an order that does not depend on that of the input.
            let places = groups.places
            func place(_ index: Int) -> (Int, AccessGroup) {
                (places[candidates[index].group] ?? groups.count, candidates[index].group)
            }
            var first: [AccountID: Int] = [:]
            for index in open {
                let id = candidates[index].account.id
                first[id] = first[id].map { place($0) < place(index) ? $0 : index } ?? index
            }
            each = open.filter { first[candidates[$0].account.id] == $0 }
        }
        ranking = LearnedRanking(
            evidence, of: candidates, at: each, groups: groups, parameters: parameters)
    }

    /// The likeliest, when it is likely enough.
    private func learned() -> Conclusion? {
        guard let ranking, let best = ranking.best, best.probability >= parameters.threshold else { return nil }
        if ranking.isBlank { return .chosen(best.index, .groupDefault) }
        let usage = ranking.usage(of: best.index)
        // One choice somewhere else says nothing yet of this place.
        if let share = usage.share, share.scope == .everywhere, share.total == 1 {
            return candidates[best.index].isDefault ? .chosen(best.index, .groupDefault) : nil
        }
        return .chosen(best.index, .learned(usage))
    }
}
