public import KeyfobModel

/// What the history says of one account, in numbers that a person can check.
public struct Usage: Hashable, Sendable {
    /// How likely the account is meant: from 0 to 1.
    public let probability: Double
    /// How often it was taken among the newest decisions of the context, of how many; nil where there are none.
    public let share: Share?

    /// How often an account was taken.
    public struct Share: Hashable, Sendable {
        /// How often.
        public let count: Int
        /// Of how many decisions: 20 at most.
        public let total: Int
        /// When the account was last taken in this context.
        public let last: Timestamp?
        /// What the decisions have in common with the request.
        public let scope: Scope
    }

    /// What decisions have in common with a request, the narrowest first.
    public enum Scope: String, Hashable, Sendable, CaseIterable {
        /// The repository, the address or the directory.
        case place
        /// Whoever owns the place.
        case owner
        /// The host.
        case host
        /// The calling program.
        case tool
        /// Nothing but the accounts.
        case everywhere
    }
}

extension Usage.Share {
    /// How many of the newest decisions are counted.
    private static let limit = 20

    /// Counts in a window; `slot` is nil for an account that was never used.
    init?(_ window: ContextWindow, slot: Int?, level: ContextWindows.Level) {
        guard !window.isEmpty else { return nil }
        let recent = window.slots.suffix(Self.limit)
        count = recent.count { $0 == slot }
        total = recent.count
        last = window.slots.lastIndex { $0 == slot }.map { Timestamp(seconds: Int64(window.times[$0])) }
        scope =
            switch level {
            case .place: .place
            case .owner: .owner
            case .host: .host
            case .tool: .tool
            case .everywhere: .everywhere
            }
    }
}
