internal import Glibc

/// How often the account changed from one event of a window to the next, under several weights.
struct ChangeRates {
    /// One event and the one before it.
    struct Step {
        /// How many events are newer.
        let age: Double
        let from: Int
        let to: Int
        /// The account of the window's newest event.
        let last: Int
        /// How much longer the pause between the two was than the present one, in logarithms.
        let pauseDistance: Double
        /// How much longer the streak before was than the present one, in logarithms.
        let streakDistance: Double
        /// How many orders the pauses are apart.
        let bucketDistance: Int
        let likeness: Moment.Likeness
        /// How likely people at large were to change.
        let expected: Double
    }

    /// A sum of weights over all steps, and over those that changed.
    private struct Sum {
        var changed = 0.0
        var all = 0.0

        mutating func add(_ weight: Double, _ hasChanged: Bool, of base: Double = 1) {
            all += weight * base
            if hasChanged { changed += weight }
        }

        func logRate(_ smoothing: Double, per count: Double) -> Double { log((changed + smoothing) / (all + count)) }
    }

    private var atPause = Sum()
    private var fromLastAtPause = Sum()
    private var fromLastAtBoth = Sum()
    private var expectedAtPause = Sum()
    private var expectedLately = Sum()
    private var expectedAtHour = Sum()

    mutating func add(_ step: Step) {
        let hasChanged = step.from != step.to
        if step.bucketDistance <= 1 { atPause.add(exp2(-step.age / 60), hasChanged) }
        expectedLately.add(exp2(-step.age / 15), hasChanged, of: step.expected)
        guard step.from == step.last else { return }
        let pause = exp(-0.5 * step.pauseDistance * step.pauseDistance) * exp2(-step.age / 120)
        let streak = exp(-step.streakDistance * step.streakDistance)
        fromLastAtPause.add(pause, hasChanged)
        fromLastAtBoth.add(pause * streak, hasChanged)
        expectedAtPause.add(pause, hasChanged, of: step.expected)
        if step.likeness.isSameKindOfDay {
            expectedAtHour.add(step.likeness.hour * exp2(-step.age / 120), hasChanged, of: step.expected)
        }
    }

    var rateAtPause: Double { atPause.logRate(0.3, per: 4) }
    var rateFromLastAtPause: Double { fromLastAtPause.logRate(0.3, per: 5) }
    var rateFromLastAtPauseAndStreak: Double { fromLastAtBoth.logRate(0.2, per: 4) }
    var excessFromLastAtPause: Double { expectedAtPause.logRate(0.3, per: 0.3) }
    var excessLately: Double { expectedLately.logRate(0.3, per: 0.3) }
    var excessFromLastAtHour: Double { expectedAtHour.logRate(0.3, per: 0.3) }
}
