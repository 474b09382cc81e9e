public import KeyfobModel

/// An account that was chosen, and what the choice rests on.
public struct ChosenAccount: Sendable {
    /// The account.
    public let candidate: Candidate
    /// Why it was chosen.
    public let reason: Verdict.Reason
    /// As ``Selection/passedOver``.
    public let passedOver: [Binding]
    /// Whether it depends on what was used before that it was chosen, or that nobody else was.
    public let restsOnHistory: Bool
    /// Whether one more account that was never used would change nothing of what was learned.
    public let isSaturated: Bool
    /// Whether nothing decided among all, and those who are signed out or were removed were left out.
    public let isNarrowed: Bool
    /// How many accounts of each group are of the domain of whoever commits in the repository, where that was asked.
    public let kin: [AccessGroup: Int]
}
