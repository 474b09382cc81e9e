internal import Glibc

/// A time as people's habits see it: the hour of the day and the day of the week.
///
/// In universal time: what counts is only whether two times are alike, and that is the same in every zone.
struct Moment {
    private static let day = 86_400.0

    /// The hour as an angle.
    private let angle: Double
    /// 0 is a Sunday.
    private let weekday: Int

    /// The moment `time` seconds after 1970 began, which was a Thursday.
    init(_ time: Double) {
        let days = (time / Self.day).rounded(.down)
        angle = 2 * .pi * (time / Self.day - days)
        let weekday = (Int(max(-1e15, min(1e15, days))) + 4) % 7
        self.weekday = weekday < 0 ? weekday + 7 : weekday
    }

    private var isWeekend: Bool { weekday == 0 || weekday == 6 }

    /// How alike two moments are.
    struct Likeness {
        /// From 0 to 1: the same hour, within two or so.
        let hour: Double
        /// Whether both are working days, or both weekends.
        let isSameKindOfDay: Bool
        /// Whether both are the same day of the week.
        let isSameWeekday: Bool
    }

    func likeness(to other: Moment) -> Likeness {
        Likeness(
            hour: exp((cos(angle - other.angle) - 1) * 4), isSameKindOfDay: isWeekend == other.isWeekend,
            isSameWeekday: weekday == other.weekday)
    }
}

/// Pauses by their order: under a minute, ten minutes, an hour, four hours, a night, three days, two weeks, or more.
enum PauseBucket {
    private static let limits: [Double] = [60, 600, 3_600, 14_400, 57_600, 259_200, 1_209_600].map { log($0 + 1) }

    /// The number of the bucket of a pause, given as the logarithm of its seconds plus 1.
    static func of(_ logPause: Double) -> Int { limits.count { logPause >= $0 } }
}
