internal import KeyfobModel

/// One choice on its way: which accounts are still in it, and why the others are not.
struct Choice {
    /// What the way led to.
    enum Conclusion {
        case chosen(Int, Verdict.Reason)
        case ambiguous
        case nobodyNamed(String)
        case boundToNobody(Binding)
        case boundInVain(Binding, Int, Verdict.Rejection)
        case nobody
    }

    let candidates: [Candidate]
    let groups: [AccessGroup]
    private let request: TokenRequest
    private let evidence: Evidence
    private let parameters: LearnedParameters

    /// Why each candidate is out of it; nil while it is not.
    private(set) var rejections: [Verdict.Rejection?]
    /// The candidates that are still in it.
    private(set) var open: [Int] = []
    /// What was learned about those that were in it at the end.
    private(set) var ranking: LearnedRanking?

    init(
        _ request: TokenRequest, _ candidates: [Candidate], _ groups: [AccessGroup], _ evidence: Evidence,
        _ parameters: LearnedParameters
    ) {
        self.request = request
        self.candidates = candidates
        self.groups = groups
        self.evidence = evidence
        self.parameters = parameters
        rejections = Array(repeating: nil, count: candidates.count)
    }

    /// Goes through the evidence in its order.
    mutating func conclude() -> Conclusion {
        open = Array(candidates.indices)
        rejectRepeated()
        var isExplicit = false
        if let text = request.account {
            let answering = Set(AccountName(text)?.matches(in: open.map { candidates[$0] }) ?? [])
            let isNamed = candidates.map(answering.contains)
            reject(.notNamed) { !isNamed[$0] }
            guard !open.isEmpty else { return .nobodyNamed(text) }
            isExplicit = true
        }
        rejectInfeasible()
        if isExplicit {
            guard open.count > 1 else { return open.first.map { .chosen($0, .explicit) } ?? .nobody }
            rank()
            return .ambiguous
        }
        var binding: Binding?
        switch applyBindings() {
        case .free: break
        case .bound(let by): binding = by
        case .ended(let conclusion): return conclusion
        }
        guard !open.isEmpty else { return .nobody }
        if open.count == 1 { return .chosen(open[0], binding.map { .bound($0) } ?? .onlyOne) }
        if !request.scopes.isEmpty {
            let policy = ScopePolicy(scopes: request.scopes)
            let granted = Set(open.filter { policy.isGranted(to: candidates[$0]) })
            if !granted.isEmpty { reject(.neverGranted(request.scopes)) { !granted.contains($0) } }
            if open.count == 1 { return .chosen(open[0], .onlyGranted) }
        }
        rank()
        return learned()
    }

    /// An account in several groups counts in the first of them.
    private mutating func rejectRepeated() {
        guard groups.count > 1 else { return }
        let places = Dictionary(groups.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
        var first: [AccountID: Int] = [:]
        for index in open {
            let id = candidates[index].account.id
            guard let other = first[id] else {
                first[id] = index
                continue
            }
            let mine = places[candidates[index].group] ?? groups.count
            let theirs = places[candidates[other].group] ?? groups.count
            let (kept, repeated) = mine < theirs ? (index, other) : (other, index)
            first[id] = kept
            rejections[repeated] = .inEarlierGroup(candidates[kept].group)
        }
        // A third group may come earlier still.
        for index in open where rejections[index] != nil {
            if let kept = first[candidates[index].account.id] {
                rejections[index] = .inEarlierGroup(candidates[kept].group)
            }
        }
        open.removeAll { rejections[$0] != nil }
    }

    private mutating func rejectInfeasible() {
        for policy in request.feasibilityPolicies(evidence.bindings) { policy.sift(&open, of: candidates, &rejections) }
    }

    private mutating func reject(_ rejection: Verdict.Rejection, where isRejected: (Int) -> Bool) {
        for index in open where isRejected(index) { rejections[index] = rejection }
        open.removeAll { rejections[$0] != nil }
    }

    private enum BindingResult {
        case free
        case bound(Binding)
        case ended(Conclusion)
    }

    /// Keeps what the most specific bindings name that concern the request.
    private mutating func applyBindings() -> BindingResult {
        guard !evidence.bindings.isEmpty else { return .free }
        var blocked: Set<AccessGroup> = []
        for step in BindingPolicy(evidence.bindings, for: request.context, groups: groups).steps {
            blocked.formUnion(step.filter { $0.target == .nobody }.map(\.origin.group))
            let counting = step.filter { !blocked.contains($0.origin.group) }
            switch bound(by: counting) {
            case .free: continue
            case let result: return result
            }
        }
        return .free
    }

    /// What the bindings of one subject come to.
    ///
    /// An account that is gone or signed out is told, also where another one is bound to the same subject: nobody
    /// else's token takes its place. One that this request cannot be about gives way to another.
    private mutating func bound(by bindings: [Binding]) -> BindingResult {
        var bound: [Int: Binding] = [:]
        var (vain, isLost) = (nil as Conclusion?, false)
        for binding in bindings {
            guard case .account(let id) = binding.target else { continue }
            if let environment = request.environment, !EnvironmentAliases.areSame(environment, id.environment) {
                continue
            }
            let named = candidates.indices.filter { candidates[$0].account.id == id }
            if let index = named.first(where: { rejections[$0] == nil }) {
                bound[index] = bound[index] ?? binding
            } else if named.contains(where: { rejections[$0]?.isOfDestination == true }) {
                // Its tokens do not go there: it gives way, as one of another provider does.
                continue
            } else if let index = named.first(where: { !isRepeated($0) }), let rejection = rejections[index] {
                if vain == nil || rejection == .signedOut && !isLost { vain = .boundInVain(binding, index, rejection) }
                isLost = isLost || rejection == .signedOut
            } else {
                if vain == nil || !isLost { vain = .boundToNobody(binding) }
                isLost = true
            }
        }
        guard let first = open.compactMap({ bound[$0] }).first, !isLost else { return vain.map { .ended($0) } ?? .free }
        reject(.boundToAnother(first)) { bound[$0] == nil }
        return .bound(first)
    }

    private func isRepeated(_ index: Int) -> Bool {
        if case .inEarlierGroup = rejections[index] { true } else { false }
    }

    private mutating func rank() {
        ranking = LearnedRanking(
            evidence, of: candidates, at: open, groups: groups, parameters: parameters)
    }

    /// The likeliest, when it is likely enough.
    private func learned() -> Conclusion {
        guard let ranking, let best = ranking.best, best.probability >= parameters.threshold else { return .ambiguous }
        if ranking.isBlank { return .chosen(best.index, .groupDefault) }
        return .chosen(best.index, .learned(ranking.usage(of: best.index)))
    }
}
