/// The newest events of one context: when, and which account.
///
/// Accounts are numbered: each that occurs has a *slot*.
struct ContextWindow {
    /// How many events are looked at; older ones would change no decision.
    static let capacity = 512

    /// Seconds since 1970, oldest first.
    private(set) var times: [Double] = []
    /// The accounts taken, oldest first.
    private(set) var slots: [Int] = []

    var isFull: Bool { times.count >= Self.capacity }
    var isEmpty: Bool { times.isEmpty }

    /// Adds the event before all that are here.
    mutating func prepend(time: Double, slot: Int) {
        times.append(time)
        slots.append(slot)
    }

    /// Ends the prepending, which is kept in the wrong order meanwhile.
    mutating func finish() {
        times.reverse()
        slots.reverse()
    }

    /// How long the run of one account is that each event stands in, up to it: 1 where the account has just changed.
    var streaks: [Double] {
        var streaks: [Double] = []
        streaks.reserveCapacity(slots.count)
        for (index, slot) in slots.enumerated() {
            streaks.append(index > 0 && slots[index - 1] == slot ? streaks[index - 1] + 1 : 1)
        }
        return streaks
    }
}
