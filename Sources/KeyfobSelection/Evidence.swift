public import KeyfobModel

/// What a choice rests on besides the accounts and the request.
public struct Evidence: Sendable {
    /// The owner's bindings that stand in the groups.
    public var bindings: [Binding]
    /// What was chosen before.
    public var history: UsageHistory
    /// The time of the request.
    public var now: Timestamp
    /// Whether there are groups that are not open, of whose accounts nothing is known: a part of a name may be all of another's.
    public var hasClosedGroups = false
    /// The nearest bound folder from which the calling program was called, and what is bound there.
    package var caller: (context: RequestContext, bindings: [Binding])?

    /// Evidence.
    public init(
        bindings: [Binding] = [], history: UsageHistory = UsageHistory(), now: Timestamp = Timestamp(seconds: 0)
    ) {
        self.bindings = bindings
        self.history = history
        self.now = now
    }
}

extension Evidence {
    /// The same, where a binding to an id that an account of its group had before means that account, unless another has the id now.
    func following(_ candidates: [Candidate]) -> Evidence {
        let renamed = candidates.filter { !$0.isRemoved && !$0.account.formerNames.isEmpty }
        guard !bindings.isEmpty, !renamed.isEmpty else { return self }
        var evidence = self
        evidence.bindings = bindings.map { binding in
            guard let id = binding.target.account,
                !candidates.contains(where: { !$0.isRemoved && binding.means($0) }),
                let now = renamed.first(where: {
                    $0.group == binding.origin.group && $0.account.formerIDs.contains(id)
                })
            else { return binding }
            return Binding(
                binding.subject, to: .account(now.account.id), tenant: binding.tenant, from: binding.origin,
                by: binding.writer)
        }
        return evidence
    }
}
