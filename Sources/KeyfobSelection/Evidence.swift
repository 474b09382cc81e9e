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

    /// Evidence.
    public init(
        bindings: [Binding] = [], history: UsageHistory = UsageHistory(), now: Timestamp = Timestamp(seconds: 0)
    ) {
        self.bindings = bindings
        self.history = history
        self.now = now
    }
}
