/// A point in time in whole seconds since 1970-01-01 00:00 UTC, as token caches count it.
///
/// The model has no clock: whoever needs "now" is given it.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01 00:00 UTC, leap seconds not counted; may be negative.
    public var seconds: Int64

    /// The point `seconds` after 1970-01-01 00:00 UTC.
    public init(seconds: Int64) {
        self.seconds = seconds
    }

    /// Whether `left` is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.seconds < right.seconds
    }

    /// The point `seconds` later, held at the ends of the range instead of overflowing.
    public func advanced(by seconds: Int64) -> Timestamp {
        let (sum, overflow) = self.seconds.addingReportingOverflow(seconds)
        return Timestamp(seconds: overflow ? (seconds < 0 ? .min : .max) : sum)
    }
}

extension Timestamp {
    /// `2026-11-21T10:15:00Z` (RFC 3339); a time outside the years 0000 to 9999 is held at their ends.
    package var rfc3339: String { CivilDate(clamping: self).rfc3339 }
}
