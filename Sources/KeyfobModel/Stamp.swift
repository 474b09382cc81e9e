/// A hybrid clock's reading: 48 bits of milliseconds since 1970 and a 16-bit counter.
///
/// Stamps of one record grow with every version, also when the wall clock stands or runs back.
package struct Stamp: Hashable, Comparable, Sendable {
    /// Milliseconds in the upper 48 bits, the counter in the lower 16.
    package let value: UInt64

    package init(value: UInt64) {
        self.value = value
    }

    /// The first stamp at `milliseconds` (since 1970) that is greater than `previous`; at the end of time, the last.
    package init(milliseconds: Int64, after previous: Stamp?) {
        let clock = UInt64(max(0, min(milliseconds, (1 << 48) - 1))) << 16
        let next = previous.map { $0.value == .max ? .max : $0.value + 1 } ?? 0
        self.value = max(clock, next)
    }

    /// Milliseconds since 1970.
    package var milliseconds: Int64 { Int64(value >> 16) }

    /// Whether the stamp is more than 24 hours ahead of `now`, in milliseconds since 1970.
    package func isFarAhead(of now: Int64) -> Bool {
        let (limit, overflow) = now.addingReportingOverflow(86_400_000)
        return !overflow && milliseconds > limit
    }

    package static func < (left: Stamp, right: Stamp) -> Bool { left.value < right.value }
}
