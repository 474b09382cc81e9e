internal import Glibc

/// The features of one window, for every account that occurs in it and for one that does not.
struct WindowFeatures {
    /// Rows of values, by `Feature.rawValue`: that of an account never used, then those of slots that occur.
    private let values: [Double]
    /// The number of each slot's row.
    private let rows: [Int]

    /// Measures `window` at `now` (seconds since 1970).
    ///
    /// - Parameters:
    ///   - slotCount: How many accounts occur in any window.
    ///   - candidateCount: How many accounts there are to choose from.
    init(of window: ContextWindow, now: Double, slotCount: Int, candidateCount: Int) {
        var measuring = WindowMeasuring(
            window, now: now, slotCount: slotCount, candidateCount: candidateCount)
        (values, rows) = measuring.rows()
    }

    /// The row of a slot, or of the number after the last slot for an account never used.
    func row(of slot: Int) -> ArraySlice<Double> {
        let (width, row) = (Feature.width, slot < rows.count ? rows[slot] : 0)
        return values[row * width..<(row + 1) * width]
    }
}

/// The work of measuring a window: one pass over its events, from the newest to the oldest.
private struct WindowMeasuring {
    /// Counted for accounts that were not used, so that no share is zero.
    private static let smoothing = 0.3
    /// More candidates than this do not thin the shares further.
    private static let candidateLimit = LearnedModel.strangerLimit

    private let window: ContextWindow
    private let now: Double
    private let slotCount: Int
    private let candidates: Double

    private let last: Int
    private let logPause: Double
    private let logStreak: Double

    private var shares = ShareTable()
    private var changes = ChangeRates()
    private var ages: [Double?]
    private var ranks: [Double]

    init(_ window: ContextWindow, now: Double, slotCount: Int, candidateCount: Int) {
        self.window = window
        self.now = now
        self.slotCount = slotCount
        candidates = Double(min(candidateCount, Self.candidateLimit))
        last = window.slots.last ?? 0
        logPause = log(max(0, now - (window.times.last ?? now)) + 1)
        logStreak = log(window.streaks.last ?? 1)
        ages = Array(repeating: nil, count: slotCount)
        ranks = Array(repeating: 0, count: slotCount)
    }

    /// The values row after row, and which row is that of each slot: the first where it does not occur.
    mutating func rows() -> (values: [Double], rows: [Int]) {
        let width = Feature.width
        var rows = [Int](repeating: 0, count: slotCount)
        guard !window.isEmpty else { return (Array(repeating: 0, count: width), rows) }
        let streaks = window.streaks
        shares = ShareTable(slots: slotCount)
        measure(streaks)
        let runs = Runs(window.slots, streaks)
        let used = rows.indices.filter { ages[$0] != nil }
        var values: [Double] = []
        values.reserveCapacity((used.count + 1) * width)
        for (number, slot) in ([nil] + used.map(Optional.some)).enumerated() {
            var row = [Double](repeating: 0, count: width)
            if let slot {
                rows[slot] = number
                if slot == last { fillLast(&row, streaks, runs) }
            }
            fill(&row, slot: slot, runs)
            values += row
        }
        return (values, rows)
    }

    /// One pass over the events, newest first.
    private mutating func measure(_ streaks: [Double]) {
        let moment = Moment(now)
        let count = window.slots.count
        for age in 0..<count {
            let index = count - 1 - age
            let (time, slot) = (window.times[index], window.slots[index])
            let elapsed = max(0, now - time)
            if ages[slot] == nil {
                ages[slot] = elapsed
                ranks[slot] = Double(age)
            }
            let isFirst = index == 0 || time - window.times[index - 1] > 4 * 3_600
            let there = moment.likeness(to: Moment(time))
            shares.add(
                slot, age: Double(age), elapsed: elapsed, likeness: there, isFirst: isFirst, isLast: slot == last)
            guard index > 0 else { continue }
            let pause = log(max(0, time - window.times[index - 1]) + 1)
            let before = log(streaks[index - 1])
            let hazard = SwitchHazard.logOdds(
                logStreak: before, logPause: pause, isFirstRun: streaks[index - 1] == Double(index))
            changes.add(
                ChangeRates.Step(
                    age: Double(age), from: window.slots[index - 1], to: slot, last: last,
                    pauseDistance: pause - logPause, streakDistance: before - logStreak,
                    bucketDistance: abs(PauseBucket.of(pause) - PauseBucket.of(logPause)),
                    likeness: there, expected: 1 / (1 + exp(-hazard))))
            if window.slots[index - 1] == last, slot != last { shares.addChange(to: slot, age: Double(age)) }
        }
    }

    /// What concerns the account of the newest event alone.
    private func fillLast(_ row: inout [Double], _ streaks: [Double], _ runs: Runs) {
        let isFirstRun = runs.isFirst
        row[.populationHazard] = SwitchHazard.logOdds(
            logStreak: logStreak, logPause: logPause, isFirstRun: streaks.last == Double(streaks.count))
        row[.streak] = log((streaks.last ?? 1) + 1)
        row[.rateAtPause] = changes.rateAtPause
        row[.rateFromLastAtPause] = changes.rateFromLastAtPause
        row[.rateFromLastAtPauseAndStreak] = changes.rateFromLastAtPauseAndStreak
        row[.excessFromLastAtPause] = changes.excessFromLastAtPause
        row[.excessLately] = changes.excessLately
        row[.excessFromLastAtHour] = changes.excessFromLastAtHour
        row[.isFirstRun] = isFirstRun ? logStreak : 0
        row[.isOnly] = runs.count == 1 ? 1 : 0
        row[.unused] = max(0, candidates - Double(ages.count { $0 != nil }))
        row[.isSession] = logPause < log(1_801) ? 1 : 0
        row[.meanStreak] = runs.logMeanStreakOfLast
        row[.count] = log(Double(window.slots.count) + 1)
    }

    /// What concerns every account; nil stands for one that was never used.
    private func fill(_ row: inout [Double], slot: Int?, _ runs: Runs) {
        let age = slot.flatMap { ages[$0] }
        row[.isPrevious] = slot != nil && slot == runs.previous ? 1 : 0
        row[.isUsed] = age == nil ? 0 : 1
        row[.age] = age.map { log($0 + 1) } ?? 0
        row[.rank] = age == nil ? 0 : log((slot.map { ranks[$0] } ?? 0) + 1)
        for kind in ShareTable.Kind.allCases {
            let others = kind.isOfOthers
            guard !(others && slot == last) else { continue }
            let count = others ? max(candidates - 1, 1) : candidates
            row[kind.feature] = shares.logShare(of: slot, kind, smoothing: Self.smoothing, candidates: count)
        }
    }
}

extension [Double] {
    fileprivate subscript(feature: Feature) -> Double {
        get { self[feature.rawValue] }
        set { self[feature.rawValue] = newValue }
    }
}

extension ArraySlice<Double> {
    /// The value of a feature in a row.
    subscript(feature: Feature) -> Double { self[startIndex + feature.rawValue] }
}
