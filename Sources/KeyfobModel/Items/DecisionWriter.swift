/// Who made a decision that is kept in a group: a binding, an allowance, a default, a provider, a client.
public enum DecisionWriter: String, Hashable, Sendable, CaseIterable {
    /// Somebody with the key of the whole vault: it counts among all groups.
    case owner
    /// Somebody with the key of its group: it counts for the accounts of that group alone.
    case group
    /// Who holds one group's key alone cannot tell.
    case unknown
}
