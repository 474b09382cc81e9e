internal import Glibc

/// The runs of one account after another that a window consists of.
struct Runs {
    /// How many there are.
    let count: Int
    /// Whether the last account has no run before the last.
    let isFirst: Bool
    /// The account of the run before the last.
    let previous: Int?
    /// The logarithm of the mean length of the last account's earlier runs, drawn towards 3.
    let logMeanStreakOfLast: Double

    init(_ slots: [Int], _ streaks: [Double]) {
        let ends = slots.indices.filter { $0 + 1 == slots.count || streaks[$0 + 1] == 1 }
        let earlier = ends.dropLast()
        let last = slots.last
        let own = earlier.filter { slots[$0] == last }
        count = ends.count
        isFirst = own.isEmpty
        previous = earlier.last.map { slots[$0] }
        logMeanStreakOfLast = log((own.reduce(0) { $0 + streaks[$1] } + 3) / Double(own.count + 1))
    }
}
