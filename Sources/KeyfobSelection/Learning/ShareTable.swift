internal import Glibc

/// How the events of a window are shared among the accounts, under several weights.
struct ShareTable {
    /// The weights.
    enum Kind: Int, CaseIterable {
        case share4, share40, hours, week, months, atHour, atHourLately, onDay, first, firstAtHour, others, changes

        /// The feature that the share becomes.
        var feature: Feature {
            switch self {
            case .share4: .share4
            case .share40: .share40
            case .hours: .shareHours
            case .week: .shareWeek
            case .months: .shareMonths
            case .atHour: .shareAtHour
            case .atHourLately: .shareAtHourLately
            case .onDay: .shareOnDay
            case .first: .shareFirst
            case .firstAtHour: .shareFirstAtHour
            case .others: .shareOfOthers
            case .changes: .shareOfChanges
            }
        }

        /// Whether the last account has no part in it.
        var isOfOthers: Bool { self == .others || self == .changes }
    }

    private static let day = 86_400.0
    private var sums: [[Double]]
    private var totals = [Double](repeating: 0, count: Kind.allCases.count)

    init(slots: Int = 0) {
        sums = Array(repeating: Array(repeating: 0, count: slots), count: Kind.allCases.count)
    }

    /// Counts one event.
    mutating func add(
        _ slot: Int, age: Double, elapsed: Double, likeness: Moment.Likeness, isFirst: Bool, isLast: Bool
    ) {
        let fading = exp2(-age / 200)
        add(.share4, slot, exp2(-age / 4))
        add(.share40, slot, exp2(-age / 40))
        add(.hours, slot, exp(-elapsed / 7_200))
        add(.week, slot, exp(-elapsed / (7 * Self.day)))
        add(.months, slot, exp(-elapsed / (60 * Self.day)))
        add(.atHour, slot, likeness.hour * fading)
        if likeness.isSameKindOfDay { add(.atHourLately, slot, likeness.hour * exp(-elapsed / (90 * Self.day))) }
        if likeness.isSameWeekday { add(.onDay, slot, fading) }
        if isFirst {
            add(.first, slot, exp2(-age / 80))
            if likeness.isSameKindOfDay { add(.firstAtHour, slot, likeness.hour * exp2(-age / 150)) }
        }
        if !isLast { add(.others, slot, exp2(-age / 8)) }
    }

    /// Counts a change from the last account to another.
    mutating func addChange(to slot: Int, age: Double) {
        add(.changes, slot, exp2(-age / 120))
    }

    /// The logarithm of an account's share; nil stands for one that was never used.
    func logShare(of slot: Int?, _ kind: Kind, smoothing: Double, candidates: Double) -> Double {
        let sum = slot.map { sums[kind.rawValue][$0] } ?? 0
        return log((sum + smoothing) / (totals[kind.rawValue] + smoothing * candidates))
    }

    private mutating func add(_ kind: Kind, _ slot: Int, _ weight: Double) {
        sums[kind.rawValue][slot] += weight
        totals[kind.rawValue] += weight
    }
}
