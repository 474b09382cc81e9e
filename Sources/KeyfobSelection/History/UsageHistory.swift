internal import KeyfobModel

/// The decisions of the past, and what the request is compared with.
public struct UsageHistory: Sendable {
    /// The events in the order of their times; whatever order they came in, it is the same.
    public let events: [UsageEvent]
    /// The contexts of the request.
    public let context: UsageContext

    /// The history of `events` for a request made in `context`.
    public init(_ events: [UsageEvent] = [], context: UsageContext = UsageContext()) {
        self.context = context
        self.events = Self.isOrdered(events) ? events : events.sorted(by: Self.precedes)
    }

    /// The accounts that were ever taken.
    var accounts: Set<UsageTag> { Set(events.lazy.map { $0.account }) }

    private static func isOrdered(_ events: [UsageEvent]) -> Bool {
        for index in events.indices.dropFirst() {
            // Nearly always the times tell.
            let (before, after) = (events[index - 1].time.seconds, events[index].time.seconds)
            if before > after || before == after && precedes(events[index], events[index - 1]) { return false }
        }
        return true
    }

    /// By time; what happened in the same second by what it says, so that the order is always the same.
    private static func precedes(_ left: UsageEvent, _ right: UsageEvent) -> Bool {
        if left.time != right.time { return left.time < right.time }
        if left.account != right.account { return left.account.rawValue < right.account.rawValue }
        let (mine, theirs) = (left.context, right.context)
        for (one, other) in [
            (mine.place, theirs.place), (mine.owner, theirs.owner), (mine.host, theirs.host), (mine.tool, theirs.tool),
        ] where one != other {
            return (one?.rawValue ?? 0) < (other?.rawValue ?? 0)
        }
        return false
    }
}
