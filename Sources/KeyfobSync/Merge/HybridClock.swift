package import KeyfobModel

/// A clock that follows the wall clock and what others wrote, and never stands or runs back.
///
/// A pure function of what it is given; whoever keeps the last stamp has the clock.
package enum HybridClock {
    /// How far ahead of the wall clock a stamp of somebody else is followed: 24 hours, in milliseconds.
    package static let furthest: Int64 = 86_400_000
    private static let lastMillisecond: Int64 = 1 << 48 - 1

    /// The stamp for something written at `now`.
    ///
    /// It is greater than `previous` always, and than `observed` where that is at most 24 hours ahead of `now`. A
    /// stamp further ahead is not refused anywhere, because whether it is depends on whose clock one asks; it is
    /// just not followed.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since 1970 by the wall clock, which may be wrong.
    ///   - previous: The last stamp of this clock, or of what is to be replaced.
    ///   - observed: The greatest stamp seen from elsewhere.
    package static func next(now: Int64, previous: Stamp?, observed: Stamp? = nil) -> Stamp {
        let clock = UInt64(max(0, min(now, lastMillisecond))) << 16
        let followed = observed.flatMap { isFarAhead($0, of: now) ? nil : $0 }
        let latest = max(previous?.value ?? 0, followed?.value ?? 0)
        guard previous != nil || followed != nil else { return Stamp(value: clock) }
        // At the end of time there is no next stamp.
        return Stamp(value: max(clock, latest == .max ? latest : latest + 1))
    }

    /// Whether a stamp is more than 24 hours ahead of `now`, in milliseconds since 1970.
    package static func isFarAhead(_ stamp: Stamp, of now: Int64) -> Bool {
        let (limit, overflow) = now.addingReportingOverflow(furthest)
        return !overflow && stamp.milliseconds > limit
    }
}
