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
    /// The bindings of a group whose account is gone or will not do, because of which its accounts are out of it.
    private(set) var passedOver: [Binding] = []
    /// The bindings to no account because of which wider ones of their groups were not looked at.
    private(set) var blocking: [Binding] = []
    /// How many accounts of each group are of the domain of whoever commits, where that was asked.
    private(set) var kin: [AccessGroup: Int] = [:]
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
        guard let text = request.account else { return settled(chooseFreely()) }
        let answering = Set(AccountName(text)?.matches(in: candidates) ?? [])
        let isNamed = candidates.map(answering.contains)
        reject(.notNamed) { !isNamed[$0] }
        guard !open.isEmpty else { return .nobodyNamed(text) }
        return chooseNamed()
    }

    /// Chooses among those that the request names.
    private mutating func chooseNamed() -> Conclusion {
        let named = open
        rejectInfeasible()
        // Who may write in one group must not be able to answer for an account of another.
        let meant = named.filter { if case .otherEnvironment = rejections[$0] { false } else { true } }
        if Set(meant.map { candidates[$0].group }).count > 1 { return chooseByOwner(meant) }
        guard open.count > 1 else { return open.first.map { .chosen($0, .explicit) } ?? .nobody }
        rank()
        return .ambiguous
    }

    /// Chooses among accounts of several groups that answer to one name: as the owner bound the request, or not at all.
    private mutating func chooseByOwner(_ meant: [Int]) -> Conclusion {
        for step in BindingPolicy(evidence.bindings, for: request.context, groups: groups).steps {
            for binding in step where binding.writer == .owner {
                guard let index = meant.first(where: { binding.means(candidates[$0]) }) else { continue }
                if let rejection = rejections[index] { return .boundInVain(binding, index, rejection) }
                reject(.boundToAnother(binding)) { $0 != index }
                return .chosen(index, .bound(binding))
            }
        }
        guard !open.isEmpty else { return .nobody }
        reopen(meant)
        rank()
        return .ambiguous
    }

    /// The same account in several groups is several accounts, of which only the owner's binding chooses one.
    private mutating func settled(_ conclusion: Conclusion) -> Conclusion {
        guard groups.count > 1, case .chosen(let chosen, let reason) = conclusion else { return conclusion }
        if case .bound(let binding) = reason, binding.writer == .owner { return conclusion }
        let id = candidates[chosen].account.id
        let same = candidates.indices.filter { candidates[$0].account.id == id }
        guard same.count > 1 else { return conclusion }
        reopen(same)
        return .ambiguous
    }

    private mutating func reopen(_ indices: [Int]) {
        for index in indices { rejections[index] = nil }
        open = candidates.indices.filter { rejections[$0] == nil }
    }

    /// Chooses where the request names nobody.
    private mutating func chooseFreely() -> Conclusion {
        rejectInfeasible()
        var bindings: [AccessGroup: Binding] = [:]
        switch applyBindings() {
        case .free(let found): bindings = found
        case .ended(let conclusion): return conclusion
        }
        guard !open.isEmpty else { return .nobody }
        if open.count == 1 {
            return .chosen(open[0], bindings[candidates[open[0]].group].map { .bound($0) } ?? .onlyOne)
        }
        if !request.scopes.isEmpty {
            let policy = ScopePolicy(scopes: request.scopes)
            let granted = Set(open.filter { policy.isGranted(to: candidates[$0]) })
            if !granted.isEmpty { reject(.neverGranted(request.scopes)) { !granted.contains($0) } }
            if open.count == 1 { return .chosen(open[0], .onlyGranted) }
        }
        if let conclusion = applyIndications() { return conclusion }
        rank()
        return learned()
    }

    private mutating func rejectInfeasible() {
        request.sift(&open, of: candidates, &rejections, evidence.bindings)
    }

    private mutating func reject(_ rejection: Verdict.Rejection, where isRejected: (Int) -> Bool) {
        for index in open where isRejected(index) { rejections[index] = rejection }
        open.removeAll { rejections[$0] != nil }
    }

    private enum BindingResult {
        /// What is left is free, or was bound by the binding of its group.
        case free([AccessGroup: Binding])
        case ended(Conclusion)
    }

    /// Keeps what the most specific bindings name that concern the request: the owner's among all accounts, then those
    /// of somebody with a group's key among the accounts of that group.
    private mutating func applyBindings() -> BindingResult {
        guard !evidence.bindings.isEmpty else { return .free([:]) }
        let steps = BindingPolicy(evidence.bindings, for: request.context, groups: groups).steps
        var blocked: Set<AccessGroup> = []
        for step in steps {
            let own = step.filter { $0.writer == .owner }
            for binding in own where binding.target == .nobody && blocked.insert(binding.origin.group).inserted {
                blocking.append(binding)
            }
            let found = found(by: own.filter { !blocked.contains($0.origin.group) })
            if let binding = sift(found, where: { _ in true }) {
                return .free(groups.reduce(into: [:]) { $0[$1] = binding })
            }
            if let vain = found.vain { return .ended(vain) }
        }
        var (deciding, vain) = ([:] as [AccessGroup: Binding], nil as Conclusion?)
        for group in groups where evidence.bindings.contains(where: { $0.origin.group == group }) {
            let isThere = candidates.map { $0.group == group }
            for step in steps {
                let own = step.filter { $0.origin.group == group }
                if let blocker = own.first(where: { $0.target == .nobody }) {
                    if !blocked.contains(group) { blocking.append(blocker) }
                    break
                }
                let found = found(by: own.filter { $0.writer != .owner })
                if let binding = sift(found, where: { isThere[$0] }) {
                    deciding[group] = binding
                    break
                }
                guard let conclusion = found.vain, let binding = found.vainBinding else { continue }
                reject(.boundInVain(binding)) { isThere[$0] }
                passedOver.append(binding)
                vain = vain ?? conclusion
                break
            }
        }
        // Nobody else's token takes the place of one that was bound; but no group speaks for another.
        if open.isEmpty, let vain { return .ended(vain) }
        return .free(deciding)
    }

    /// What the bindings of one subject come to.
    private struct BindingsOfSubject {
        var bound: [Int: Binding] = [:]
        var vain: Conclusion?
        var vainBinding: Binding?
        /// Whether an account is gone or signed out: that is told, also where another one is bound to the same subject.
        var isLost = false
    }

    private func found(by bindings: [Binding]) -> BindingsOfSubject {
        var found = BindingsOfSubject()
        for binding in bindings {
            guard case .account(let id) = binding.target else { continue }
            if request.excludes(id) { continue }
            guard let index = candidates.indices.first(where: { binding.means(candidates[$0]) }) else {
                if found.vain == nil || !found.isLost {
                    (found.vain, found.vainBinding) = (.boundToNobody(binding), binding)
                }
                found.isLost = true
                continue
            }
            guard let rejection = rejections[index] else {
                found.bound[index] = found.bound[index] ?? binding
                continue
            }
            // Its tokens do not go there: it gives way, as one of another provider does.
            if rejection.isOfDestination { continue }
            if found.vain == nil || rejection == .signedOut && !found.isLost {
                (found.vain, found.vainBinding) = (.boundInVain(binding, index, rejection), binding)
            }
            found.isLost = found.isLost || rejection == .signedOut
        }
        return found
    }

    /// Leaves of those that `concerns` finds only what is bound.
    ///
    /// One that this request cannot be about gives way to another; one that is lost does not.
    ///
    /// - Returns: The binding that decided; nil where none did.
    private mutating func sift(_ found: BindingsOfSubject, where concerns: (Int) -> Bool) -> Binding? {
        guard !found.isLost, let first = open.compactMap({ found.bound[$0] }).first else { return nil }
        reject(.boundToAnother(first)) { concerns($0) && found.bound[$0] == nil }
        return first
    }

    /// Leaves of the accounts of each group only the one that is indicated.
    ///
    /// User names and labels are what whoever has the group's key has written: they decide among its accounts alone.
    private mutating func applyIndications() -> Conclusion? {
        guard let policy = IndicationPolicy(request, bindings: evidence.bindings) else { return nil }
        var last: Indication?
        for group in groups {
            let own = open.filter { candidates[$0].group == group }
            guard !own.isEmpty else { continue }
            let signedOut = candidates.indices.filter {
                rejections[$0] == .signedOut && candidates[$0].group == group
            }
            let finding = policy.finding(own, signedOut: signedOut, of: candidates)
            kin[group] = finding.kin
            guard let found = finding.found else { continue }
            let others = Set(own.filter { $0 != found.index })
            reject(.anotherIndicated(found.indication)) { others.contains($0) }
            last = found.indication
        }
        guard open.count == 1, let last else { return nil }
        return .chosen(open[0], .indicated(last))
    }

    /// The likelihoods, of an account that is in several groups only once.
    private mutating func rank() {
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
    private func learned() -> Conclusion {
        guard let ranking, let best = ranking.best, best.probability >= parameters.threshold else { return .ambiguous }
        if ranking.isBlank { return .chosen(best.index, .groupDefault) }
        return .chosen(best.index, .learned(ranking.usage(of: best.index)))
    }
}

extension Binding {
    /// Whether it is bound to this account, in the group where the binding stands.
    fileprivate func means(_ candidate: Candidate) -> Bool {
        target.account == candidate.account.id && origin.group == candidate.group
    }
}
