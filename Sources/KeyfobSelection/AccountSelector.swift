public import KeyfobModel

/// Picks the account for a request: a pure function of the accounts, the request and the evidence.
///
/// The order of evidence: what whoever asks names; the user in the address; what surrounds them names; what the owner bound;
/// what project files say; whom the repository or the address indicates; what was used before and the group's default, weighed
/// together. What will not do at all is left out before; how sign-ins stand is looked at last, and lets nobody take another
/// one's place. What is left then is for somebody to decide. The answer depends on nothing else: not on the order in which
/// accounts, bindings or events were added.
public struct AccountSelector: Sendable {
    private let parameters: LearnedParameters

    /// A selector.
    public init(parameters: LearnedParameters = .standard) {
        self.parameters = parameters
    }

    /// The account for `request`, without the verdicts: what a tool needs that only wants its token.
    ///
    /// - Returns: Nil when ``select(_:among:groups:evidence:)`` has more to say.
    public func choose(
        _ request: TokenRequest, among candidates: [Candidate], groups: [AccessGroup], evidence: Evidence
    ) -> ChosenAccount? {
        var choice = Choice(request, candidates, groups, evidence, parameters)
        guard case .chosen(let index, let reason) = choice.conclude() else { return nil }
        return ChosenAccount(
            candidate: candidates[index], reason: reason, passedOver: choice.passedOver,
            restsOnHistory: choice.ranking != nil, isSaturated: choice.ranking?.isSaturated ?? false,
            isNarrowed: choice.isNarrowed, kin: choice.kin)
    }

    /// The verdicts for `candidates`, which are in the groups `groups`.
    ///
    /// The same account in several of the groups is several accounts: only the owner's binding chooses one of them.
    public func select(
        _ request: TokenRequest, among candidates: [Candidate], groups: [AccessGroup], evidence: Evidence = Evidence()
    ) -> Selection {
        var choice = Choice(request, Array(Set(candidates)), groups, evidence, parameters)
        let conclusion = choice.conclude()
        return Selection(choice, conclusion)
    }

    /// The accounts that the bindings name which `request` meets, each with the group where its binding stands.
    ///
    /// Where one of the owner's bindings decides, or the bindings of the only group, it is for one of these accounts, and
    /// the choice is the same among these alone.
    package func bound(
        _ request: TokenRequest, by bindings: [Binding], in groups: [AccessGroup]
    ) -> [(account: AccountID, group: AccessGroup)] {
        guard !bindings.isEmpty else { return [] }
        var found: [(account: AccountID, group: AccessGroup)] = []
        for binding in BindingPolicy(bindings, for: request.context, groups: groups).steps.joined() {
            guard let id = binding.target.account else { continue }
            if !found.contains(where: { $0 == (id, binding.origin.group) }) { found.append((id, binding.origin.group)) }
        }
        return found
    }

    /// Whether what a request comes from is bound, to an account or to none.
    package func isBound(_ context: RequestContext, by bindings: [Binding]) -> Bool {
        !BindingPolicy(bindings, for: context, groups: []).steps.isEmpty
    }

    /// The accounts that answer to a name: by id, home account id, user name or label, or else by the
    /// beginning of one of these.
    public func candidates(named text: String, among candidates: [Candidate]) -> [Candidate] {
        AccountName(text)?.matches(in: candidates) ?? []
    }

    /// What the parameters weigh, for each account that was used, and for one that was not: for tuning.
    @_spi(Tuning) public func features(
        _ evidence: Evidence, among tags: [UsageTag]
    ) -> (accounts: [UsageTag], rows: [[Double]]) {
        let known = Set(tags)
        let model = LearnedModel(
            evidence.history, now: evidence.now, candidateCount: tags.count, parameters: parameters,
            isCandidate: known.contains)
        return (model.windows.accounts, model.features)
    }
}
