/// The moment by which an operation must be done.
package struct Deadline {
    private let end: ContinuousClock.Instant

    package init(in duration: Duration) {
        end = .now + duration
    }

    /// An earlier one, after three quarters of what is left: the rest is for finding out what went wrong.
    package var early: Deadline { Deadline(in: remaining * 3 / 4) }

    /// What is left, never negative.
    package var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: end)) }

    package var hasPassed: Bool { remaining == .zero }

    /// What is left, for calls that take a timeout; rounded up, and at least 1, because 0 and less mean
    /// something else to them.
    package var milliseconds: CInt {
        let count = (remaining / .milliseconds(1)).rounded(.up)
        return CInt(max(1, min(count, Double(CInt.max))))
    }
}
